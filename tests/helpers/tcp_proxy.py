"""A line that breaks: a TCP proxy in front of a server, with one fault for each connection."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Self

_CHUNK = 65536
_RESET = struct.pack("ii", 1, 0)


class Fault(Enum):
    """What becomes of a connection."""

    NONE = auto()
    RESET_AT_ONCE = auto()  # before a byte of the request is read
    SWALLOW = auto()  # the request never reaches the server, and nothing comes back
    STALL = auto()  # the server gets it and answers; nothing comes back
    RESET = auto()  # the server gets it; then the line is reset
    TRICKLE = auto()  # the answer comes at one byte a second
    CUT = auto()  # the answer ends after ``CUT_AFTER`` bytes


CUT_AFTER = 700
"""Bytes: past the head of an answer, inside its body."""


@dataclass(slots=True)
class _Line:
    """One connection of a client."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    fault: Fault
    waiting: bool = False  # a request went in, and no byte of its answer came yet

    def reset(self) -> None:
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.writer.transport.abort()


class TcpProxy:
    """Runs in a thread of its own while the block lasts. Each accepted connection takes the next
    of ``faults``; when they are used up lines are good. ``idle_s``: good lines are closed so long
    after the last byte, as load balancers do. ``listen`` False: refuses until ``open`` is called.
    """

    def __init__(
        self,
        to_port: int,
        faults: Iterable[Fault] = (),
        *,
        idle_s: float | None = None,
        listen: bool = True,
    ) -> None:
        self._to_port = to_port
        self._faults = list(faults)
        self._idle_s = idle_s
        self._listen = listen
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="tcp-proxy")
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.Task[None]] = set()
        # Bound at once, so that a port that refuses stays nobody else's.
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.accepted = 0

    def __enter__(self) -> Self:
        self._thread.start()
        if self._listen:
            self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._socket.close()

    def open(self) -> None:
        """Take connections from now on."""
        self._call(self._open())

    def _call(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._accept, sock=self._socket)

    async def _end(self) -> None:
        if self._server is not None:
            self._server.close()
        for line in self._lines:
            line.cancel()
        if self._lines:
            await asyncio.wait(self._lines)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        fault = self._faults.pop(0) if self._faults else Fault.NONE
        self.accepted += 1
        task = asyncio.ensure_future(self._serve(_Line(reader, writer, fault)))
        self._lines.add(task)
        task.add_done_callback(self._lines.discard)

    async def _serve(self, line: _Line) -> None:
        try:
            with contextlib.suppress(OSError):
                await self._carry(line)
        finally:
            line.writer.close()

    async def _carry(self, line: _Line) -> None:
        if line.fault is Fault.RESET_AT_ONCE:
            line.reset()
            return
        if line.fault is Fault.SWALLOW:
            while await line.reader.read(_CHUNK):
                pass
            return
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._to_port)
        ways = [
            asyncio.ensure_future(_pour(line, up_writer)),
            asyncio.ensure_future(self._answer(up_reader, line)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)
            up_writer.close()

    async def _answer(self, reader: asyncio.StreamReader, line: _Line) -> None:
        """From the server to the client, as far as the fault lets it. Returns when it is over."""
        passed = 0
        while data := await self._read(reader, line):
            line.waiting = False
            if line.fault is Fault.STALL:
                continue
            if line.fault is Fault.RESET:
                line.reset()
                return
            if line.fault is Fault.CUT:
                data = data[: CUT_AFTER - passed]
            if line.fault is Fault.TRICKLE:
                for byte in data:
                    line.writer.write(bytes([byte]))
                    await line.writer.drain()
                    await asyncio.sleep(1)
                continue
            line.writer.write(data)
            await line.writer.drain()
            passed += len(data)
            if line.fault is Fault.CUT and passed >= CUT_AFTER:
                return
        if line.fault is Fault.STALL:
            await asyncio.Event().wait()

    async def _read(self, reader: asyncio.StreamReader, line: _Line) -> bytes:
        """Nothing: the server hung up, or the line was idle for too long."""
        while True:
            try:
                return await asyncio.wait_for(reader.read(_CHUNK), self._idle_s)
            except TimeoutError:
                if not line.waiting:
                    return b""


async def _pour(line: _Line, writer: asyncio.StreamWriter) -> None:
    """From the client to the server."""
    with contextlib.suppress(OSError):
        while data := await line.reader.read(_CHUNK):
            line.waiting = True
            writer.write(data)
            await writer.drain()
