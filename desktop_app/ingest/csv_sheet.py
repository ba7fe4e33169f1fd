"""Delimited text as Excel counts it: one row a record, every cell the exact text between the
delimiters."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import BufferedReader, FileIO, TextIOWrapper
from itertools import chain
from pathlib import Path

from desktop_app.domain.text import OperatorError, message
from desktop_app.ingest.delimiter import find_delimiter, hinted

LONGEST_CELL = 16_000_000
"""Characters. Past this a quotation mark was left open, or the file is no sheet."""

_LONGEST_LINE = 16 * LONGEST_CELL
"""Bytes, which are up to four a character."""

_SAMPLE_CHARS = 200_000
_SAMPLE_LINES = 400


class TextSheet:
    """A delimited file whose encoding is known; ``name`` is for sentences."""

    def __init__(self, path: Path, name: str, encoding: str, delimiter: str | None = None) -> None:
        self._path = path
        self._name = name
        self.encoding = encoding
        self.delimiter = delimiter or self._find_delimiter()

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """(row number as Excel shows it, cells), blank rows included. Holds one record at a time.
        Bytes that the encoding does not know come as lone surrogates. Raises OperatorError."""
        # The limit is the process's own and only ever raised, so that no other reader is hurt.
        if csv.field_size_limit() < LONGEST_CELL:
            csv.field_size_limit(LONGEST_CELL)
        row_no = 0
        with self._open() as file:
            lines = _Lines(file)
            try:
                for row_no, cells in enumerate(csv.reader(lines, delimiter=self.delimiter), 1):
                    if lines.ended:
                        raise OperatorError(message("ingest.open_quote", row=row_no))
                    yield row_no, cells
            except (csv.Error, _LineTooLong) as error:
                raise OperatorError(
                    message("ingest.cell_too_long", row=row_no + 1, limit=LONGEST_CELL)
                ) from error
            except UnicodeError as error:
                raise OperatorError(
                    message("ingest.bad_bytes", row=row_no + 1, encoding=self.encoding)
                ) from error

    def _open(self) -> TextIOWrapper:
        wide = self.encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32", "utf16"))
        errors = "surrogatepass" if wide else "surrogateescape"
        file = _Bounded(FileIO(self._path))
        try:
            return TextIOWrapper(file, encoding=self.encoding, errors=errors, newline="")
        except BaseException:
            file.close()
            raise

    def _find_delimiter(self) -> str:
        sample: list[str] = []
        size = 0
        with self._open() as file:
            lines = _Lines(file)
            try:
                for line in lines:
                    sample.append(line)
                    size += len(line)
                    if size > _SAMPLE_CHARS or len(sample) > _SAMPLE_LINES:
                        break
            except (UnicodeError, _LineTooLong):
                pass  # said with its row number when the records are read
        return lines.hint or find_delimiter(sample, complete=lines.ended)


class _LineTooLong(Exception):
    """A physical line that would not fit in memory."""


class _Bounded(BufferedReader):
    """Looks at what it reads before it is put together to lines."""

    _since_end = 0

    def read1(self, size: int = -1, /) -> bytes:
        chunk = super().read1(size)
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        self._since_end = len(chunk) - end - 1 if end >= 0 else self._since_end + len(chunk)
        if self._since_end >= _LONGEST_LINE:
            raise _LineTooLong
        return chunk


class _Lines:
    """Physical lines without mark and ``sep=`` line; ``ended`` tells whether all were taken:
    a record that is still open then lacks its closing quotation mark."""

    def __init__(self, file: TextIOWrapper) -> None:
        self._file = file
        self.ended = False
        self.hint: str | None = None

    def __iter__(self) -> Iterator[str]:
        first = self._file.readline().removeprefix("\ufeff")
        self.hint = hinted(first)
        # No line passes through Python code: there are a million of them.
        return chain([first] if first and self.hint is None else [], self._file, self._end())

    def _end(self) -> Iterator[str]:
        self.ended = True
        yield from ()
