"""The one door into the room: a file of any kind we read, opened from its private copy."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
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
from desktop_app.ingest.private_copy import private_copy
from desktop_app.ingest.table import Survey, lines_of, survey
from desktop_app.ingest.text_file import sample

Kind = TextSheet | LineSheet | JsonLines | Workbook


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a file is read; what its kind knows nothing of is None."""

    encoding: str | None = None
    delimiter: str | None = None
    quoting: bool | None = None
    worksheet: str | None = None
    header: bool | None = None
    with_hidden: bool = False


class SheetReader:
    """Implements ``ports.Sheets``. Blocking; has no state, so any thread may use it."""

    def open(self, path: Path, copy_dir: Path, options: SheetOptions) -> SheetInfo:
        """Copy, detect, and read the sheet through once, so that whatever is wrong with the file
        as a whole is said before anything is imported. Raises OperatorError."""
        copied = private_copy(path, copy_dir)
        sheet, found, said = self._found(copied.path, path.name, options)
        reading = _reading(sheet, options)
        warnings = copied.warnings + said
        if reading.header and options.header is None:
            warnings += _header_doubt(found.columns)
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
            sha256=self._identity(copied.path, path.name, copied.sha256, options, reading),
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
        )

    def rows(self, info: SheetInfo) -> Iterator[SheetRow]:
        """The data rows, read from the private copy as ``open`` found it. Raises OperatorError."""
        return (SheetRow(at, tuple(cells), problem) for at, cells, problem in self.lines(info))

    def lines(self, info: SheetInfo) -> Iterator[SheetLine]:
        """The same as plain values. Raises OperatorError."""
        options = SheetOptions(
            info.encoding,
            info.delimiter,
            info.worksheet,
            quoting=info.quoting,
            header=info.header,
            hidden=info.with_hidden,
        )
        try:
            sheet = self._sheet(info.copy, info.path.name, options)
        except FileNotFoundError as error:
            raise OperatorError(message("ingest.vanished", file=info.path.name)) from error
        if isinstance(sheet, JsonLines):
            return sheet.lines(info.columns)
        records = sheet.records()
        if info.header is False:
            records = under(info.columns, records)
        return lines_of(records, info.columns, info.encoding)

    def write_pasted(self, text: str, html: str, path: Path) -> None:
        """The clipboard's table as a sheet. Raises OperatorError."""
        # Few sheets are pasted, and reading web tables takes a while to import.
        from desktop_app.ingest.clipboard import write_pasted

        write_pasted(text, html, path)

    def _sheet(self, copy: Path, name: str, options: SheetOptions) -> Kind:
        """By content, not by name: shop systems write text under ``.xls``, and people rename."""
        with copy.open("rb") as file:
            head = file.read(512)
        if not head:
            raise OperatorError(message("ingest.empty", file=name))
        if head.startswith((ZIP_MAGIC, OLE_MAGIC)):
            return Workbook(copy, name, options.worksheet, with_hidden=bool(options.hidden))
        if copy.suffix in BOOK_SUFFIXES:
            _refuse_disguise(head, copy.suffix, name)
        encoding = find_encoding(copy, name, options.encoding)
        if options.delimiter == WHOLE_LINES:
            return LineSheet(copy, encoding)
        if options.delimiter is not None:
            return TextSheet(copy, encoding, options.delimiter, quoting=options.quoting)
        if copy.suffix in JSON_SUFFIXES:
            return JsonLines(copy, name, encoding)
        first = sample(copy, encoding)
        if copy.suffix == ".txt":
            if is_object(next((line for line in first.lines if line.strip()), "")):
                return JsonLines(copy, name, encoding)
            if not is_table(first):
                return LineSheet(copy, encoding)
        return TextSheet(copy, encoding, quoting=options.quoting, head=first)

    def _found(
        self, copy: Path, name: str, options: SheetOptions
    ) -> tuple[Kind, Survey, tuple[Message, ...]]:
        """What there is, of a workbook the first worksheet that can be used: some begin with a
        cover. Raises OperatorError."""
        sheet = self._sheet(copy, name, options)
        try:
            return sheet, *_survey(sheet, name, options)
        except OperatorError:
            if isinstance(sheet, Workbook) and options.worksheet is None:
                for worksheet in sheet.worksheets:
                    with contextlib.suppress(OperatorError):
                        other = Workbook(copy, name, worksheet, with_hidden=bool(options.hidden))
                        return other, *_survey(other, name, options)
            raise

    def _identity(
        self, copy: Path, name: str, sha256: str, options: SheetOptions, reading: _Reading
    ) -> str:
        """Two worksheets of one file are not one sheet; nor is a file that was garbled and the same
        read rightly."""
        if options == SheetOptions():
            return sha256
        automatic: _Reading | None = None
        with contextlib.suppress(OperatorError):  # it can only be read as was chosen
            sheet = self._sheet(copy, name, SheetOptions())
            if isinstance(sheet, Workbook) and sheet.worksheet != reading.worksheet:
                sheet, _, _ = self._found(copy, name, SheetOptions())
            automatic = _reading(sheet, SheetOptions())
        if _plain(reading) == _plain(automatic):
            return sha256
        chosen = json.dumps([sha256, *_plain(reading)])
        return hashlib.sha256(chosen.encode()).hexdigest()


def _reading(sheet: Kind, options: SheetOptions) -> _Reading:
    headed = options.header is not False
    match sheet:
        case JsonLines():
            return _Reading(sheet.encoding)
        case LineSheet():
            headed = sheet.is_headed() if options.header is None else options.header
            return _Reading(sheet.encoding, WHOLE_LINES, header=headed)
        case TextSheet():
            return _Reading(sheet.encoding, sheet.delimiter, sheet.quoting, header=headed)
        case Workbook():
            return _Reading(
                worksheet=sheet.worksheet, header=headed, with_hidden=bool(options.hidden)
            )


def _plain(reading: _Reading | None) -> list[object]:
    """What makes a difference to the cells: a mark at the beginning, or another name of the same
    encoding, doesn't."""
    if reading is None:
        return []
    codec = codecs.lookup(reading.encoding).name if reading.encoding else None
    return [
        codec.removesuffix("-sig") if codec else None,
        reading.delimiter,
        reading.quoting,
        reading.worksheet,
        reading.header,
        reading.with_hidden,
    ]


def _survey(sheet: Kind, name: str, options: SheetOptions) -> tuple[Survey, tuple[Message, ...]]:
    if isinstance(sheet, JsonLines):
        return sheet.survey()
    notes = sheet.notes if isinstance(sheet, Workbook) else ()
    if _reading(sheet, options).header is not False:
        return survey(sheet.records(), name), notes
    try:
        return survey(under(own_names(sheet.records()), sheet.records()), name), notes
    except OperatorError as error:
        if error.message.code != "ingest.no_rows":
            raise
        raise OperatorError(message("ingest.empty_lines", file=name)) from error


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
