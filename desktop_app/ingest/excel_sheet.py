"""Workbooks (XLSX, XLS, ODS) as text, each cell as near to what Excel shows as its value allows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import python_calamine as calamine

from desktop_app.domain.text import Message, OperatorError, message

OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP_MAGIC = b"PK\x03\x04"

_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ZIPPED = frozenset({".xlsx", ".xlsm", ".xlsb", ".ods"})
_T = TypeVar("_T")


class Workbook:
    """One worksheet of a workbook; ``name`` is for sentences. Raises OperatorError."""

    def __init__(
        self, path: Path, name: str, worksheet: str | None = None, *, with_hidden: bool = False
    ) -> None:
        self._path = path
        self._name = name
        self.hidden_rows = 0
        self.notes: tuple[Message, ...] = ()
        with self._open() as book:
            self.worksheets: tuple[str, ...] = tuple(
                sheet.name
                for sheet in book.sheets_metadata
                if sheet.typ == calamine.SheetTypeEnum.WorkSheet
                and sheet.visible == calamine.SheetVisibleEnum.Visible
            )
            if worksheet is not None and worksheet not in book.sheet_names:
                names = ", ".join(self.worksheets)
                raise OperatorError(
                    message("ingest.no_worksheet", worksheet=worksheet, names=names)
                )
            self.worksheet: str = worksheet or self._first_filled(book)

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """(row number as Excel shows it, cells as text), blank rows included."""
        with self._open() as book:
            sheet = self._guarded(partial(book.get_sheet_by_name, self.worksheet))
            for row_no, row in enumerate(sheet.iter_rows(), start=1):
                yield row_no, [shown(value) for value in row]

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
