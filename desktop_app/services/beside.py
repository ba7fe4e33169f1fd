"""A sheet beside what a batch has of it: a long one in a process of its own, any other in a thread
that no caller leaves reading behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from desktop_app.domain.ports import ImportStore
from desktop_app.domain.task import Draft
from desktop_app.services.comparing import Comparing, Work, made
from desktop_app.services.import_plan import ImportPlan
from desktop_app.services.packed_rows import is_long, read_packed
from desktop_app.services.plan_rows import PlanRows

T = TypeVar("T")


class Beside:
    """``of`` reads both."""

    def __init__(self, rows: PlanRows, store: ImportStore) -> None:
        self._rows = rows
        self._store = store

    async def of(
        self, plan: ImportPlan, batch_id: int, columns: Sequence[str] | None, work: Work
    ) -> Any:
        """What ``work`` makes of the batch's rows and the plan's. Cancelling it ends the
        reading."""
        caps, rows, store = await self._rows.caps(plan), self._rows, self._store
        if not is_long(plan):
            known = await store.known_rows(batch_id, columns)
            return await _in_thread(
                lambda drafts: work(known, drafts), lambda: rows.drafts(plan, caps)
            )
        source = await store.known_source(batch_id, columns)
        comparing = Comparing(rows.sheets, rows.drafter, plan, caps, source, work)
        data = b""
        async with read_packed(comparing) as chunks:
            async for chunk in chunks:
                data = chunk.data
        return made(data)


class _Unwanted(Exception):
    """Nobody waits for the answer any more."""


async def _in_thread(
    work: Callable[[Iterable[Draft]], T], drafts: Callable[[], Iterator[Draft]]
) -> T:
    """``work`` on the drafts in a worker thread; where the caller is cancelled it ends with the
    next row, so that no thread reads on behind a closed window."""
    unwanted = threading.Event()

    def watched() -> Iterator[Draft]:
        for draft in drafts():
            if unwanted.is_set():
                raise _Unwanted
            yield draft

    try:
        return await asyncio.to_thread(lambda: work(watched()))
    except asyncio.CancelledError:
        unwanted.set()
        raise
