"""A text file's physical lines, whatever its encoding, held one at a time."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BufferedReader, FileIO, TextIOWrapper
from itertools import chain
from pathlib import Path

from desktop_app.domain.text import OperatorError, message
from desktop_app.ingest.delimiter import hinted

LONGEST_CELL = 16_000_000
"""Characters. Past this a quotation mark was left open, or the file is no sheet."""

_LONGEST_LINE = 16 * LONGEST_CELL
"""Bytes, which are up to four a character."""

_SAMPLE_CHARS = 200_000
_SAMPLE_LINES = 400


class LineTooLong(Exception):
    """A physical line that would not fit in memory."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The first physical lines with their ends; ``hint`` is the delimiter of a ``sep=`` line, which
    is not among them; ``complete``: they are all."""

    lines: list[str]
    hint: str | None
    complete: bool

    def below(self, first: int | None) -> Sample:
        """Without what stands above row ``first``: a title says nothing of a table's marks."""
        if first is None or first > len(self.lines):
            return self
        return replace(self, lines=self.lines[first - 1 :])


class Lines:
    """Physical lines without mark and ``sep=`` line; ``ended`` tells whether all were taken:
    a record that is still open then lacks its closing quotation mark. ``headless``: the first of
    them is not the file's."""

    def __init__(self, file: TextIOWrapper, *, hints: bool = True, headless: bool = False) -> None:
        self._file = file
        self._hints = hints
        self._headless = headless
        self.ended = False
        self.hint: str | None = None

    def __iter__(self) -> Iterator[str]:
        if self._headless:
            return chain(self._file, self._end())
        first = self._file.readline().removeprefix("\ufeff")
        self.hint = hinted(first) if self._hints else None
        # No line passes through Python code: there are a million of them.
        return chain([first] if first and self.hint is None else [], self._file, self._end())

    def _end(self) -> Iterator[str]:
        self.ended = True
        yield from ()


@contextmanager
def opened(path: Path, encoding: str, *, hints: bool = True, start: int = 0) -> Iterator[Lines]:
    """The lines; bytes that the encoding does not know come as lone surrogates. ``hints`` False: a
    ``sep=`` line is a line like the others. ``start`` is the byte at which the first line begins.
    Reading raises UnicodeError and LineTooLong."""
    if start and codecs.lookup(encoding).name == "utf-8-sig":
        encoding = "utf-8"  # the mark of this one stands before the first line alone
    wide = encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32", "utf16"))
    errors = "surrogatepass" if wide else "surrogateescape"
    with (
        _Bounded(FileIO(path)) as raw,
        TextIOWrapper(raw, encoding=encoding, errors=errors, newline="") as file,
    ):
        raw.seek(start)
        yield Lines(file, hints=hints, headless=start > 0)


def numbered(path: Path, encoding: str) -> Iterator[tuple[int, str]]:
    """(number from 1 on, line with its end) of a file in which a line is a row. Raises
    OperatorError that names the row."""
    line_no = 0
    with opened(path, encoding, hints=False) as lines:
        try:
            for line_no, line in enumerate(lines, start=1):
                yield line_no, line
        except LineTooLong as error:
            raise too_long(line_no + 1) from error
        except UnicodeError as error:
            raise OperatorError(
                message("ingest.bad_bytes", row=line_no + 1, encoding=encoding)
            ) from error


def too_long(row: int) -> OperatorError:
    """A cell past ``LONGEST_CELL``."""
    return OperatorError(message("ingest.cell_too_long", row=row, limit=LONGEST_CELL))


def sample(path: Path, encoding: str) -> Sample:
    """The head of the file, as far as it can be read."""
    taken: list[str] = []
    size = 0
    with opened(path, encoding) as lines:
        try:
            for line in lines:
                taken.append(line)
                size += len(line)
                if size > _SAMPLE_CHARS or len(taken) > _SAMPLE_LINES:
                    break
        except (UnicodeError, LineTooLong):
            pass  # said with its row number when the records are read
        return Sample(taken, lines.hint, lines.ended)


class _Bounded(BufferedReader):
    """Looks at what it reads before it is put together to lines."""

    _since_end = 0

    def read1(self, size: int = -1, /) -> bytes:
        chunk = super().read1(size)
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        self._since_end = len(chunk) - end - 1 if end >= 0 else self._since_end + len(chunk)
        if self._since_end >= _LONGEST_LINE:
            raise LineTooLong
        return chunk
