"""Parts the rows of delimited text hundreds at a time: where quotation marks only ever hold whole
cells, a few calls do for all of them what a reader of cells does letter by letter."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from itertools import islice
from operator import itemgetter
from pathlib import Path

from desktop_app.ingest.table import is_blank

_READ = 1 << 16
_LONGEST = 1 << 20
"""Bytes of a row. Where a longer one stands, a reader of cells says what is wrong."""

_SIGNED = "utf-8-sig"
_PLAIN = frozenset({"utf-8", _SIGNED, "ascii"})
"""Encodings in which a byte of ASCII is never a part of another character, and which read on behind
a wrong byte."""

_MARK = "\ufeff"
_QUOTE = '"'
_ENDS = "\r\n"
_FOREIGN_ENDS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""What ends a line for Python, and for no sheet."""


class _Not(Enum):
    WHOLE = 1  # a quoted cell is still open
    PLAIN = 2  # only a reader of cells can tell


_first, _last = itemgetter(0), itemgetter(-1)


class Block:
    """Some whole rows."""

    def __init__(self, lines: list[str], quoted: list[str], delimiter: str) -> None:
        self._lines = lines  # in which a quotation mark stands for a quoted cell
        self._quoted = quoted
        self._delimiter = delimiter

    def count(self) -> int:
        """How many rows are not blank."""
        return len(self._lines) - (sum(map(is_blank, self.rows)) if self._may_be_blank() else 0)

    @cached_property
    def rows(self) -> list[list[str]]:
        """The cells, blank rows included."""
        by, lines = self._delimiter, self._lines
        rows = [line.split(by) for line in lines]
        if self._quoted:
            _fill(rows, self._quoted)
        if "" in lines:
            rows = [cells if line else [] for line, cells in zip(lines, rows, strict=True)]
        return rows

    def _may_be_blank(self) -> bool:
        """False where every row begins with something that can be seen."""
        if "" in self._lines:
            return True
        begins = set(map(_first, self._lines))
        if _QUOTE in begins and self._quoted and not all(map(str.strip, self._quoted)):
            return True
        return self._delimiter in begins or any(map(str.isspace, begins))


class RowBlocks:
    """The rows of a file from its beginning on, as blocks. Afterwards ``left_at`` is the byte from
    which on a reader of cells has to read: another encoding than UTF-8, a ``sep=`` line, quotation
    marks within cells, a huge row; None where all rows were taken. Blocks. Raises OSError."""

    def __init__(self, path: Path, encoding: str, delimiter: str, *, quoting: bool) -> None:
        self._path = path
        self._codec = codecs.lookup(encoding).name
        self._delimiter = delimiter
        self._is_quoted = quoting
        self.left_at: int | None = 0

    def __iter__(self) -> Iterator[Block]:
        self.left_at = at = 0
        known = self._codec in _PLAIN and len(self._delimiter.encode()) == 1
        if not known or self._delimiter in '"\r\n':
            return
        rest = b""
        with self._path.open("rb", buffering=0) as file:
            while True:
                chunk = file.read(_READ)
                end = chunk.rfind(b"\n") + 1
                whole = rest + chunk[:end]
                if end or not chunk:
                    block = self._block(whole, is_first=not at, is_last=not chunk)
                else:
                    block = _Not.WHOLE
                if block is _Not.WHOLE and chunk and len(rest) < _LONGEST:
                    rest += chunk  # it ends within a row
                    continue
                if not isinstance(block, Block):
                    return
                yield block
                at = self.left_at = at + len(whole)
                rest = chunk[end:]
                if not chunk:
                    self.left_at = None
                    return

    def _block(self, whole: bytes, *, is_first: bool, is_last: bool) -> Block | _Not:
        codec = "utf-8" if self._codec == _SIGNED else self._codec
        text = whole.decode(codec, "surrogateescape")
        if is_first:
            text = text.removeprefix(_MARK)
            if self._codec == _SIGNED:
                text = text.removeprefix(_MARK)
            if text[:4].lower() == "sep=":
                return _Not.PLAIN
        if is_last and text:
            text += "\n"
        if not self._is_quoted or _QUOTE not in text:
            return Block(_lines(text), [], self._delimiter)
        pieces = text.split(_QUOTE)
        outside, inside = pieces[::2], pieces[1::2]
        if len(outside) == len(inside):
            return _Not.WHOLE
        if "" in islice(outside, 1, len(inside)):
            outside, inside = _joined(outside, inside)
        before = set(map(_last, outside[bool(outside[0]) ^ 1 : -1]))
        behind = set(map(_first, outside[1:]))
        if not before | behind <= {self._delimiter, *_ENDS}:
            return _Not.PLAIN
        return Block(_lines(_QUOTE.join(outside)), inside, self._delimiter)


def _joined(outside: list[str], inside: list[str]) -> tuple[list[str], list[str]]:
    """Between two quotation marks that stand for one in a cell nothing is outside."""
    gaps, cells, cell = [outside[0]], [], [inside[0]]
    for gap, piece in zip(outside[1:-1], inside[1:], strict=True):
        if gap:
            gaps.append(gap)
            cells.append(_QUOTE.join(cell))
            cell = [piece]
        else:
            cell.append(piece)
    return [*gaps, outside[-1]], [*cells, _QUOTE.join(cell)]


def _lines(text: str) -> list[str]:
    """Without their ends."""
    if any(end in text for end in _FOREIGN_ENDS):
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text.removesuffix("\n").split("\n") if text else []
    return text.splitlines()


def _fill(rows: list[list[str]], quoted: list[str]) -> None:
    """Put every quoted cell where its mark stands."""
    cells_in = iter(quoted)
    following = cells_in.__next__
    for cells in rows:
        count = cells.count(_QUOTE)
        if count == 1:
            cells[cells.index(_QUOTE)] = following()
        elif count == len(cells):
            cells[:] = islice(cells_in, count)
        else:
            at = -1
            for _ in range(count):
                at = cells.index(_QUOTE, at + 1)
                cells[at] = following()
