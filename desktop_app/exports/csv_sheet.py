"""CSV that Excel and WPS open rightly by double click, in which no cell can act as a formula."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

from desktop_app.domain import guard
from desktop_app.domain.ports import ExportRow
from desktop_app.domain.text import Message
from desktop_app.exports.columns import added_names, added_values, as_text, own_cells


class CsvSheet:
    """UTF-8 with a mark (without it Excel shows Chinese as noise), CRLF, commas. Cells that a
    spreadsheet might run get a leading apostrophe, and the last column names them, so that an
    import restores them exactly."""

    def __init__(self, path: Path, columns: tuple[str, ...], say: Callable[[Message], str]) -> None:
        self._columns = columns
        self._say = say
        self._names = columns + added_names(columns)
        self._file = path.open("w", encoding="utf-8-sig", errors="replace", newline="")
        self._writer = csv.writer(self._file, quoting=csv.QUOTE_MINIMAL)
        header = [guard.guard_header(name) for name in self._names]
        self._writer.writerow([*header, guard.GUARD_COLUMN])

    def add(self, rows: Sequence[ExportRow]) -> None:
        """Write a chunk."""
        for row in rows:
            added = map(as_text, added_values(row, self._say))
            self._writer.writerow(self._guarded([*own_cells(self._columns, row), *added]))

    def close(self) -> None:
        """Finish the file."""
        self._file.close()

    def discard(self) -> None:
        """Give up."""
        self._file.close()

    def _guarded(self, cells: list[str]) -> list[str]:
        names = [
            name for name, cell in zip(self._names, cells, strict=True) if guard.needs_guard(cell)
        ]
        if names:
            cells = [guard.guard(cell) if guard.needs_guard(cell) else cell for cell in cells]
        return [*cells, guard.dump_guarded(names)]
