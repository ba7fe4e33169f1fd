"""The one door into the room: a file of any kind we read, opened from its private copy."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from desktop_app.domain.encodings import encoding_name
from desktop_app.domain.ports import WHOLE_LINES, SheetInfo, SheetLine, SheetOptions, SheetRow
from desktop_app.domain.sheet_kinds import BOOK_SUFFIXES, JSON_SUFFIXES
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.ingest.csv_sheet import TextSheet
from desktop_app.ingest.encoding import find_encoding, is_sure
from desktop_app.ingest.excel_sheet import OLE_MAGIC, ZIP_MAGIC, Workbook
from desktop_app.ingest.guess import guess_columns
from desktop_app.ingest.headless import own_names, under
from desktop_app.ingest.json_lines import JsonLines, is_object
from desktop_app.ingest.plain_text import LineSheet, is_table
from desktop_app.ingest.private_copy import is_changed, private_copy
from desktop_app.ingest.reading import Kind, Reading, plain, reading_of, records_of
from desktop_app.ingest.table import Survey, lines_of, survey
from desktop_app.ingest.text_file import sample
from desktop_app.ingest.title_rows import (
    Names,
    below,
    header_doubt,
    possible_headers,
    rows_above,
)


class SheetReader:
    """Implements ``ports.Sheets``. Blocking; has no state, so any thread may use it."""

    def open(self, path: Path, copy_dir: Path, options: SheetOptions) -> SheetInfo:
        """Copy, detect, and read the sheet through once, so that whatever is wrong with the file
        as a whole is said before anything is imported. Raises OperatorError."""
        copied = private_copy(path, copy_dir)
        sheet, found, said, above = self._found(copied.path, path.name, options)
        reading = reading_of(sheet, options, above)
        warnings = copied.warnings + said
        if above:
            warnings += (message("ingest.rows_above", row=reading.header_row, count=above),)
        elif reading.header and options.header is None:
            warnings += header_doubt(found.columns, records_of(sheet), path.name)
        if isinstance(sheet, LineSheet) and options.delimiter is None:
            warnings += (message("ingest.one_a_line"),)
        if reading.encoding and options.encoding is None and not is_sure(reading.encoding):
            warnings += (
                message("ingest.encoding_doubt", encoding=encoding_name(reading.encoding)),
            )
        hidden_rows = sheet.hidden_rows if isinstance(sheet, Workbook) else 0
        if hidden_rows:
            code = "ingest.hidden_taken" if reading.with_hidden else "ingest.hidden_left"
            warnings += (message(code, count=hidden_rows),)
        return SheetInfo(
            path=path,
            copy=copied.path,
            sha256=self._identity(copied.path, path.name, copied.stamp.sha256, options, reading),
            columns=found.columns,
            rows=found.rows,
            encoding=reading.encoding,
            delimiter=reading.delimiter,
            worksheet=reading.worksheet,
            worksheets=sheet.worksheets if isinstance(sheet, Workbook) else (),
            guess=guess_columns(found.columns),
            warnings=warnings,
            quoting=reading.quoting,
            header=reading.header,
            hidden_rows=hidden_rows,
            with_hidden=reading.with_hidden,
            header_row=reading.header_row,
            stamp=copied.stamp,
        )

    def rows(self, info: SheetInfo) -> Iterator[SheetRow]:
        """The data rows, read from the private copy as ``open`` found it. Raises OperatorError."""
        return (SheetRow(at, tuple(cells), problem) for at, cells, problem in self.lines(info))

    def lines(self, info: SheetInfo) -> Iterator[SheetLine]:
        """The same as plain values. Raises OperatorError."""
        sheet = self._opened(info)
        if isinstance(sheet, JsonLines):
            return sheet.lines(info.columns)
        records = below(sheet.records(), info.header_row)
        if info.header is False:
            records = under(info.columns, records)
        return lines_of(records, info.columns, info.encoding)

    def headers(self, info: SheetInfo) -> list[Names]:
        """What could be chosen for ``header_row``. Raises OperatorError."""
        sheet = self._opened(info)
        return possible_headers(records_of(sheet), info.path.name)

    def is_changed(self, info: SheetInfo) -> bool:
        """Whether the operator's file holds something else than what was copied."""
        return info.stamp is not None and is_changed(info.path, info.stamp)

    def write_pasted(self, text: str, html: str, path: Path) -> None:
        """The clipboard's table as a sheet. Raises OperatorError."""
        # Few sheets are pasted, and reading web tables takes a while to import.
        from desktop_app.ingest.clipboard import write_pasted

        write_pasted(text, html, path)

    def _opened(self, info: SheetInfo) -> Kind:
        options = SheetOptions(
            info.encoding,
            info.delimiter,
            info.worksheet,
            quoting=info.quoting,
            header=info.header,
            hidden=info.with_hidden,
            header_row=info.header_row,
        )
        try:
            return self._sheet(info.copy, info.path.name, options)
        except FileNotFoundError as error:
            raise OperatorError(message("ingest.vanished", file=info.path.name)) from error

    def _sheet(self, copy: Path, name: str, options: SheetOptions) -> Kind:
        """By content, not by name: shop systems write text under ``.xls``, and people rename."""
        with copy.open("rb") as file:
            head = file.read(512)
        if not head:
            raise OperatorError(message("ingest.empty", file=name))
        if head.startswith((ZIP_MAGIC, OLE_MAGIC)):
            return _workbook(copy, name, options)
        if copy.suffix in BOOK_SUFFIXES:
            _refuse_disguise(head, copy.suffix, name)
        encoding = find_encoding(copy, name, options.encoding)
        if options.delimiter == WHOLE_LINES:
            return LineSheet(copy, encoding)
        if options.delimiter is not None and options.quoting is not None:
            return TextSheet(copy, encoding, options.delimiter, quoting=options.quoting)
        first = sample(copy, encoding).below(options.header_row)
        if options.delimiter is not None:
            return TextSheet(copy, encoding, options.delimiter, head=first)
        if copy.suffix in JSON_SUFFIXES:
            return JsonLines(copy, name, encoding)
        if copy.suffix == ".txt":
            if is_object(next((line for line in first.lines if line.strip()), "")):
                return JsonLines(copy, name, encoding)
            if not is_table(first):
                return LineSheet(copy, encoding)
        return TextSheet(copy, encoding, quoting=options.quoting, head=first)

    def _found(
        self, copy: Path, name: str, options: SheetOptions
    ) -> tuple[Kind, Survey, tuple[Message, ...], int]:
        """What there is, of a workbook the first worksheet that can be used: some begin with a
        cover; and how many rows stand above the first. Raises OperatorError."""
        sheet = self._sheet(copy, name, options)
        try:
            return sheet, *_survey(sheet, name, options)
        except OperatorError:
            if isinstance(sheet, Workbook) and options.worksheet is None:
                for worksheet in sheet.worksheets:
                    with contextlib.suppress(OperatorError):
                        other = _workbook(copy, name, replace(options, worksheet=worksheet))
                        return other, *_survey(other, name, options)
            raise

    def _identity(
        self, copy: Path, name: str, sha256: str, options: SheetOptions, reading: Reading
    ) -> str:
        """Two worksheets of one file are not one sheet; nor is a file that was garbled and the same
        read rightly."""
        if options == SheetOptions():
            return sha256
        automatic: Reading | None = None
        with contextlib.suppress(OperatorError):  # it can only be read as was chosen
            sheet = self._sheet(copy, name, SheetOptions())
            if isinstance(sheet, Workbook) and sheet.worksheet != reading.worksheet:
                sheet, *_ = self._found(copy, name, SheetOptions())
            automatic = reading_of(sheet, SheetOptions())
        if plain(reading) == plain(automatic):
            return sha256
        chosen = json.dumps([sha256, *plain(reading)])
        return hashlib.sha256(chosen.encode()).hexdigest()


def _workbook(copy: Path, name: str, options: SheetOptions) -> Workbook:
    return Workbook(
        copy,
        name,
        options.worksheet,
        with_hidden=bool(options.hidden),
        first_row=options.header_row or 1,
    )


def _survey(
    sheet: Kind, name: str, options: SheetOptions
) -> tuple[Survey, tuple[Message, ...], int]:
    if isinstance(sheet, JsonLines):
        return *sheet.survey(), 0
    first, above = options.header_row, 0
    if first is not None:
        above = rows_above(sheet.records(), first, name)
    notes = sheet.notes if isinstance(sheet, Workbook) else ()
    if reading_of(sheet, options).header is not False:
        if isinstance(sheet, TextSheet) and first is None:
            return survey(sheet.records(), name, sheet.count), notes, above
        return survey(below(sheet.records(), first), name), notes, above
    names = own_names(below(sheet.records(), first))
    try:
        return survey(under(names, below(sheet.records(), first)), name), notes, above
    except OperatorError as error:
        if error.message.code != "ingest.no_rows":
            raise
        raise OperatorError(message("ingest.empty_lines", file=name)) from error


def _refuse_disguise(head: bytes, suffix: str, name: str) -> None:
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise OperatorError(message("ingest.web_page", file=name))
    if suffix != ".xls":
        raise OperatorError(message("ingest.damaged", file=name))
