"""What a cell says in words, for screen readers and for the pointer that rests on it."""

from __future__ import annotations

from collections.abc import Mapping

from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Translator
from desktop_app.domain.views import TaskRow
from desktop_app.ui import words
from desktop_app.ui.grid.columns import Column


def text(tr: Translator, row: TaskRow, column: Column, batch_names: Mapping[int, str]) -> str:
    """What the cell says."""
    match column:
        case Column.NUMBER:
            return str(row.row_no)
        case Column.PICTURE:
            if row.more:
                return tr.plural("{n} result", "{n} results", 1 + len(row.more))
            return tr("has a result") if row.output else ""
        case Column.PROMPT:
            return row.prompt
        case Column.STATE:
            return words.row_word(tr, row, words.now())
        case Column.TRIES:
            return words.tries(row)
        case Column.TIME:
            return words.took(tr, row, words.now())
        case Column.NOTE:
            return words.note(tr, row)
        case Column.BATCH:
            return batch_names.get(row.batch_id, "")


def tip(tr: Translator, row: TaskRow, column: Column, batch_names: Mapping[int, str]) -> str:
    """What the cell says when the pointer rests on it."""
    if column is Column.TRIES and row.tries:
        tried = tr.plural("{n} attempt", "{n} attempts", row.tries)
        spent = tr("{n} of {max} retries used", n=row.retries_spent, max=row.retries_max)
        return f"{tried}, {spent}"
    if column in (Column.TIME, Column.STATE):
        lines = []
        if row.state is TaskState.UNCERTAIN:
            lines.append(tr("It may have been billed, and nobody can be asked."))
        if row.started_at is not None:
            ago = words.relative(tr, row.started_at, words.now())
            lines.append(tr("Started {time} ({ago})", time=words.exact(row.started_at), ago=ago))
        if row.due_at is not None and row.state is TaskState.RETRYING:
            lines.append(tr("Next try {time}", time=words.exact(row.due_at)))
        return "\n".join(lines)
    return text(tr, row, column, batch_names)
