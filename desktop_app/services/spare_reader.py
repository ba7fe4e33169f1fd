"""The process that will read a long sheet starts while the sheet is opened: both take their time,
and there is mostly a core for either."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from desktop_app.domain.ports import SheetInfo
from desktop_app.services.packed_rows import APART, Reader

LONG_BYTES = 4 << 20
"""Shorter files seldom have so many rows that they are read in a process of their own."""


class SpareReader:
    """One process at most, which imports what ``needed`` is made of and then waits for the first
    import of the sheet, or for its being forgotten. It ends with the program in any case."""

    def __init__(self, *needed: object) -> None:
        self._needed = needed
        self._kept: tuple[Path, Reader] | None = None

    async def open(self, path: Path, read: Callable[[], SheetInfo]) -> SheetInfo:
        """What ``read``, which may block, makes of the file at ``path``."""
        starting = None
        if self._kept is None:
            starting = asyncio.ensure_future(asyncio.to_thread(self._start, path))
        info: SheetInfo | None = None
        try:
            info = await asyncio.to_thread(read)
        finally:
            reader = None if starting is None else await _result(starting)
            is_long = info is not None and (info.rows or 0) >= APART
            # Another sheet that was opened meanwhile may have one already.
            if reader is not None and info is not None and is_long and self._kept is None:
                self._kept = (info.copy, reader)
            else:
                await _end(reader)
        return info

    def take(self, info: SheetInfo) -> Reader | None:
        """The process that waits for this sheet; whoever takes it ends it."""
        if self._kept is None or self._kept[0] != info.copy:
            return None
        (_, reader), self._kept = self._kept, None
        return reader

    async def forget(self, info: SheetInfo) -> None:
        """Nobody is going to import it."""
        await _end(self.take(info))

    def _start(self, path: Path) -> Reader | None:
        # Whatever is wrong is said by those who can't do without.
        with contextlib.suppress(OSError):
            if path.stat().st_size >= LONG_BYTES:
                reader = Reader(*self._needed)
                reader.start()
                return reader
        return None


async def _result(starting: asyncio.Future[Reader | None]) -> Reader | None:
    """A thread can't be cancelled, and what it started would be left behind."""
    await asyncio.wait({starting})
    return starting.result()


async def _end(reader: Reader | None) -> None:
    if reader is not None:
        reader.kill()
        await asyncio.shield(asyncio.to_thread(reader.close))
