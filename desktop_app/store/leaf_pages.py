"""Reads the rows of a damaged file page by page, where SQLite itself gives a whole table up.

Only what SQLite's file format promises is used: a table's rows lie in leaf pages of their own, so
that a bad page costs its own rows, and a lost way to a page costs nothing: a leaf that no root
leads to any more is known by the shape of its rows.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_LEAF, _INTERIOR = 0x0D, 0x05
_HEADER = 100  # on the first page, before what every page has
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_KINDS: Mapping[str, tuple[type, ...]] = {"INTEGER": (int,), "REAL": (int, float), "TEXT": (str,)}


class _Bad(Exception):
    """These bytes are no row."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table. ``is_rowid``: the row's own number, which no record holds.
    ``default`` is the value of rows older than the column."""

    kind: str
    not_null: bool
    is_rowid: bool
    default: Any = None


@dataclass(frozen=True, slots=True)
class Shape:
    """What the rows of a table look like; ``root`` is its first page."""

    root: int
    columns: Sequence[Column]

    def row(self, rowid: int, values: Sequence[Any]) -> list[Any] | None:
        """The whole row, or None where these values can't be one of this table."""
        if len(values) > len(self.columns):
            return None
        held = list(values) + [column.default for column in self.columns[len(values) :]]
        for at, column in enumerate(self.columns):
            if column.is_rowid:
                if held[at] is not None:
                    return None
                held[at] = rowid
            elif held[at] is None:
                if column.not_null:
                    return None
            elif not isinstance(held[at], _KINDS[column.kind]):
                return None
        return held


class LeafPages:
    """The pages of one file without a WAL."""

    def __init__(self, path: Path, page_size: int, shapes: Mapping[str, Shape]) -> None:
        self._file = path.open("rb")
        self._size = page_size
        self._count = path.stat().st_size // page_size
        self._shapes = shapes
        self._owner = self._owners()
        self._adopt(self._freed())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def rows(self, table: str) -> Iterator[list[Any]]:
        """Every row that can be read, in no order."""
        shape = self._shapes[table]
        for number in sorted(n for n, owner in self._owner.items() if owner == table):
            for rowid, values in self._cells(self._page(number)):
                row = shape.row(rowid, values)
                if row is not None:
                    yield row

    def _adopt(self, free: set[int]) -> None:
        """Leaves that no root leads to go to the table their rows fit."""
        for number in range(2, self._count + 1):
            if number not in self._owner and number not in free:
                owner = self._guess(list(self._cells(self._page(number))))
                if owner is not None:
                    self._owner[number] = owner

    def _guess(self, found: Sequence[tuple[int, Sequence[Any]]]) -> str | None:
        """The table that all these rows fit; of several the one they fill, None where that is
        not one either."""
        fitting = {
            name
            for name, shape in self._shapes.items()
            if found and all(shape.row(*cell) is not None for cell in found)
        }
        filled = {
            name
            for name in fitting
            if all(len(values) == len(self._shapes[name].columns) for _, values in found)
        }
        best = filled or fitting
        return best.pop() if len(best) == 1 else None

    def _page(self, number: int) -> bytes:
        if not 1 <= number <= self._count:
            raise _Bad
        self._file.seek((number - 1) * self._size)
        return self._file.read(self._size)

    def _owners(self) -> dict[int, str]:
        owner: dict[int, str] = {}
        for name, shape in self._shapes.items():
            for number in tree(self._page, self._count, shape.root):
                owner.setdefault(number, name)
        return owner

    def _freed(self) -> set[int]:
        """Pages given back, with rows of the past on them."""
        free: set[int] = set()
        number = _u32(self._page(1), 32) if self._count else 0
        while 1 < number <= self._count and number not in free:
            free.add(number)
            page = self._page(number)
            number, leaves = _u32(page, 0), _u32(page, 4)
            if leaves > self._size // 4 - 2:
                break
            free.update(_u32(page, 8 + 4 * at) for at in range(leaves))
        return free

    def _cells(self, page: bytes) -> Iterator[tuple[int, list[Any]]]:
        if page[0] != _LEAF:
            return
        for at in _pointers(page, 0, 8):
            try:
                length, at_id = _varint(page, at)
                rowid, at_body = _varint(page, at_id)
                yield _signed(rowid), _record(self._payload(page, at_body, length))
            except (_Bad, IndexError, struct.error, UnicodeDecodeError):
                continue

    def _payload(self, page: bytes, at: int, length: int) -> bytes:
        usable = self._size  # nothing is reserved at the end of our pages
        if length > self._count * usable:
            raise _Bad
        if length <= usable - 35:
            return _exactly(page[at : at + length], length)
        least = (usable - 12) * 32 // 255 - 23
        local = least + (length - least) % (usable - 4)
        local = local if local <= usable - 35 else least
        held = [_exactly(page[at : at + local], local)]
        left, number = length - local, _u32(page, at + local)
        while left > 0:
            more = self._page(number)
            part = more[4 : 4 + min(left, usable - 4)]
            held.append(part)
            left -= len(part)
            number = _u32(more, 0)
        return b"".join(held)


def tree(read: Callable[[int], bytes], count: int, root: int) -> set[int]:
    """The numbers of a table's pages, as far as a way leads to them from its first one."""
    found: set[int] = set()
    todo = [root]
    while todo:
        number = todo.pop()
        if not 1 <= number <= count or number in found:
            continue
        page = read(number)
        start = _HEADER if number == 1 else 0
        if page[start] in (_LEAF, _INTERIOR):
            found.add(number)
        if page[start] == _INTERIOR:
            todo.append(_u32(page, start + 8))
            todo += [_u32(page, at) for at in _pointers(page, start, 12) if at + 4 <= len(page)]
    return found


def _pointers(page: bytes, start: int, size: int) -> Iterator[int]:
    """Where the cells are."""
    (count,) = struct.unpack_from(">H", page, start + 3)
    first = start + size
    for at in range(first, min(first + 2 * count, len(page) - 1), 2):
        yield struct.unpack_from(">H", page, at)[0]


def _u32(data: bytes, at: int) -> int:
    return int(struct.unpack_from(">I", data, at)[0])


def _exactly(data: bytes, length: int) -> bytes:
    if len(data) != length:
        raise _Bad
    return data


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for step in range(8):
        byte = data[at + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    return value << 8 | data[at + 8], at + 9


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _record(data: bytes) -> list[Any]:
    size, at = _varint(data, 0)
    if size > len(data):
        raise _Bad
    values: list[Any] = []
    body = size
    while at < size:
        kind, at = _varint(data, at)
        value, body = _value(data, kind, body)
        values.append(value)
    if body != len(data):
        raise _Bad
    return values


def _value(data: bytes, kind: int, at: int) -> tuple[Any, int]:
    if kind == 0:
        return None, at
    if kind in _INTEGERS:
        end = at + _INTEGERS[kind]
        return int.from_bytes(_exactly(data[at:end], end - at), "big", signed=True), end
    if kind == 7:
        return struct.unpack_from(">d", data, at)[0], at + 8
    if kind in (8, 9):
        return kind - 8, at
    if kind < 12:
        raise _Bad
    end = at + (kind - 12) // 2
    raw = _exactly(data[at:end], end - at)
    return (raw.decode() if kind % 2 else raw), end
