"""This machine's own faults: no paid call is made that could not be kept, and no answer is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path, PurePath

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass, LocalTrouble
from desktop_app.domain.ports import ResultFiles
from desktop_app.domain.text import Message, message

_log = logging.getLogger(__name__)

FRESH_S = 2.0

SEVERAL = 3
"""So many rows whose files are gone with one folder are not to blame: the folder is."""


async def is_there(folder: str) -> bool:
    """Whether the folder can be seen."""
    try:
        return await asyncio.to_thread(Path(folder).is_dir)
    except OSError:
        return False


class LocalGuard:
    """Holds the engine while a folder is gone or full, and lets it go when that is mended: those
    that results go to, and those that rows take files from."""

    def __init__(
        self,
        files: ResultFiles,
        clock: Clock,
        on_change: Callable[[], None],
        is_there: Callable[[str], Awaitable[bool]] = is_there,
    ) -> None:
        self._files = files
        self._clock = clock
        self._on_change = on_change
        self._is_there = is_there
        self._folders: dict[str, Message] = {}
        self._lost: dict[str, Message] = {}
        self._missed: dict[str, list[int]] = {}
        self._checked: dict[str, float] = {}
        self._mended = asyncio.Event()
        self._mended.set()

    @property
    def said(self) -> Message | None:
        """What is wrong, or None."""
        if not self._folders and not self._lost:
            return None  # every call asks
        return next(iter((*self._folders.values(), *self._lost.values())))

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

    def weigh(self, failure: Failure, task_pk: int) -> tuple[Failure, tuple[int, ...]]:
        """What a row's failure is in the light of those before it, and which of them were wrongly
        blamed: several files that are missing with one folder, or with folders side by side (a
        drive is not mounted), are this machine's trouble."""
        if not failure.lost or failure.kind is not FailureClass.INVALID:
            return failure, ()
        missed = self._missed.setdefault(_above(failure.lost), [])
        before = tuple(missed)
        if len(missed) < SEVERAL and task_pk not in missed:
            missed.append(task_pk)
        if len(missed) < SEVERAL:
            return failure, ()
        said = message("engine.source_gone", folder=failure.lost)
        local = replace(failure, kind=FailureClass.LOCAL, code="source_gone", said=said)
        return local, before if len(before) < SEVERAL else ()

    def report_lost(self, folder: str, said: Message) -> None:
        """A folder that rows take files from is gone: hold the engine."""
        self._lost[folder] = said
        self._mended.clear()
        self._on_change()

    async def mended(self) -> None:
        """Wait until nothing is wrong any more."""
        await self._mended.wait()

    async def look_again(self, *, by_person: bool = False) -> None:
        """See whether what failed works again. A person may have cancelled the rows that took files
        from a folder that is gone: the next row that does will tell."""
        if not self._folders and not self._lost:
            return
        for folder in tuple(self._lost):
            is_back = await self._is_there(folder)
            if is_back or by_person:
                self._lost.pop(folder, None)
            if is_back:
                self._missed.pop(_above(folder), None)
        for out_dir in tuple(self._folders):
            said = await self._look(out_dir)
            if said is None:
                del self._folders[out_dir]
            else:
                self._folders[out_dir] = said
        if not self._folders and not self._lost:
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


def _above(folder: str) -> str:
    return str(PurePath(folder).parent)
