"""Keeps the list of results in each output folder, behind the commits and in nobody's way."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Container
from itertools import groupby
from typing import TYPE_CHECKING

from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.events import BatchChanged, Event, TasksChanged
from desktop_app.domain.text import OperatorError

if TYPE_CHECKING:
    from desktop_app.domain.ports import Pages
    from desktop_app.domain.ports.manifest import LandedResult, LandedStore, ResultLists

_log = logging.getLogger(__name__)

LOOK_S = 0.5
AGAIN_S = 30.0
END_S = 5.0
_CHUNK = 500


class Manifest:
    """The ids of results count up in the order of commits, so that a list is whole as far as its
    last line goes: what a crash has kept from it is added at the next start. ``begin`` it before
    the engine starts, ``stop`` it after the engine and before the store."""

    def __init__(
        self, *, store: LandedStore, lists: ResultLists, pages: Pages, bus: Bus, clock: Clock
    ) -> None:
        self._store = store
        self._lists = lists
        self._pages = pages
        self._bus = bus
        self._clock = clock
        self._stirred = asyncio.Event()
        self._deaf: Callable[[], None] = lambda: None
        self._task: asyncio.Task[None] | None = None
        self._at = 0
        self._behind: dict[int, str] = {}  # batch -> folder: not whole, and why is not known
        self._looked = False
        self._again_at = 0.0

    def begin(self) -> None:
        """Follow from now on."""
        self._deaf = self._bus.subscribe(self._hear)
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """List what has landed, within a few seconds: what is left is for the next start."""
        self._deaf()
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._last_look(), END_S)

    def _hear(self, event: Event) -> None:
        if isinstance(event, TasksChanged | BatchChanged):
            self._stirred.set()

    async def _run(self) -> None:
        await self._safely(self._look_back())
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            await self._clock.sleep(LOOK_S)
            await self._safely(self._follow())

    async def _last_look(self) -> None:
        if not self._looked:
            await self._safely(self._look_back())
        await self._safely(self._follow())

    @staticmethod
    async def _safely(work: Awaitable[None]) -> None:
        """A list is a convenience: whatever befalls it stops nothing."""
        try:
            await work
        except (LocalTrouble, OperatorError) as trouble:
            _log.info("a list of results waits: %s", trouble.message.code)
        except Exception:
            _log.exception("a list of results could not be kept")

    async def _look_back(self) -> None:
        """Make whole what an earlier run left: of batches with work to come, and of finished ones
        that have a list."""
        self._at = await self._store.newest()
        for summary in await self._pages.batches():
            batch = summary.batch
            if not summary.ledger.success:
                continue
            if batch.finished_at is None or await self._is_listed(batch.id, batch.out_dir):
                self._behind[batch.id] = batch.out_dir
        self._looked = True
        await self._catch_up()

    async def _is_listed(self, batch_id: int, out_dir: str) -> bool:
        last = await self._lists.last(out_dir, batch_id)
        return last is not None and last.there

    async def _follow(self) -> None:
        newest = await self._store.newest()
        self._at = min(self._at, newest)
        while landed := await self._store.landed(self._at, _CHUNK):
            for (batch_id, out_dir), results in groupby(
                landed, key=lambda each: (each.batch_id, each.out_dir)
            ):
                if batch_id not in self._behind and not await self._append(out_dir, [*results]):
                    self._behind[batch_id] = out_dir
            self._at = landed[-1].id
        if self._behind and self._clock.monotonic() >= self._again_at:
            await self._catch_up()

    async def _catch_up(self) -> None:
        for batch_id, out_dir in list(self._behind.items()):
            if await self._make_whole(batch_id, out_dir):
                self._behind.pop(batch_id, None)
        self._again_at = self._clock.monotonic() + AGAIN_S

    async def _make_whole(self, batch_id: int, out_dir: str) -> bool:
        last = await self._lists.last(out_dir, batch_id)
        if last is None:
            return False
        listed: Container[tuple[str, str]] = ()
        at = last.result
        if at and not await self._is_of_this_store(batch_id, last.result, last.task_id):
            # Another store's, or a copy of this one was brought back: ids tell nothing.
            at, listed = 0, await self._lists.listed(out_dir, batch_id)
        while landed := await self._store.landed(at, _CHUNK, batch_id):
            missing = [
                each
                for each in landed
                if each.id <= self._at  # what comes after is followed
                and (each.records[0]["task_id"], each.records[0]["file"]) not in listed
            ]
            if missing and not await self._append(out_dir, missing):
                return False
            at = landed[-1].id
            if at >= self._at:
                break
        return True

    async def _is_of_this_store(self, batch_id: int, result: int, task_id: str) -> bool:
        found = await self._store.landed(result - 1, 1, batch_id)
        return bool(found) and found[0].id == result and found[0].records[0]["task_id"] == task_id

    async def _append(self, out_dir: str, results: list[LandedResult]) -> bool:
        return await self._lists.append(
            out_dir, [record for result in results for record in result.records]
        )
