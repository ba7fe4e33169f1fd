"""This machine's own faults: no paid call is made that could not be kept, and no answer is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.ports import ResultFiles
from desktop_app.domain.text import Message, message

_log = logging.getLogger(__name__)

FRESH_S = 2.0


class LocalGuard:
    """Holds the engine while a folder is gone or full, and lets it go when that is mended."""

    def __init__(self, files: ResultFiles, clock: Clock, on_change: Callable[[], None]) -> None:
        self._files = files
        self._clock = clock
        self._on_change = on_change
        self._folders: dict[str, Message] = {}
        self._checked: dict[str, float] = {}
        self._mended = asyncio.Event()
        self._mended.set()

    @property
    def said(self) -> Message | None:
        """What is wrong, or None."""
        return next(iter(self._folders.values()), None)

    async def fine(self, out_dir: str) -> bool:
        """Whether results can be kept in this folder; reports the trouble if not."""
        now = self._clock.monotonic()
        if now - self._checked.get(out_dir, -FRESH_S) < FRESH_S:
            return True
        said = await self._look(out_dir)
        if said is not None:
            self.report(out_dir, said)
            return False
        self._checked[out_dir] = now
        return True

    def report(self, out_dir: str, said: Message) -> None:
        """A folder failed: hold the engine."""
        self._folders[out_dir] = said
        self._checked.pop(out_dir, None)
        self._mended.clear()
        self._on_change()

    async def mended(self) -> None:
        """Wait until nothing is wrong any more."""
        await self._mended.wait()

    async def look_again(self) -> None:
        """See whether what failed works again."""
        if not self._folders:
            return
        for out_dir in tuple(self._folders):
            said = await self._look(out_dir)
            if said is None:
                del self._folders[out_dir]
            else:
                self._folders[out_dir] = said
        if not self._folders:
            self._mended.set()
        self._on_change()

    async def _look(self, out_dir: str) -> Message | None:
        try:
            await self._files.check_folder(out_dir)
        except LocalTrouble as trouble:
            return trouble.message
        except Exception:
            _log.exception("the output folder could not be checked")
            return message("engine.folder_unknown", folder=out_dir)
        return None
