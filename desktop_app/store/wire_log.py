"""Which requests began to leave, noted without waiting for the disk, so that a crash is precise.

An attempt is committed before its request leaves; a kill between the two leaves it open though
nothing was sent. This file tells the two apart: the operating system keeps what was written when
only the process dies. When the machine itself went down (another boot id) it proves nothing, and
every open attempt counts as begun.
"""

from __future__ import annotations

import logging
import os
import struct
from collections.abc import Iterable
from pathlib import Path

_log = logging.getLogger(__name__)

_MAGIC = b"BWWIRE1\n"
_HEADER = struct.Struct("<8s56s")
_RECORD = struct.Struct("<QQ")
_MASK = 0x5A5A_A5A5_C3C3_3C3C  # the second word is the first one masked: a torn record shows


class WireLog:
    """Used from one thread; opens its file at the first note.

    ``boot_id`` identifies the machine's current boot; None means unknown: nothing is ever proved.
    """

    def __init__(self, path: Path, boot_id: str | None) -> None:
        self._path = path
        self._boot = None if boot_id is None else boot_id.encode()[:56].ljust(56, b"\0")
        self._file: int | None = None
        self._broken = False
        self._live: set[int] = set()
        self._before: set[int] | None = self._read()

    def begun(self, attempt_pk: int) -> bool:
        """Whether an attempt that was open at start may have left; False only when certain."""
        return self._before is None or attempt_pk in self._before

    def note(self, attempt_pk: int) -> None:
        """Record that this attempt's request begins to leave. Microseconds; never raises."""
        self._live.add(attempt_pk)
        if self._broken or (self._before is None and self._file is None):
            return  # the file proves nothing until it is started afresh
        record = _RECORD.pack(attempt_pk, attempt_pk ^ _MASK)
        try:
            if self._file is None:
                self._file = _open(self._path, os.O_APPEND)
            if os.write(self._file, record) != len(record):
                raise OSError("short write")
        except OSError:
            _log.warning("the wire log can't be written; a crash would be less precise")
            self._give_up()

    def ended(self, attempt_pk: int) -> None:
        """The attempt's outcome is committed."""
        self._live.discard(attempt_pk)

    def restart(self) -> None:
        """Begin a fresh file. Only when no attempt of an earlier run is open any more."""
        self._close()
        self._broken = False
        self._before = None
        if self._boot is None:
            return
        fresh = self._path.with_name(self._path.name + ".new")
        data = _HEADER.pack(_MAGIC, self._boot) + _records(self._live)
        try:
            fresh.write_bytes(data)
            fresh.replace(self._path)
            self._file = _open(self._path, os.O_APPEND)
        except OSError:
            _log.warning("the wire log can't be made; a crash would be less precise")
            self._give_up()

    def close(self) -> None:
        """Close the file and leave it for the next start."""
        self._close()

    def _read(self) -> set[int] | None:
        if self._boot is None:
            return None
        try:
            data = self._path.read_bytes()
        except OSError:
            return None
        if data[: _HEADER.size] != _HEADER.pack(_MAGIC, self._boot):
            return None
        body = data[_HEADER.size :]
        body = body[: len(body) - len(body) % _RECORD.size]
        return {pk for pk, check in _RECORD.iter_unpack(body) if pk ^ _MASK == check}

    def _give_up(self) -> None:
        # A log with a gap would call a sent request unsent: without its file it says nothing.
        self._close()
        self._broken = True
        try:
            self._path.unlink(missing_ok=True)
        except OSError:
            _log.exception("the wire log can't be removed")

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _open(path: Path, flags: int) -> int:
    return os.open(path, os.O_WRONLY | flags | getattr(os, "O_BINARY", 0), 0o600)


def _records(pks: Iterable[int]) -> bytes:
    return b"".join(_RECORD.pack(pk, pk ^ _MASK) for pk in sorted(pks))
