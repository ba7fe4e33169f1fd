"""A failure sheet that comes back: its rows go on in the batch they are of, each once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from desktop_app.domain.batch import Batch, RunState
from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import (
    Adapters,
    Capabilities,
    ConnectionStore,
    Drafter,
    Pages,
    SheetInfo,
    Sheets,
)
from desktop_app.domain.ports.failure_store import FailureStore, ReturnedRow
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import Doubts, TaskFilter
from desktop_app.services.dead_letters import DeadLetters
from desktop_app.services.import_batch import ImportBatch
from desktop_app.services.plan_rows import caps_of
from desktop_app.services.returned_columns import TASK_ID, ReturnedColumns
from desktop_app.services.returned_rows import Redrafting, ReturnedLine, returned_row
from desktop_app.services.returned_sheet import own_table

_FAILED = {state.word for state in DEAD_LETTERS}
_OTHERS = {state.word for state in TaskState} - _FAILED


@dataclass(frozen=True, slots=True)
class ReturnPlan:
    """What requeuing a failure sheet would do. ``rows`` go back, ``doubtful`` ones only where a
    person says so (``doubts`` prices that), ``refused`` says of each other one why not.
    ``others``: rows of the sheet that have not failed; one that has such is of results."""

    info: SheetInfo
    rows: tuple[ReturnedRow, ...] = ()
    doubtful: tuple[ReturnedRow, ...] = ()
    refused: tuple[Message, ...] = ()
    doubts: Doubts = field(default_factory=Doubts)
    batches: tuple[Batch, ...] = ()
    others: int = 0

    @property
    def held(self) -> tuple[int, ...]:
        """Of the batches, those that stand still: their rows wait until a person resumes them."""
        return tuple(b.id for b in self.batches if b.run_state is not RunState.RUNNING)

    def taken(self, *, uncertain: bool) -> tuple[ReturnedRow, ...]:
        """Those that go back."""
        return self.rows + self.doubtful if uncertain else self.rows

    def edited(self, *, uncertain: bool) -> int:
        """How many of those a person has changed in the sheet."""
        return sum(row.draft is not None for row in self.taken(uncertain=uncertain))


class FailureSheets:
    """``may_be`` is a cheap look whether a file may be a sheet of ours, in any thread; ``wake``
    tells the engine to look again."""

    def __init__(
        self,
        *,
        imports: ImportBatch,
        sheets: Sheets,
        drafter: Drafter,
        store: FailureStore,
        pages: Pages,
        connections: ConnectionStore,
        adapters: Adapters,
        dead_letters: DeadLetters,
        clock: Clock,
        wake: Callable[[], None],
        may_be: Callable[[Path, str], bool],
    ) -> None:
        self._imports = imports
        self._sheets = sheets
        self._drafter = drafter
        self._store = store
        self._pages = pages
        self._connections = connections
        self._adapters = adapters
        self._dead_letters = dead_letters
        self._clock = clock
        self._wake = wake
        self._may_be = may_be

    async def look(self, path: Path) -> ReturnPlan | None:
        """What requeuing the sheet would do; None where it is no failure sheet of ours. Raises
        OperatorError where it can't be read."""
        if not await asyncio.to_thread(self._may_be, path, TASK_ID):
            return None
        table = await own_table(self._imports, path)
        if table is None:
            return None
        try:
            lines, others = await asyncio.to_thread(self._lines, table.info, table.columns)
        finally:
            await self._imports.forget(table.info)
        if not lines:
            return None
        return replace(await self._plan(table.info, lines), others=others)

    async def requeue(self, plan: ReturnPlan, *, uncertain: bool = False) -> int:
        """Back into the queue in one commit; returns how many. Rows that moved on since ``look``
        are left. ``uncertain``: those too that may have been billed. Raises OperatorError where the
        sheet was changed since ``look``."""
        if await asyncio.to_thread(self._sheets.is_changed, plan.info):
            raise OperatorError(message("services.sheet_changed", sheet=plan.info.path.name))
        rows = plan.taken(uncertain=uncertain)
        back = await self._store.take_back(rows, self._clock.now()) if rows else ()
        self._wake()
        return len(back)

    def _lines(self, info: SheetInfo, ours: ReturnedColumns) -> tuple[list[ReturnedLine], int]:
        """The failed rows, and how many others there are."""
        lines: list[ReturnedLine] = []
        others = 0
        for row in self._sheets.rows(info):
            state = row.cells[ours.state_at].strip().casefold()
            if state not in _FAILED:
                others += state in _OTHERS
                continue
            tries = "" if ours.tries_at is None else row.cells[ours.tries_at].strip()
            task_id = row.cells[ours.task_id_at].strip()
            lines.append(ReturnedLine(row.row_no, task_id, tries, row.cells, row.problem))
        return lines, others

    async def _plan(self, info: SheetInfo, lines: Sequence[ReturnedLine]) -> ReturnPlan:
        found = await self._store.failures([line.task_id for line in lines])
        known = {row.task_id: row for row in found}
        batches = await self._batches({row.batch_id for row in found})
        caps = {batch.id: await self._caps(batch) for batch in batches.values()}
        drafting = Redrafting(self._drafter, info, batches, caps)

        def sort() -> ReturnPlan:
            rows: list[ReturnedRow] = []
            refused: list[Message] = []
            seen: set[str] = set()
            for line in lines:
                try:
                    rows.append(returned_row(line, known.get(line.task_id), seen, drafting))
                except OperatorError as error:
                    refused.append(error.message)
            doubtful = [row for row in rows if row.known.state is TaskState.UNCERTAIN]
            sure = [row for row in rows if row.known.state is not TaskState.UNCERTAIN]
            return ReturnPlan(info, tuple(sure), tuple(doubtful), tuple(refused))

        plan = await asyncio.to_thread(sort)
        pks = tuple(row.known.pk for row in plan.doubtful)
        doubts = await self._dead_letters.doubts(TaskFilter(pks=pks)) if pks else Doubts()
        return replace(plan, doubts=doubts, batches=tuple(batches.values()))

    async def _batches(self, ids: Iterable[int]) -> dict[int, Batch]:
        found = [await self._pages.batch_summary(batch_id) for batch_id in sorted(ids)]
        return {summary.batch.id: summary.batch for summary in found if summary is not None}

    async def _caps(self, batch: Batch) -> Capabilities:
        connection = await self._connections.get(batch.connection_id)
        if connection is None or connection.adapter not in self._adapters.names():
            raise OperatorError(message("services.no_connection"))
        return caps_of(self._adapters, connection, batch.mapping)
