"""A sheet that ran before: what it says otherwise now, and how its batch is brought up to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import replace

from desktop_app.domain.batch import Batch
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import Clock
from desktop_app.domain.events import BatchChanged
from desktop_app.domain.ports import ImportStore, Updated
from desktop_app.domain.views import BatchSummary
from desktop_app.services.import_plan import Differences, ImportPlan
from desktop_app.services.plan_rows import PlanRows
from desktop_app.services.sheet_changes import SheetChanges, compare, differences, failed_or_new


class EarlierRuns:
    """``as_batch`` says how a plan would be filed as a new batch."""

    def __init__(
        self,
        *,
        rows: PlanRows,
        store: ImportStore,
        clock: Clock,
        bus: Bus,
        as_batch: Callable[[ImportPlan], Batch],
    ) -> None:
        self._rows = rows
        self._store = store
        self._clock = clock
        self._bus = bus
        self._as_batch = as_batch

    async def failed_and_new_rows(self, plan: ImportPlan, batch_id: int) -> frozenset[int]:
        """Row numbers that the earlier run did not finish: "only failed and new rows"."""
        caps = await self._rows.caps(plan)
        known = await self._store.known_rows(batch_id)
        whole = replace(plan, only_rows=None)
        return await asyncio.to_thread(lambda: failed_or_new(known, self._rows.drafts(whole, caps)))

    async def lineage(self, plan: ImportPlan) -> BatchSummary | None:
        """The newest run of this sheet on this connection, as it is or in an earlier version, and
        rather one that sent something. None where there is none."""
        return await self._store.find_lineage(str(plan.info.path), plan.connection_id)

    async def changed_rows(self, plan: ImportPlan, batch_id: int) -> SheetChanges:
        """What this sheet says otherwise than the batch. Raises OperatorError."""
        caps = await self._rows.caps(plan)
        self._rows.usable(plan, caps)
        known = await self._store.known_rows(batch_id, plan.info.columns)
        whole = replace(plan, only_rows=None, limit=None)
        return await asyncio.to_thread(
            lambda: compare(known, self._rows.drafts(whole, caps), plan.limit)
        )

    async def differences(self, plan: ImportPlan, batch_id: int) -> Differences:
        """What ``update`` would do. Raises OperatorError."""
        return differences(
            await self._rows.connection(plan), await self.changed_rows(plan, batch_id)
        )

    async def update(
        self,
        plan: ImportPlan,
        batch_id: int,
        *,
        again: Collection[int] = (),
        cancel_gone: bool = False,
    ) -> Updated:
        """Bring the batch up to this sheet: changed rows become newer editions, new ones come
        in. Of the rows that may be paid already only those of ``again`` (pks) run once more, a
        running one when it has come to its end. Raises OperatorError."""
        changes = await self.changed_rows(plan, batch_id)
        filed = replace(self._as_batch(plan), id=batch_id)
        done = await self._store.update(
            filed,
            changes.every,
            self._clock.now(),
            again=again,
            gone=changes.waiting_gone if cancel_gone else (),
        )
        new = await self._store.extend(batch_id, changes.new) if changes.new else 0
        self._bus.publish(BatchChanged(batch_id))
        return replace(done, new=new)
