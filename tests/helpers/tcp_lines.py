"""What the kernel knows of a TCP line: how much of what came its owner has really read.

Evidence for crash tests, Linux only: a byte counts as read once the program has taken it out of
the socket, whatever any clock says, and as waiting while it lies there.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass

_SOCK_DIAG, _BY_FAMILY, _REQUEST_DUMP = 4, 20, 0x301
_END, _FAULT = 3, 2
_INFO = 2
_HEADER = struct.Struct("=IHHII")
_ASK = struct.Struct("=BBBxI48x")
_SOCKET = struct.Struct("=4x2s2s44xIIIII")
_ATTRIBUTE = struct.Struct("=HH")
_ALL_STATES = 0xFFF
_BYTES_RECEIVED_AT = 128


@dataclass(frozen=True, slots=True)
class Line:
    """One end: ``read`` bytes were taken out of it since it stands, ``waiting`` were not yet.
    ``is_owned``: a process holds it."""

    port: int
    peer_port: int
    read: int
    waiting: int
    is_owned: bool


def lines() -> list[Line]:
    """Every IPv4 end that has a peer. Raises OSError where the kernel does not tell."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        ask = _ASK.pack(socket.AF_INET, socket.IPPROTO_TCP, 1 << (_INFO - 1), _ALL_STATES)
        kernel.send(_HEADER.pack(_HEADER.size + len(ask), _BY_FAMILY, _REQUEST_DUMP, 1, 0) + ask)
        return [line for line in map(_line, _messages(kernel)) if line.peer_port]


def _messages(kernel: socket.socket) -> Iterator[bytes]:
    while True:
        data = kernel.recv(1 << 20)
        while data:
            length, kind, *_ = _HEADER.unpack_from(data)
            if kind == _END:
                return
            if kind == _FAULT:
                raise OSError("the kernel does not tell of its sockets")
            yield data[_HEADER.size : length]
            data = data[(length + 3) & ~3 :]


def _line(told: bytes) -> Line:
    port, peer, _, waiting, _, _, inode = _SOCKET.unpack_from(told)
    info = _attribute(told[_SOCKET.size :], _INFO)
    came = 0
    if len(info) >= _BYTES_RECEIVED_AT + 8:
        came = int.from_bytes(info[_BYTES_RECEIVED_AT : _BYTES_RECEIVED_AT + 8], "little")
    return Line(
        int.from_bytes(port, "big"),
        int.from_bytes(peer, "big"),
        came - waiting,
        waiting,
        inode != 0,
    )


def _attribute(data: bytes, wanted: int) -> bytes:
    while len(data) >= _ATTRIBUTE.size:
        length, kind = _ATTRIBUTE.unpack_from(data)
        if length < _ATTRIBUTE.size:
            break
        if kind == wanted:
            return data[_ATTRIBUTE.size : length]
        data = data[(length + 3) & ~3 :]
    return b""
