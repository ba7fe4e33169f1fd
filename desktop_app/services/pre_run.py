"""What a run would be, before anything is imported: rows, calls, cost, time, disk."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Addresses, AddressNews, Drafter, ExportRow, ImportStore, Sheets
from desktop_app.domain.task import Draft, TaskState
from desktop_app.domain.text import Message
from desktop_app.domain.views import BatchSummary
from desktop_app.services.addresses import doubts
from desktop_app.services.asked_before import AskedBefore
from desktop_app.services.budgets import budget_of, check_budgets
from desktop_app.services.disk_need import free_at, need
from desktop_app.services.earlier_runs import EarlierRuns
from desktop_app.services.import_plan import Differences, ImportPlan, PreRun
from desktop_app.services.packed_rows import read_packed
from desktop_app.services.plan_rows import PlanRows
from desktop_app.services.read_ahead import ahead
from desktop_app.services.row_check import RowCheck, RowChecking, found
from desktop_app.services.run_estimate import cost_of, duration_of

_CHUNK = 1_000


class PreRunCheck:
    """``out_dir`` says where a plan's files would go."""

    def __init__(
        self,
        *,
        sheets: Sheets,
        drafter: Drafter,
        rows: PlanRows,
        store: ImportStore,
        runs: EarlierRuns,
        addresses: Addresses,
        out_dir: Callable[[ImportPlan], str],
    ) -> None:
        self._sheets = sheets
        self._drafter = drafter
        self._rows = rows
        self._store = store
        self._runs = runs
        self._addresses = addresses
        self._out_dir = out_dir

    async def check(self, plan: ImportPlan, progress: Callable[[int], None] | None) -> PreRun:
        """Look at every row; ``progress`` hears how many were. Raises OperatorError for an
        unusable mapping. Cancelling it ends the reading."""
        plan = replace(plan, dead={})
        connection = await self._rows.connection(plan)
        caps = await self._rows.caps(plan)
        self._rows.usable(plan, caps)
        check_budgets(connection, budget_of(plan.budget, connection), plan.mapping.params)
        checking = RowChecking(self._sheets, self._drafter, plan, connection, caps)
        looked = await _look(checking, progress)
        news = AddressNews()
        if looked.addresses:
            mimes = caps.references[0].mimes if caps.references else ()
            news = await self._addresses.look(connection, mimes, looked.addresses)
        unsure = doubts(news, looked.more_addresses)
        if news.dead:
            # Once more, so that all that is said of the rows is said without these.
            plan = replace(plan, dead=news.dead)
            looked = await _look(replace(checking, plan=plan), None)
        usable = looked.rows - looked.bad
        calls = usable if plan.max_calls is None else min(usable, plan.max_calls)
        out_dir = self._out_dir(plan)
        free = await asyncio.to_thread(free_at, out_dir)
        mean = await self._store.mean_size(connection.id)
        earlier = tuple(await self._store.find_runs(plan.info.sha256))
        asked = AskedBefore()
        if plan.only_rows is None:
            asked = await self._runs.asked_before(plan)
        if asked.runs:
            earlier = ()  # only runs elsewhere, which say less
        lineage = None if earlier else await self._runs.lineage(plan)
        known = earlier[0] if earlier else lineage or asked.version
        is_all = len(looked.trial) >= usable
        return PreRun(
            rows=looked.rows,
            bad_rows=looked.bad,
            problems=looked.problems,
            out_dir=out_dir,
            paid=not connection.is_free,
            cost=cost_of(
                connection,
                usable,
                looked.results,
                worst=looked.worst,
                budget=plan.budget,
                calls=plan.max_calls,
            ),
            duration=duration_of(
                connection,
                caps,
                calls,
                results=_of(looked.results, calls, usable),
                tokens=_of(looked.tokens, calls, usable),
            ),
            earlier=earlier,
            lineage=lineage,
            asked=asked.runs,
            differs=await self._differs(plan, known),
            duplicates=looked.duplicates,
            duplicate_rows=looked.duplicate_rows,
            skips_duplicates=plan.skip_duplicates,
            calls=calls,
            disk=need(caps.makes, _of(looked.results, calls, usable), mean, free),
            trial=() if is_all else looked.trial,
            trial_problem=looked.trial_problem,
            sample=looked.sample,
            gaps=looked.gaps,
            gap_rows=looked.gap_rows,
            gap_columns=looked.gap_columns,
            dead=news.dead,
            address_doubts=unsure,
        )

    async def unusable(self, plan: ImportPlan) -> AsyncGenerator[Sequence[ExportRow], None]:
        """The rows that can't be used, with why, their number as the first cell. Raises
        OperatorError."""
        caps = await self._rows.caps(plan)
        self._rows.usable(plan, caps)
        async with contextlib.aclosing(ahead(_unusable(self._rows.drafts(plan, caps)))) as chunks:
            async for chunk in chunks:
                yield chunk

    async def _differs(self, plan: ImportPlan, run: BatchSummary | None) -> Differences:
        """Compared only where something can be otherwise: that takes the longest by far."""
        if run is None:
            return Differences()
        batch = run.batch
        is_same = batch.sheet_hash == plan.info.sha256 and batch.mapping == plan.mapping
        if is_same or batch.connection_id != plan.connection_id:
            return Differences()
        return await self._runs.differences(replace(plan, only_rows=None), batch.id)


def _of(results: int, calls: int, rows: int) -> int:
    """How many of the rows' results or tokens these calls bring, in the mean."""
    return results if calls >= rows else -(-results * calls // rows)


def _unusable(drafts: Iterator[Draft]) -> Iterator[Sequence[ExportRow]]:
    rows = (_exported(draft, draft.problem) for draft in drafts if draft.problem is not None)
    while chunk := list(islice(rows, _CHUNK)):
        yield chunk


def _exported(draft: Draft, said: Message) -> ExportRow:
    return ExportRow(
        row_no=draft.row_no,
        cells=(str(draft.row_no), *draft.cells),
        state=TaskState.FAILED,
        output=None,
        text=None,
        error_class=FailureClass.INVALID.value,
        error=said,
        attempts=0,
        cost=None,
        started_at=None,
        ended_at=None,
        task_id="",
        request_id=None,
    )


async def _look(checking: RowChecking, progress: Callable[[int], None] | None) -> RowCheck:
    rows, last = 0, b""
    async with read_packed(checking) as chunks:
        async for chunk in chunks:
            rows, last = rows + chunk.rows, chunk.data
            if progress is not None and not last:
                progress(rows)
    return found(last)
