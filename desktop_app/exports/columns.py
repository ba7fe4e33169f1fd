"""What stands in a result sheet: the operator's own columns first and unchanged, then ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from desktop_app.domain.ports import ExportRow
from desktop_app.domain.text import Message

ADDED = (
    "state",
    "output",
    "text",
    "error_class",
    "error",
    "attempts",
    "cost",
    "started_at",
    "ended_at",
    "task_id",
    "request_id",
    "files",
)
PICTURE = "picture"
"""The column before ours that holds small pictures, where somebody wants them."""

OUTPUT_AT = ADDED.index("output")
COST_AT = ADDED.index("cost")
FILES_AT = ADDED.index("files")

_BETWEEN_TEXTS = "\n\n-----\n\n"


def added_names(own: Sequence[str], added: Sequence[str] = ADDED) -> tuple[str, ...]:
    """Our columns' names, prefixed ``bw_`` where the sheet has a column of that name (Excel takes
    names that differ in case only for one)."""
    taken = {name.casefold() for name in own}
    names: list[str] = []
    for name in added:
        while name.casefold() in taken:
            name = f"bw_{name}"
        taken.add(name.casefold())
        names.append(name)
    return tuple(names)


def own_cells(columns: Sequence[str], row: ExportRow) -> tuple[str, ...]:
    """The sheet's own cells, exactly as many as there are columns."""
    cells = row.cells[: len(columns)]
    return cells + ("",) * (len(columns) - len(cells))


def added_values(row: ExportRow, say: Callable[[Message], str]) -> tuple[str | int | None, ...]:
    """Our values in the order of ``ADDED``; None is "nothing". ``output`` is the first file,
    ``files`` are all, a line each."""
    texts = [text for text in (row.text, *(piece.text for piece in row.more)) if text is not None]
    return (
        row.state.word,
        row.output,
        _BETWEEN_TEXTS.join(texts) if texts else row.text,
        row.error_class,
        None if row.error is None else say(row.error),
        row.attempts,
        row.cost,
        _local(row.started_at),
        _local(row.ended_at),
        row.task_id,
        row.request_id,
        "\n".join(files_of(row)) or None,
    )


def files_of(row: ExportRow) -> tuple[str, ...]:
    """Every file of the row, in the order of the answer."""
    return () if row.output is None else (row.output, *(piece.output for piece in row.more))


def as_text(value: str | int | None) -> str:
    """A value in a sheet whose cells are all text."""
    return "" if value is None else str(value)


def _local(at: float | None) -> str | None:
    """Epoch seconds as ISO 8601 in the computer's time zone."""
    if at is None:
        return None
    return datetime.fromtimestamp(at, UTC).astimezone().isoformat(timespec="seconds")
