"""A failure sheet that comes back: its rows go on in the batch they are of, each once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from desktop_app.domain import long_cells
from desktop_app.domain.batch import Batch
from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import (
    Adapters,
    Capabilities,
    ConnectionStore,
    Drafter,
    Pages,
    SheetInfo,
    SheetRow,
    Sheets,
)
from desktop_app.domain.ports.failure_store import FailureStore, KnownFailure, ReturnedRow
from desktop_app.domain.task import DEAD_LETTERS, Draft, TaskState
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import Doubts, TaskFilter
from desktop_app.services.dead_letters import DeadLetters
from desktop_app.services.import_batch import ImportBatch
from desktop_app.services.plan_rows import caps_of
from desktop_app.services.returned_columns import TASK_ID, ReturnedColumns
from desktop_app.services.returned_sheet import own_table

_FAILED = {state.word for state in DEAD_LETTERS}
_MOVED_ON = {
    TaskState.SUCCESS: "services.returned_done",
    TaskState.RUNNING: "services.returned_running",
    TaskState.PENDING: "services.returned_waiting",
    TaskState.RETRYING: "services.returned_waiting",
    TaskState.CANCELLED: "services.returned_cancelled",
}


@dataclass(frozen=True, slots=True)
class ReturnPlan:
    """What requeuing a failure sheet would do. ``rows`` go back, ``doubtful`` ones only where a
    person says so (``doubts`` prices that), ``refused`` says of each other one why not."""

    info: SheetInfo
    rows: tuple[ReturnedRow, ...] = ()
    doubtful: tuple[ReturnedRow, ...] = ()
    refused: tuple[Message, ...] = ()
    doubts: Doubts = field(default_factory=Doubts)
    batches: tuple[Batch, ...] = ()

    def taken(self, *, uncertain: bool) -> tuple[ReturnedRow, ...]:
        """Those that go back."""
        return self.rows + self.doubtful if uncertain else self.rows

    def edited(self, *, uncertain: bool) -> int:
        """How many of those a person has changed in the sheet."""
        return sum(row.draft is not None for row in self.taken(uncertain=uncertain))


@dataclass(frozen=True, slots=True)
class _Line:
    row_no: int
    task_id: str
    tries: str
    cells: tuple[str, ...]
    problem: Message | None


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
            lines = await asyncio.to_thread(self._lines, table.info, table.columns)
        finally:
            await self._imports.forget(table.info)
        return await self._plan(table.info, lines) if lines else None

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

    def _lines(self, info: SheetInfo, ours: ReturnedColumns) -> list[_Line]:
        return [
            _Line(
                row.row_no,
                row.cells[ours.task_id_at].strip(),
                "" if ours.tries_at is None else row.cells[ours.tries_at].strip(),
                row.cells,
                row.problem,
            )
            for row in self._sheets.rows(info)
            if row.cells[ours.state_at].strip().casefold() in _FAILED
        ]

    async def _plan(self, info: SheetInfo, lines: Sequence[_Line]) -> ReturnPlan:
        found = await self._store.failures([line.task_id for line in lines])
        known = {row.task_id: row for row in found}
        batches = await self._batches({row.batch_id for row in found})
        caps = {batch.id: await self._caps(batch) for batch in batches.values()}
        drafting = _Drafting(self._drafter, info, batches, caps)

        def sort() -> ReturnPlan:
            rows: list[ReturnedRow] = []
            refused: list[Message] = []
            seen: set[str] = set()
            for line in lines:
                try:
                    rows.append(_returned(line, known.get(line.task_id), seen, drafting))
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


class _Drafting:
    """Makes of a changed row what its batch's mapping makes of it."""

    def __init__(
        self,
        drafter: Drafter,
        info: SheetInfo,
        batches: Mapping[int, Batch],
        caps: Mapping[int, Capabilities],
    ) -> None:
        self._drafter = drafter
        self._batches = batches
        self._caps = caps
        self._places = {
            batch.id: [
                info.columns.index(name) if name in info.columns else None for name in batch.columns
            ]
            for batch in batches.values()
        }
        # Pictures that cells name lie beside the sheet that was imported.
        self._infos = {
            batch.id: replace(info, path=Path(batch.sheet_path), columns=batch.columns)
            for batch in batches.values()
        }

    def of(self, line: _Line, known: KnownFailure) -> Draft | None:
        """None where nothing was changed. Raises OperatorError for a row that can't be used."""
        batch = self._batches[known.batch_id]
        before = known.cells + ("",) * (len(batch.columns) - len(known.cells))
        cells: list[str] = []
        for name, at, old in zip(batch.columns, self._places[batch.id], before, strict=False):
            new = old if at is None else line.cells[at]
            if _is_same(old, new):
                new = old
            elif long_cells.is_marked(new) and long_cells.is_too_long(old):
                raise OperatorError(message("services.returned_cut", row=known.row_no, column=name))
            cells.append(new)
        if tuple(cells) == before:
            return None
        draft = self._draft(batch, known.row_no, cells)
        if draft.problem is not None:
            raise OperatorError(draft.problem)
        asked = self._draft(batch, known.row_no, before)
        if draft.request is None or asked.request is None:
            return draft
        if draft.request.prompt != asked.request.prompt:
            return draft
        # The sheet has the prompt as it was imported; it may have been edited in the window since.
        return replace(draft, request=replace(draft.request, prompt=known.prompt))

    def _draft(self, batch: Batch, row_no: int, cells: Sequence[str]) -> Draft:
        info, caps = self._infos[batch.id], self._caps[batch.id]
        return self._drafter.draft(info, batch.mapping, caps, SheetRow(row_no, tuple(cells)))


def _returned(
    line: _Line, known: KnownFailure | None, seen: set[str], drafting: _Drafting
) -> ReturnedRow:
    """Raises OperatorError with why the row can't go back."""
    if line.problem is not None:
        raise OperatorError(line.problem)
    if not line.task_id:
        raise OperatorError(message("services.returned_unnamed", row=line.row_no))
    if known is None:
        raise OperatorError(message("services.returned_unknown", row=line.row_no))
    if line.task_id in seen:
        raise OperatorError(message("services.returned_twice", row=known.row_no))
    seen.add(line.task_id)
    if known.state in _MOVED_ON:
        raise OperatorError(message(_MOVED_ON[known.state], row=known.row_no))
    if line.tries and line.tries != str(known.tries):
        raise OperatorError(message("services.returned_tried", row=known.row_no))
    draft = drafting.of(line, known)
    if draft is None and not known.usable:
        raise OperatorError(message("services.returned_unusable", row=known.row_no))
    return ReturnedRow(known, draft)


def _is_same(old: str, new: str) -> bool:
    """Whether a person has left a cell alone; Excel writes ends of lines in its own way."""
    if old == new:
        return True
    old, new = _lines(old), _lines(new)
    return old == new or long_cells.stands_for(new, old)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
