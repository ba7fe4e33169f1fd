"""From a checked sheet to a running batch: can be stopped until it is imported, never after."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from desktop_app.domain.batch import BatchPriority
from desktop_app.domain.text import OperatorError
from desktop_app.domain.views import BatchSummary
from desktop_app.services.import_batch import ImportPlan
from desktop_app.ui.context import UiContext


@dataclass(frozen=True, slots=True)
class Taken:
    """An earlier run to be brought up to the sheet; ``again`` are the paid rows (pks) that run
    once more."""

    run: BatchSummary
    again: frozenset[int]
    cancels_gone: bool


class Host(Protocol):
    """The dialog around the import."""

    locked: bool

    def imported(self) -> None:
        """It is in the store, and is started next."""

    def stopped(self) -> None:
        """The operator stopped it; nothing was kept."""


class ImportRun:
    """One import at a time. ``show_importing`` hears when one begins and ends."""

    def __init__(
        self, context: UiContext, host: Host, show_importing: Callable[[bool], None]
    ) -> None:
        self._context = context
        self._host = host
        self._show = show_importing
        self._task: asyncio.Task[None] | None = None
        self._can_stop = True

    @property
    def is_running(self) -> bool:
        """Whether there is one to stop."""
        return self._task is not None

    def stop(self) -> None:
        """Stop it; nothing of it is kept. An earlier run is brought up to the sheet in parts, so
        that is never left half done."""
        if self._task is not None and self._can_stop:
            self._task.cancel()

    async def run(
        self,
        plan: ImportPlan,
        changed_of: Taken | None,
        progressed: Callable[[int], None],
        priority: BatchPriority = BatchPriority.NORMAL,
    ) -> int | None:
        """Import and start. The batch's id, or None where an import runs already.

        ``changed_of``: the earlier run that is brought up to this sheet instead of a new one made;
        it keeps its own priority where this one is normal.
        """
        if self._task is not None:
            return None
        self._task = asyncio.current_task()
        self._can_stop = changed_of is None
        self._show(True)
        try:
            batch_id = await self._imported(plan, changed_of, progressed)
            # Imported is imported: from here on neither closing nor one more Enter may undo or
            # repeat it.
            self._can_stop = False
            self._host.locked = True
            await self._start(batch_id, priority)
        finally:
            self._task = None
            self._host.locked = False
            self._show(False)
        return batch_id

    async def _imported(
        self,
        plan: ImportPlan,
        changed_of: Taken | None,
        progressed: Callable[[int], None],
    ) -> int:
        try:
            batch_id = await self._make(plan, changed_of, progressed)
        except asyncio.CancelledError:
            self._host.stopped()
            raise
        self._host.imported()
        return batch_id

    async def _start(self, batch_id: int, priority: BatchPriority) -> None:
        try:
            if priority is not BatchPriority.NORMAL:
                await self._context.services.priorities.set(batch_id, priority)
            await self._context.services.runs.start(batch_id)
        except OperatorError as error:
            self._context.say_error(error.message)

    def _make(
        self,
        plan: ImportPlan,
        changed_of: Taken | None,
        progressed: Callable[[int], None],
    ) -> Awaitable[int]:
        if changed_of is None:
            return self._context.services.imports.run(plan, progressed)
        return self._update(plan, changed_of)

    async def _update(self, plan: ImportPlan, taken: Taken) -> int:
        batch_id = taken.run.batch.id
        await self._context.services.imports.update(
            plan, batch_id, again=taken.again, cancel_gone=taken.cancels_gone
        )
        await self._context.services.runs.cap(batch_id, plan.max_calls, plan.budget)
        return batch_id
