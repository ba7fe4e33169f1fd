"""Workbooks (XLSX, XLS, ODS) as text, each cell as near to what is shown as the file allows."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import python_calamine as calamine

from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.ingest.ods_rows import is_ods, ods_rows
from desktop_app.ingest.xlsx_marks import Show, Shown, marks_of

OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP_MAGIC = b"PK\x03\x04"

_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ZIPPED = frozenset({".xlsx", ".xlsm", ".xlsb", ".ods"})
_NO_MORE: tuple[float, Shown] = (math.inf, {})
_T = TypeVar("_T")


class Workbook:
    """One worksheet of a workbook; ``name`` is for sentences. Raises OperatorError."""

    def __init__(
        self,
        path: Path,
        name: str,
        worksheet: str | None = None,
        *,
        with_hidden: bool = False,
        first_row: int = 1,
    ) -> None:
        self._path = path
        self._name = name
        self._with_hidden = with_hidden
        self._first_row = first_row
        self.hidden_rows = 0
        with self._open() as book:
            self.worksheets: tuple[str, ...] = tuple(
                sheet.name
                for sheet in book.sheets_metadata
                if sheet.typ == calamine.SheetTypeEnum.WorkSheet
                and sheet.visible == calamine.SheetVisibleEnum.Visible
            )
            if worksheet is not None and worksheet not in book.sheet_names:
                names = list(self.worksheets)
                raise OperatorError(
                    message("ingest.no_worksheet", worksheet=worksheet, names=names)
                )
            self.worksheet: str = worksheet or self._first_filled(book)
        self._is_ods = is_ods(path)
        self._marks = None if self._is_ods else marks_of(path, self.worksheet)
        self.notes: tuple[Message, ...] = ()
        if self._marks is None and not self._is_ods:
            self.notes = (message("ingest.plain_values"),)
        elif self._marks is not None and self._marks.uncalculated:
            self.notes = (message("ingest.uncalculated", count=self._marks.uncalculated),)

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """(row number as Excel shows it, cells as text), blank rows included. ``hidden_rows`` holds
        for what was read so far, from ``first_row`` on."""
        self.hidden_rows = 0
        for row_no, hidden, cells in self._rows():
            if hidden:
                self.hidden_rows += row_no >= self._first_row and any(cells)
                if not self._with_hidden:
                    continue
            yield row_no, cells

    def _rows(self) -> Iterator[tuple[int, bool, list[str]]]:
        if self._is_ods:
            yield from ods_rows(self._path, self._name, self.worksheet)
            return
        marks = self._marks
        hidden = marks.hidden if marks is not None else frozenset()
        formats = marks.shown() if marks is not None and marks.has_formats else iter(())
        at, shows = next(formats, _NO_MORE)
        with self._open() as book:
            sheet = self._guarded(partial(book.get_sheet_by_name, self.worksheet))
            # Rows come from the first of the sheet on, but begin at the first used column.
            left = sheet.start[1] if sheet.start else 0
            for row_no, row in enumerate(sheet.iter_rows(), start=1):
                while at < row_no:
                    at, shows = next(formats, _NO_MORE)
                if at == row_no:
                    cells = [_shown_by(shows.get(x), value) for x, value in enumerate(row, left)]
                else:
                    cells = [shown(value) for value in row]
                yield row_no, row_no in hidden, cells

    def _first_filled(self, book: Any) -> str:
        for name in self.worksheets:
            sheet = self._guarded(partial(book.get_sheet_by_name, name))
            if sheet.end is not None:
                return name
        raise OperatorError(message("ingest.empty", file=self._name))

    def _open(self) -> Any:
        with self._path.open("rb") as file:
            head = file.read(8)
        self._refuse_encrypted(head)
        suffix = self._path.suffix
        by_name = suffix in _ZIPPED if head.startswith(ZIP_MAGIC) else suffix == ".xls"
        if by_name:
            return self._guarded(lambda: calamine.load_workbook(str(self._path)))
        # The name lies about the kind: only the bytes can tell.
        with self._path.open("rb") as file:
            return self._guarded(lambda: calamine.load_workbook(file))

    def _refuse_encrypted(self, head: bytes) -> None:
        if head == OLE_MAGIC and _ENCRYPTED in self._path.read_bytes():
            raise OperatorError(message("ingest.password", file=self._name))

    def _guarded(self, call: Callable[[], _T]) -> _T:
        try:
            return call()
        except calamine.PasswordError as error:
            raise OperatorError(message("ingest.password", file=self._name)) from error
        except calamine.CalamineError as error:
            raise OperatorError(message("ingest.damaged", file=self._name)) from error
        except BaseException as error:
            # A Rust panic on a damaged file is no Exception, and must not end the program.
            if type(error).__name__ != "PanicException":
                raise
            raise OperatorError(message("ingest.damaged", file=self._name)) from error


def _shown_by(show: Show | None, value: Any) -> str:
    text = None if show is None or isinstance(value, str) else show(value)
    return shown(value) if text is None else text


def shown(value: Any) -> str:
    """A cell's value as text: integers without ``.0``, 15 digits like Excel, dates ISO."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, dt.time):
        return value.isoformat(timespec="seconds")
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    return str(value)


def _number(value: float) -> str:
    digits = f"{value:.15g}"
    if abs(value) < 1e21 and value == int(value):
        return format(Decimal(digits), "f")
    return digits.upper()
