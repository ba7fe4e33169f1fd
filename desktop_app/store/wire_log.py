"""What is noted of attempts without waiting for the disk, so that a crash is precise.

An attempt is committed before its request leaves; a kill between the two leaves it open though
nothing was sent. This file tells the two apart: the operating system keeps what was written when
only the process dies. When the machine itself went down (another boot id) it proves nothing, and
every open attempt counts as begun. It also knows which answers were being processed, and so which
row may have killed the program.
"""

from __future__ import annotations

import logging
import os
import struct
from collections.abc import Iterable, Set
from pathlib import Path

from desktop_app.domain.marks import Mark

_log = logging.getLogger(__name__)

_MAGIC = b"BWWIRE1\n"
_HEADER = struct.Struct("<8s56s")
_RECORD = struct.Struct("<QQ")
_MASK = 0x5A5A_A5A5_C3C3_3C3C
"""The second word is the first one masked, plus the mark in bits no key reaches: a torn record
shows."""

_MARK_AT = 60
_NOTHING_PROVED = frozenset({Mark.BEGUN})
_SEALS = tuple(_MASK ^ (mark << _MARK_AT) for mark in sorted(Mark))
_MANY = 65_536


class WireLog:
    """Used from one thread; opens its file at the first note.

    ``boot_id`` identifies the machine's current boot; None means unknown: nothing is ever proved.
    """

    def __init__(self, path: Path, boot_id: str | None) -> None:
        self._path = path
        self._boot = None if boot_id is None else boot_id.encode()[:56].ljust(56, b"\0")
        self._file: int | None = None
        self._broken = False
        self._is_fresh = False
        self._written = 0
        # By attempt, a bit a mark: every call passes several times.
        self._live: dict[int, int] = {}
        self._suspects: set[int] = set()
        self._before: dict[int, int] | None = self._read()

    @property
    def suspects(self) -> frozenset[int]:
        """Tasks marked SUSPECT and not CLEARED since, by this process or an earlier one."""
        return frozenset(self._suspects)

    def of(self, attempt_pk: int) -> Set[Mark]:
        """The marks of an attempt that was open at start; BEGUN is missing only when certain."""
        if self._before is None:
            return _marks(self._live.get(attempt_pk, 0)) | _NOTHING_PROVED
        return _marks(self._before.get(attempt_pk, 0))

    def note(self, mark: Mark, pk: int) -> None:
        """Record a mark of this attempt (or task). Microseconds; never raises."""
        self._apply(self._live, mark, pk)
        if self._broken or (self._before is None and self._file is None):
            return  # the file proves nothing until it is started afresh
        try:
            if self._file is None:
                self._file = _open(self._path)
            if os.write(self._file, _RECORD.pack(pk, pk ^ _SEALS[mark])) != _RECORD.size:
                raise OSError("short write")
        except OSError:
            _log.warning("the wire log can't be written; a crash would be less precise")
            self._give_up()
            return
        self._written += 1
        if self._written >= _MANY and self._is_fresh:
            self.restart()

    def ended(self, attempt_pk: int) -> None:
        """The attempt's outcome is committed."""
        self._live.pop(attempt_pk, None)

    def adopt(self, open_pks: Iterable[int]) -> None:
        """Where nothing is proved: begin a fresh file in which these attempts, all that are open,
        count as begun, so that what is noted from now on is kept."""
        if self._before is None and self._file is None:
            self._live = dict.fromkeys(open_pks, 1 << Mark.BEGUN) | self._live
            self.restart()

    def restart(self) -> None:
        """Begin a fresh file. Only when no attempt of an earlier run is open any more."""
        self._close()
        self._broken = False
        self._before = None
        self._written = 0
        if self._boot is None:
            return
        fresh = self._path.with_name(self._path.name + ".new")
        data = _HEADER.pack(_MAGIC, self._boot) + b"".join(self._known())
        try:
            fresh.write_bytes(data)
            fresh.replace(self._path)
            self._file = _open(self._path)
            self._is_fresh = True
        except OSError:
            _log.warning("the wire log can't be made; a crash would be less precise")
            self._give_up()

    def close(self) -> None:
        """Close the file and leave it for the next start."""
        self._close()

    def _apply(self, marks: dict[int, int], mark: Mark, pk: int) -> None:
        if mark is Mark.PROCESSED:
            marks[pk] = marks.get(pk, 0) & ~(1 << Mark.PROCESSING)
        elif mark is Mark.SUSPECT:
            self._suspects.add(pk)
        elif mark is Mark.CLEARED:
            self._suspects.discard(pk)
        else:
            marks[pk] = marks.get(pk, 0) | 1 << mark

    def _known(self) -> Iterable[bytes]:
        for pk, marks in sorted(self._live.items()):
            for mark in sorted(_marks(marks)):
                yield _record(mark, pk)
        for pk in sorted(self._suspects):
            yield _record(Mark.SUSPECT, pk)

    def _read(self) -> dict[int, int] | None:
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
        found: dict[int, int] = {}
        for pk, check in _RECORD.iter_unpack(body):
            mark = (pk ^ check ^ _MASK) >> _MARK_AT
            if mark <= max(Mark) and check == _check(Mark(mark), pk):
                self._apply(found, Mark(mark), pk)
        return found

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


def _open(path: Path) -> int:
    """Open at the end of the last whole record: what follows half a record could not be read."""
    flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)
    file = os.open(path, flags, 0o600)
    try:
        size = os.fstat(file).st_size
        torn = (size - _HEADER.size) % _RECORD.size
        if torn:
            os.ftruncate(file, size - torn)
    except OSError:
        os.close(file)
        raise
    return file


def _marks(bits: int) -> set[Mark]:
    return {mark for mark in Mark if bits & 1 << mark}


def _check(mark: Mark, pk: int) -> int:
    return pk ^ _SEALS[mark]


def _record(mark: Mark, pk: int) -> bytes:
    return _RECORD.pack(pk, pk ^ _SEALS[mark])
