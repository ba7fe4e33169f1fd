"""Copies the log back to the file beside the writer while a long import fills it: half of the
disk's work is done while the writer goes on, which else would stand still for it."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

from desktop_app.store.connect import BUSY_S, lasting_pragmas

_log = logging.getLogger(__name__)

APART_BYTES = 12 << 20
"""Of rows: after so many the log is copied again."""


def copy_log(path: Path) -> None:
    """Copy as far as nobody reads older rows, in the way of nobody who writes. Blocks. Raises
    sqlite3.Error."""
    with closing(sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)) as connection:
        for name, value in lasting_pragmas().items():
            connection.execute(f"PRAGMA {name} = {value}")
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


class LogCopying:
    """``path_of`` finds the store's file. Used from one loop."""

    def __init__(
        self, path_of: Callable[[], Awaitable[str]], copy: Callable[[Path], None] = copy_log
    ) -> None:
        self._path_of = path_of
        self._copy = copy
        self._bytes = 0
        self._under_way: asyncio.Task[None] | None = None

    def added(self, size: int) -> None:
        """So many bytes of rows were committed."""
        self._bytes += size
        if self._bytes >= APART_BYTES and self._under_way is None:
            self._bytes = 0
            self._under_way = asyncio.ensure_future(self._run())

    async def ended(self) -> None:
        """Wait for the copying that is under way, if any is."""
        if self._under_way is not None:
            await asyncio.wait({self._under_way})

    async def _run(self) -> None:
        try:
            await asyncio.to_thread(self._copy, Path(await self._path_of()))
        except sqlite3.Error:
            # The writer copies what is left in any case.
            _log.warning("the log could not be copied beside the writer", exc_info=True)
        finally:
            self._under_way = None
