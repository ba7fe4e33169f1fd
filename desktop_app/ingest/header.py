"""Column names: unique, never blank, and really names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop_app.domain.text import OperatorError, message

_NUMBER = re.compile(r"[-+]?[\d.,\s%]+\Z")
_LONGEST_NAME = 300


def column_names(cells: Sequence[str], used: int, file: str) -> tuple[str, ...]:
    """Unique names for the first ``used`` columns: a blank one becomes ``Column 5``, a repeated
    one ``Name (2)``. Raises OperatorError when the row cannot be a header."""
    cells = cells[:used]
    named = [c for c in cells if c.strip()]
    if not named or all(_NUMBER.match(c) for c in named) or max(map(len, named)) > _LONGEST_NAME:
        raise OperatorError(message("ingest.no_header", file=file))
    taken = set(named)
    names: list[str] = []
    for place, cell in enumerate(cells, start=1):
        name = cell if cell.strip() else f"Column {place}"
        if name in names or (not cell.strip() and name in taken):
            name = _free(name, taken)
        taken.add(name)
        names.append(name)
    return tuple(names)


def _free(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name} ({number})" in taken:
        number += 1
    return f"{name} ({number})"
