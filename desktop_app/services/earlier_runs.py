"""A sheet that ran before: what it says otherwise now, what of it is done already, and how its
batch is brought up to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

from desktop_app.domain.batch import Batch
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import Clock
from desktop_app.domain.connection import Connection
from desktop_app.domain.events import BatchChanged
from desktop_app.domain.ports import ImportStore, KnownRow, Updated
from desktop_app.domain.task import Draft
from desktop_app.domain.text import OperatorError, message
from desktop_app.domain.views import BatchSummary
from desktop_app.services.asked_before import AskedBefore, Asking, found
from desktop_app.services.beside import Beside
from desktop_app.services.import_plan import WHOLE, Differences, Earlier, ImportPlan, fingerprint
from desktop_app.services.packed_rows import APART, is_long, read_packed
from desktop_app.services.plan_rows import PlanRows
from desktop_app.services.sheet_changes import (
    SheetChanges,
    Standing,
    compare,
    differences,
    standing,
)


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
        self._beside = Beside(rows, store)

    async def check_unchanged(self, plan: ImportPlan) -> None:
        """Raises OperatorError (``services.sheet_changed``) where the operator's file holds
        something else than what was opened: what was looked at is not what is meant any more.
        ``open`` it anew."""
        info = plan.info
        if await asyncio.to_thread(self._rows.sheets.is_changed, info):
            raise OperatorError(message("services.sheet_changed", sheet=info.path.name))

    async def earlier(self, plan: ImportPlan) -> list[BatchSummary]:
        """The runs of this sheet, as it is or in an earlier version, newest first. Those on the
        plan's connection; where it has none, those of the same bytes on others."""
        same = await self._store.find_runs(plan.info.sha256)
        named = await self._store.find_sheet(str(plan.info.path), plan.connection_id)
        runs = {run.batch.id: run for run in (*same, *named)}
        newest = [runs[ident] for ident in sorted(runs, reverse=True)]
        mine = [run for run in newest if run.batch.connection_id == plan.connection_id]
        return mine or newest

    async def lineage(self, plan: ImportPlan) -> BatchSummary | None:
        """The newest run of this sheet on this connection, as it is or in an earlier version, and
        rather one that sent something. None where there is none."""
        return await self._store.find_lineage(str(plan.info.path), plan.connection_id)

    async def same_run(self, plan: ImportPlan) -> Batch | None:
        """The newest run that goes on with this plan: of the same rows, else one that took a part
        of them, since others were done elsewhere."""
        mark = fingerprint(plan)
        found = await self._store.find_fingerprint(mark)
        if found is not None:
            return found
        runs = await self._store.find_runs(plan.info.sha256)
        return next((run.batch for run in runs if run.batch.options.get(WHOLE) == mark), None)

    async def asked_before(self, plan: ImportPlan) -> AskedBefore:
        """Runs of other sheets on this connection that rows of this one were asked for in. Nothing
        where this sheet ran on it, by its path or as it is. Raises OperatorError."""
        on = plan.connection_id
        if any(run.batch.connection_id == on for run in await self.earlier(plan)):
            return AskedBefore()
        return await self._asked_in_others(plan, ())

    async def _asked_in_others(self, plan: ImportPlan, own: Collection[int]) -> AskedBefore:
        """``own`` are the ids of runs that are looked at otherwise."""
        every = await self._store.find_asked(plan.connection_id)
        runs = [run for run in every if run.batch.id not in own]
        if not runs:
            return AskedBefore()
        connection, caps = await self._rows.connection(plan), await self._rows.caps(plan)
        self._rows.usable(plan, caps)
        by_id = {run.batch.id: run for run in runs}
        whole = replace(plan, only_rows=None, limit=None)
        rows = sum(run.ledger.imported for run in runs)
        asking = Asking(
            self._rows.sheets,
            self._rows.drafter,
            whole,
            caps,
            await self._store.asked_source(list(by_id)),
            is_long=is_long(whole) or rows >= APART,
        )
        data = b""
        async with read_packed(asking) as chunks:
            async for chunk in chunks:
                data = chunk.data
        return found(data).of(by_id, paid=not connection.is_free)

    async def rows_for(self, plan: ImportPlan, choice: Earlier) -> frozenset[int] | None:
        """The numbers of the rows that a new run takes under this choice: SKIP leaves out what any
        earlier run has done, has on its way or may have been billed for; FAILED takes of the rest
        what failed or was cancelled. None: all. CHANGED makes no new run: see ``update``."""
        if choice not in {Earlier.SKIP, Earlier.FAILED}:
            return None
        asked = await self.asked_before(plan)
        if asked.runs:
            return asked.rows_for(choice)
        own = [run.batch.id for run in await self.earlier(plan) if run.ledger.imported]
        stands = [await self._standing(plan, batch_id) for batch_id in own]
        if not stands:
            return None if choice is Earlier.SKIP else frozenset()
        settled = frozenset[int]().union(*(stand.settled for stand in stands))
        # A run of a part of the sheet left out what other sheets' runs have done.
        settled |= (await self._asked_in_others(plan, own)).settled
        if choice is Earlier.FAILED:
            return frozenset[int]().union(*(stand.over for stand in stands)) - settled
        return stands[0].every - settled

    async def changed_rows(self, plan: ImportPlan, batch_id: int) -> SheetChanges:
        """What this sheet says otherwise than the batch; rows that other runs have done don't come
        in as new. Raises OperatorError."""
        settled = await self._settled_elsewhere(plan, batch_id)
        return await self._compared(replace(plan, only_rows=None), batch_id, settled)

    async def extend(self, plan: ImportPlan, batch_id: int) -> int:
        """Add the rows that the plan takes, the batch does not have and no other run has done;
        returns how many. Raises OperatorError."""
        missing = (await self._compared(plan, batch_id)).new
        if missing:  # only then: what other runs have done takes long to see
            settled = await self._settled_elsewhere(plan, batch_id)
            if settled:
                missing = (await self._compared(plan, batch_id, settled)).new
        return await self._store.extend(batch_id, missing) if missing else 0

    async def differences(self, plan: ImportPlan, batch_id: int) -> Differences:
        """What ``update`` would do. Raises OperatorError."""
        connection, caps = await self._rows.connection(plan), await self._rows.caps(plan)
        self._rows.usable(plan, caps)
        settled = await self._settled_elsewhere(plan, batch_id)
        differing = partial(_differing, connection, plan.limit, settled)
        whole = replace(plan, only_rows=None, limit=None)
        found: Differences = await self._beside.of(whole, batch_id, plan.info.columns, differing)
        return found

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
        running one when it has come to its end. Raises OperatorError, also for a sheet that was
        changed since it was opened."""
        await self.check_unchanged(plan)
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

    async def _compared(
        self, plan: ImportPlan, batch_id: int, settled: Collection[int] = ()
    ) -> SheetChanges:
        caps = await self._rows.caps(plan)
        self._rows.usable(plan, caps)
        compared = partial(_compared, plan.limit, settled)
        whole = replace(plan, limit=None)
        found: SheetChanges = await self._beside.of(whole, batch_id, plan.info.columns, compared)
        return found

    async def _settled_elsewhere(self, plan: ImportPlan, batch_id: int) -> frozenset[int]:
        """Only runs of a part of the sheet have others beside them to look at, be they of other
        sheets."""
        own = await self.earlier(plan)
        asked = await self._asked_in_others(plan, {batch_id, *(run.batch.id for run in own)})
        others = [
            run
            for run in own
            if run.batch.id != batch_id
            and run.ledger.attempts
            and run.batch.connection_id == plan.connection_id
        ]
        stands = [await self._standing(plan, run.batch.id) for run in others]
        elsewhere = asked.settled if asked.paid else frozenset[int]()
        return elsewhere.union(*(stand.settled for stand in stands))

    async def _standing(self, plan: ImportPlan, batch_id: int) -> Standing:
        whole = replace(plan, only_rows=None, limit=None)
        found: Standing = await self._beside.of(whole, batch_id, None, standing)
        return found


def _compared(
    limit: int | None,
    settled: Collection[int],
    known: Sequence[KnownRow],
    drafts: Iterable[Draft],
) -> SheetChanges:
    return compare(known, drafts, limit, settled)


def _differing(
    connection: Connection,
    limit: int | None,
    settled: Collection[int],
    known: Sequence[KnownRow],
    drafts: Iterable[Draft],
) -> Differences:
    return differences(connection, compare(known, drafts, limit, settled))
