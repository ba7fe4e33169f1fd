"""A workbook in which every cell of the operator's is text: nothing is reckoned, rounded or cut
without a word. Only our own figures are numbers, so that they can be summed."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.cell.cell import ERROR_CODES, Cell
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from desktop_app.domain.ports import ExportRow
from desktop_app.domain.text import Message, message
from desktop_app.exports.columns import (
    COST_AT,
    OUTPUT_AT,
    added_names,
    added_values,
    as_text,
    own_cells,
)

CELL_LIMIT = 32_767
"""UTF-16 units that a cell of Excel holds."""

SHEET_ROWS = 1_048_576
LINKS = 65_000
"""Excel calls a workbook damaged that has more than 65,530 links on a sheet."""

_WIDTH = 20  # characters; Excel's own 8 show nothing of a prompt
_MONEY = re.compile(r"(\d+(?:\.\d+)?) ([A-Z]{3})")
_CONTROL = re.compile("[\x01-\x08\x0b-\x1f]")
_ILLEGAL = re.compile("[\0\ud800-\udfff\ufffe\uffff]")
_LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_LINK_FONT = Font(color="0563C1", underline="single")


class _TextCell(Cell):
    """Takes text as it is."""

    def check_string(self, value: Any) -> Any:
        """openpyxl's own would cut without a word."""
        return value


def _text_cell(sheet: Any, text: str) -> Any:
    cell = _TextCell(sheet, row=1, column=1, value=text)
    cell.data_type = "s"
    return cell


class XlsxSheet:
    """Streams: openpyxl's write-only workbook holds one row at a time. Past Excel's last row it
    goes on in another worksheet."""

    def __init__(self, path: Path, columns: tuple[str, ...], say: Callable[[Message], str]) -> None:
        self._file = path.open("wb")
        self._columns = columns
        self._say = say
        self._names = columns + added_names(columns)
        self._output_at = len(columns) + OUTPUT_AT
        self._cost_at = len(columns) + COST_AT
        self._book = Workbook(write_only=True)
        self._new_sheet()

    def add(self, rows: Sequence[ExportRow]) -> None:
        """Write a chunk."""
        for row in rows:
            if self._height == SHEET_ROWS:
                self._end_sheet()
                self._new_sheet()
            added = added_values(row, self._say)
            cells: list[Any] = [self._cell(c) for c in own_cells(self._columns, row)]
            cells += [v if isinstance(v, int) else self._cell(as_text(v)) for v in added]
            if row.cost is not None:
                cells[self._cost_at] = self._money(row.cost)
            if row.output is not None and self._links < LINKS:
                cells[self._output_at] = self._link(row.output)
            self._sheet.append(cells)
            self._height += 1

    def close(self) -> None:
        """Finish the file."""
        self._end_sheet()
        with self._file:
            self._book.save(self._file)

    def discard(self) -> None:
        """Give up. Saving into nowhere is openpyxl's own way to end its streams and temp files."""
        self._file.close()
        with contextlib.suppress(Exception), Path(os.devnull).open("wb") as nowhere:
            self._book.save(nowhere)

    def _new_sheet(self) -> None:
        self._sheet: Any = self._book.create_sheet()
        self._sheet.freeze_panes = "A2"
        for place in range(1, len(self._names) + 1):
            self._sheet.column_dimensions[get_column_letter(place)].width = _WIDTH
        self._sheet.append([self._cell(name) for name in self._names])
        self._height = 1
        self._links = 0

    def _end_sheet(self) -> None:
        last = get_column_letter(len(self._names))
        self._sheet.auto_filter.ref = f"A1:{last}{self._height}"

    def _cell(self, text: str) -> Any:
        """A plain string, or a cell that says it is one where openpyxl would see more in it, or
        would cut it: escaped text may be longer than what Excel makes of it. Nothing is no cell."""
        if not text:
            return None
        text = self._legal(text)
        if not text.startswith("=") and text not in ERROR_CODES and len(text) <= CELL_LIMIT:
            return text
        cell = _text_cell(self._sheet, text)
        cell.number_format = "@"  # stays text when a person edits the cell
        return cell

    def _money(self, cost: str) -> Any:
        """``0.04 USD`` as a number that shows its currency; sums of two currencies are text."""
        found = _MONEY.fullmatch(cost)
        if found is None:
            return self._cell(cost)
        cell = Cell(self._sheet, row=1, column=1, value=Decimal(found[1]))
        cell.number_format = f'0.00####### "{found[2]}"'
        return cell

    def _link(self, output: str) -> Any:
        cell = _text_cell(self._sheet, self._legal(output))
        cell.hyperlink = Path(output).absolute().as_uri()
        cell.font = _LINK_FONT
        self._links += 1
        return cell

    def _legal(self, text: str) -> str:
        """Within the limit, with control characters escaped as OOXML has it (``_x000D_``)."""
        if len(text) > CELL_LIMIT // 2:
            text = self._cut(text)
        text = _LOOKS_ESCAPED.sub("_x005F_", text)
        text = _CONTROL.sub(lambda found: f"_x{ord(found.group()):04X}_", text)
        if text.isspace():
            # openpyxl keeps plain spaces only where something stands between them; wide ones it
            # keeps always, and readers do not know them escaped.
            text = "".join(f"_x{ord(char):04X}_" if char < "\x80" else char for char in text)
        return _ILLEGAL.sub("\ufffd", text)

    def _cut(self, text: str) -> str:
        units = len(text.encode("utf-16-le", "replace")) // 2
        if units <= CELL_LIMIT:
            return text
        note = " … " + self._say(message("exports.cut", length=len(text)))
        room = CELL_LIMIT - len(note.encode("utf-16-le")) // 2
        kept = text.encode("utf-16-le", "replace")[: 2 * room].decode("utf-16-le", "ignore")
        return kept + note
