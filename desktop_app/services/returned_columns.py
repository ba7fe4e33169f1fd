"""Our own columns in a sheet that we wrote and a person may have rearranged since."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

TASK_ID = "task_id"


@dataclass(frozen=True, slots=True)
class ReturnedColumns:
    """Places of our columns; ``tries_at`` None: a person took that one out."""

    task_id_at: int
    state_at: int
    tries_at: int | None


def our_columns(columns: Sequence[str]) -> ReturnedColumns | None:
    """None where it is no sheet of ours."""
    task_id, state, error = (_at(columns, name) for name in (TASK_ID, "state", "error_class"))
    if task_id is None or state is None or error is None:
        return None
    return ReturnedColumns(task_id, state, _at(columns, "attempts"))


def _at(columns: Sequence[str], name: str) -> int | None:
    """An export puts ``bw_`` before a name that the operator's own sheet has: ours is the longest
    one."""
    ours = re.compile(f"(?:bw_)*{name}", re.IGNORECASE)
    found = [at for at, column in enumerate(columns) if ours.fullmatch(column.strip())]
    return max(found, key=lambda at: len(columns[at].strip()), default=None)
