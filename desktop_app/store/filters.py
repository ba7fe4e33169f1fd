"""A TaskFilter as SQL, written so that SQLite drives from the index that is meant."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.views import TaskFilter


def state_list(states: Iterable[TaskState]) -> str:
    """``1, 2``: states are integers, so they can stand in the SQL."""
    return ", ".join(str(int(state)) for state in sorted(states))


def conditions(
    which: TaskFilter, states: frozenset[TaskState] | None = None
) -> tuple[str, list[Any]]:
    """The WHERE of ``which`` on alias ``t``, with its values.

    ``states`` replaces the filter's own; an empty set means every state. With ``pks`` the other
    columns carry a unary plus: otherwise SQLite would walk the state index for every pk
    (measured: 703 us a row instead of 13.5).
    """
    chosen = which.states if states is None else states
    plus = "" if which.pks is None else "+"
    parts: list[str] = []
    values: list[Any] = []
    if which.pks is not None:
        parts.append("t.id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(list(which.pks)))
    if which.batch_id is not None:
        parts.append(f"{plus}t.batch_id = ?")
        values.append(which.batch_id)
    if chosen:
        parts.append(f"{plus}t.state IN ({state_list(chosen)})")
    if which.cause is not None:
        if chosen and chosen <= DEAD_LETTERS:
            # Said in these very words, or SQLite does not see that the index of causes serves.
            parts.append(f"{plus}t.state IN ({state_list(DEAD_LETTERS)})")
            parts.append(f"{plus}t.error_class IS NOT NULL")
        parts.append(f"{plus}t.error_code = ?")
        values.append(which.cause)
    if which.error_class is not None:
        parts.append("t.error_class = ?")
        values.append(which.error_class)
    if which.cause_or_class is not None:
        parts.append("(t.error_code = ? OR t.error_class = ?)")
        values += [which.cause_or_class] * 2
    if which.text.strip():
        sql, found = _text(which.text.strip())
        parts.append(sql)
        values += found
    return " AND ".join(parts) or "1", values


def _text(text: str) -> tuple[str, list[Any]]:
    pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    options = [
        "t.key LIKE ? ESCAPE '\\'",
        "EXISTS (SELECT 1 FROM payload p WHERE p.task_pk = t.id AND p.prompt LIKE ? ESCAPE '\\')",
    ]
    values: list[Any] = [pattern, pattern]
    number = text.removeprefix("#")
    if number.isascii() and number.isdigit() and len(number) < 10:
        options.append("t.row_no = ?")
        values.append(int(number))
    return f"({' OR '.join(options)})", values
