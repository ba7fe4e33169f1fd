"""The one door into the room: a file of any kind we read, opened from its private copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from desktop_app.domain.ports import SheetInfo, SheetLine, SheetOptions, SheetRow
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.ingest.csv_sheet import TextSheet
from desktop_app.ingest.encoding import find_encoding, is_sure
from desktop_app.ingest.excel_sheet import OLE_MAGIC, ZIP_MAGIC, Workbook
from desktop_app.ingest.guess import guess_columns
from desktop_app.ingest.private_copy import BOOK_SUFFIXES, private_copy
from desktop_app.ingest.table import lines_of, survey


class SheetReader:
    """Implements ``ports.Sheets``. Blocking; has no state, so any thread may use it."""

    def open(self, path: Path, copy_dir: Path, options: SheetOptions) -> SheetInfo:
        """Copy, detect, and read the sheet through once, so that whatever is wrong with the file
        as a whole is said before anything is imported. Raises OperatorError."""
        copied = private_copy(path, copy_dir)
        sheet = self._sheet(copied.path, path.name, options)
        found = survey(sheet.records(), path.name)
        guess = guess_columns(found.columns)
        info = SheetInfo(
            path=path,
            copy=copied.path,
            sha256=copied.sha256,
            columns=found.columns,
            rows=found.rows,
            encoding=None,
            delimiter=None,
            worksheet=None,
            guess=guess,
            warnings=copied.warnings + _header_doubt(found.columns),
        )
        if isinstance(sheet, TextSheet):
            warnings = info.warnings
            if options.encoding is None and not is_sure(sheet.encoding):
                warnings += (message("ingest.encoding_doubt", encoding=sheet.encoding),)
            return replace(
                info, encoding=sheet.encoding, delimiter=sheet.delimiter, warnings=warnings
            )
        return replace(info, worksheet=sheet.worksheet, worksheets=sheet.worksheets)

    def rows(self, info: SheetInfo) -> Iterator[SheetRow]:
        """The data rows, read from the private copy as ``open`` found it. Raises OperatorError."""
        return (SheetRow(at, tuple(cells), problem) for at, cells, problem in self.lines(info))

    def lines(self, info: SheetInfo) -> Iterator[SheetLine]:
        """The same as plain values. Raises OperatorError."""
        options = SheetOptions(info.encoding, info.delimiter, info.worksheet)
        try:
            sheet = self._sheet(info.copy, info.path.name, options)
        except FileNotFoundError as error:
            raise OperatorError(message("ingest.vanished", file=info.path.name)) from error
        return lines_of(sheet.records(), info.columns, info.encoding)

    def _sheet(self, copy: Path, name: str, options: SheetOptions) -> TextSheet | Workbook:
        """By content, not by name: shop systems write text under ``.xls``, and people rename."""
        with copy.open("rb") as file:
            head = file.read(512)
        if not head:
            raise OperatorError(message("ingest.empty", file=name))
        if head.startswith((ZIP_MAGIC, OLE_MAGIC)):
            return Workbook(copy, name, options.worksheet)
        if copy.suffix in BOOK_SUFFIXES:
            _refuse_disguise(head, copy.suffix, name)
        encoding = find_encoding(copy, name, options.encoding)
        return TextSheet(copy, name, encoding, options.delimiter)


def _refuse_disguise(head: bytes, suffix: str, name: str) -> None:
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise OperatorError(message("ingest.web_page", file=name))
    if suffix != ".xls":
        raise OperatorError(message("ingest.damaged", file=name))


def _header_doubt(columns: tuple[str, ...]) -> tuple[Message, ...]:
    """A sheet without a header would lose its first row unseen, so say what was taken for one
    unless a name among them is known. (The blank name keeps a lone column from being guessed.)"""
    if "prompt" in guess_columns((*columns, "")):
        return ()
    return (message("ingest.header_doubt", columns=", ".join(columns)[:200]),)
