"""Rows of a failure sheet that came back, each made ready to go on in its batch, or refused: a
person may have changed any cell of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from desktop_app.domain import long_cells
from desktop_app.domain.batch import Batch
from desktop_app.domain.ports import Capabilities, Drafter, SheetInfo, SheetRow
from desktop_app.domain.ports.failure_store import KnownFailure, ReturnedRow
from desktop_app.domain.task import Draft, TaskState
from desktop_app.domain.text import Message, OperatorError, message

_MOVED_ON = {
    TaskState.SUCCESS: "services.returned_done",
    TaskState.RUNNING: "services.returned_running",
    TaskState.PENDING: "services.returned_waiting",
    TaskState.RETRYING: "services.returned_waiting",
    TaskState.CANCELLED: "services.returned_cancelled",
}


@dataclass(frozen=True, slots=True)
class ReturnedLine:
    """A row of the sheet, with what it says in our columns."""

    row_no: int
    task_id: str
    tries: str
    cells: tuple[str, ...]
    problem: Message | None


class Redrafting:
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

    def of(self, line: ReturnedLine, known: KnownFailure) -> Draft | None:
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


def returned_row(
    line: ReturnedLine, known: KnownFailure | None, seen: set[str], drafting: Redrafting
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
    old, new = _plain_ends(old), _plain_ends(new)
    return old == new or long_cells.stands_for(new, old)


def _plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
