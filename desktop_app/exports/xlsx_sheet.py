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
from urllib.parse import quote

from openpyxl import Workbook
from openpyxl.cell.cell import ERROR_CODES, Cell
from openpyxl.drawing.image import Image
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from desktop_app.domain.long_cells import CELL_LIMIT, is_too_long, shortened
from desktop_app.domain.ports import ExportRow
from desktop_app.domain.text import Message, message
from desktop_app.exports.columns import (
    ADDED,
    COST_AT,
    OUTPUT_AT,
    PICTURE,
    added_names,
    added_values,
    as_text,
    own_cells,
)
from desktop_app.exports.long_texts import LongTexts
from desktop_app.exports.sheet_pictures import SheetPictures

SHEET_ROWS = 1_048_576
LINKS = 65_000
"""Excel calls a workbook damaged that has more than 65,530 links on a sheet."""

_WIDTH = 20  # characters; Excel's own 8 show nothing of a prompt
_PICTURE_WIDTH = 14.5  # characters, which are 96 pixels and a margin
_PICTURE_HEIGHT = 75.0  # points, likewise
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

    def __init__(
        self,
        path: Path,
        columns: tuple[str, ...],
        say: Callable[[Message], str],
        *,
        texts: LongTexts,
        pictures: SheetPictures | None = None,
    ) -> None:
        self._file = path.open("wb")
        self._columns = columns
        self._say = say
        self._texts = texts
        self._pictures = pictures
        own = len(columns) + (pictures is not None)
        added = ADDED if pictures is None else (PICTURE, *ADDED)
        self._names = columns + added_names(columns, added)
        self._output_at = own + OUTPUT_AT
        self._cost_at = own + COST_AT
        self._row_no = 0
        self._said_full = False
        self._book = Workbook(write_only=True)
        self._new_sheet()

    def add(self, rows: Sequence[ExportRow]) -> None:
        """Write a chunk."""
        for row in rows:
            if self._height == SHEET_ROWS:
                self._end_sheet()
                self._new_sheet()
            self._row_no = row.row_no
            values: list[str | int | None] = [*own_cells(self._columns, row)]
            if self._pictures is not None:
                values.append(self._show(row))
            values += added_values(row, self._say)
            cells: list[Any] = [
                value if isinstance(value, int) else self._cell(as_text(value), name)
                for name, value in zip(self._names, values, strict=True)
            ]
            if row.cost is not None:
                cells[self._cost_at] = self._money(row.cost)
            if row.output is not None and self._links < LINKS:
                cells[self._output_at] = self._link(row.output)
            self._sheet.append(cells)
            self._height += 1
            self._sheet.row_dimensions.pop(self._height, None)

    def close(self) -> None:
        """Finish the file."""
        self._end_sheet()
        try:
            with self._file:
                self._book.save(self._file)
        finally:
            self._put_away()

    def discard(self) -> None:
        """Give up. Saving into nowhere is openpyxl's own way to end its streams and temp files."""
        self._file.close()
        with contextlib.suppress(Exception), Path(os.devnull).open("wb") as nowhere:
            self._book.save(nowhere)
        self._put_away()

    def _put_away(self) -> None:
        if self._pictures is not None:
            self._pictures.close()

    def _show(self, row: ExportRow) -> str | None:
        """A small picture into the next line, which is made high enough for it; the first line that
        gets none because there are enough says so."""
        if self._pictures is None or row.output is None:
            return None
        small = self._pictures.of(row.output)
        if small is None:
            if not self._pictures.is_full or self._said_full:
                return None
            self._said_full = True
            return self._say(message("exports.pictures_end", most=f"{self._pictures.made:,}"))
        image = Image(str(small))
        image.anchor = f"{get_column_letter(len(self._columns) + 1)}{self._height + 1}"
        self._sheet.add_image(image)
        self._sheet.row_dimensions[self._height + 1].height = _PICTURE_HEIGHT
        return None

    def _new_sheet(self) -> None:
        self._sheet: Any = self._book.create_sheet()
        self._sheet.freeze_panes = "A2"
        for place in range(1, len(self._names) + 1):
            self._sheet.column_dimensions[get_column_letter(place)].width = _WIDTH
        if self._pictures is not None:
            letter = get_column_letter(len(self._columns) + 1)
            self._sheet.column_dimensions[letter].width = _PICTURE_WIDTH
        self._sheet.append([self._cell(name, name) for name in self._names])
        self._height = 1
        self._links = 0

    def _end_sheet(self) -> None:
        last = get_column_letter(len(self._names))
        self._sheet.auto_filter.ref = f"A1:{last}{self._height}"

    def _cell(self, text: str, name: str) -> Any:
        """A plain string, or a cell that says it is one where openpyxl would see more in it, or
        would cut it: escaped text may be longer than what Excel makes of it. Nothing is no cell."""
        if not text:
            return None
        if is_too_long(text):
            return self._long(text, name)
        text = self._legal(text)
        if not text.startswith("=") and text not in ERROR_CODES and len(text) <= CELL_LIMIT:
            return text
        cell = _text_cell(self._sheet, text)
        cell.number_format = "@"  # stays text when a person edits the cell
        return cell

    def _long(self, text: str, name: str) -> Any:
        """The beginning, and a link to the whole text beside the sheet."""
        file = self._texts.put(self._row_no, name, text)
        said = self._say(message("exports.whole_text", file=file, length=len(text)))
        cell = _text_cell(self._sheet, self._legal(shortened(text, said)))
        cell.number_format = "@"
        if self._links < LINKS:
            cell.hyperlink = quote(file)
            self._links += 1
        return cell

    def _money(self, cost: str) -> Any:
        """``0.04 USD`` as a number that shows its currency; sums of two currencies are text."""
        found = _MONEY.fullmatch(cost)
        if found is None:
            return self._cell(cost, "cost")
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
        """With control characters escaped as OOXML has it (``_x000D_``)."""
        text = _LOOKS_ESCAPED.sub("_x005F_", text)
        text = _CONTROL.sub(lambda found: f"_x{ord(found.group()):04X}_", text)
        if text.isspace():
            # openpyxl keeps plain spaces only where something stands between them; wide ones it
            # keeps always, and readers do not know them escaped.
            text = "".join(f"_x{ord(char):04X}_" if char < "\x80" else char for char in text)
        return _ILLEGAL.sub("\ufffd", text)
