"""One JSON object a row, for whoever goes on with a program."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from desktop_app.domain.ports import ExportRow
from desktop_app.domain.text import Message
from desktop_app.exports.columns import (
    ADDED,
    FILES_AT,
    added_names,
    added_values,
    files_of,
    own_cells,
)

REASONING = "reasoning"
"""What the model said to itself first: too long for a cell, and nothing a person reads there."""


class JsonlSheet:
    """UTF-8, one object a line, keys in column order; what there is not is null. ``files`` is a
    list, and ``reasoning`` stands behind our columns."""

    def __init__(self, path: Path, columns: tuple[str, ...], say: Callable[[Message], str]) -> None:
        self._columns = columns
        self._say = say
        self._names = columns + added_names(columns, (*ADDED, REASONING))
        self._files = self._names[len(columns) + FILES_AT]
        self._file = path.open("w", encoding="utf-8", errors="replace", newline="\n")

    def add(self, rows: Sequence[ExportRow]) -> None:
        """Write a chunk."""
        for row in rows:
            values = (*own_cells(self._columns, row), *added_values(row, self._say), row.thinking)
            record: dict[str, Any] = dict(zip(self._names, values, strict=True))
            record[self._files] = files_of(row)
            self._file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def close(self) -> None:
        """Finish the file."""
        self._file.close()

    def discard(self) -> None:
        """Give up."""
        self._file.close()
