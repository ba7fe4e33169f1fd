"""Many rows, one statement: SQLite gives the interpreter back to the other threads, and has to wait
for it again, once a statement, which under load costs more than the rows do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from desktop_app.store.writer import Txn

_WIDEST = 128


def run_many(txn: Txn, sql: str, rows: Sequence[tuple[Any, ...]]) -> int:
    """Run ``sql`` for all rows, which are of one width: ``{rows}`` in it stands for their VALUES.
    Returns how many rows of the table it changed; it must not begin with WITH, or Python does not
    count them."""
    changed = 0
    start = 0
    for width in _widths(len(rows)):
        part = rows[start : start + width]
        one = f"({', '.join('?' * len(part[0]))})"
        statement = sql.replace("{rows}", ", ".join([one] * width))
        changed += txn.execute(statement, tuple(chain.from_iterable(part))).rowcount
        start += width
    return changed


def insert_columns(
    txn: Txn, sql: str, same: Sequence[Any], columns: Sequence[Sequence[Any]]
) -> None:
    """Insert rows that are given column by column: ``{rows}`` in ``sql`` stands for their VALUES,
    of which the last are ``same`` in every row."""
    wide = len(columns)
    flat: list[Any] = [None] * (wide * len(columns[0]))
    for place, column in enumerate(columns):
        flat[place::wide] = column
    start = 0
    for width in _widths(len(columns[0])):
        part = flat[start : start + width * wide]
        start += width * wide
        part += same
        txn.execute(sql.replace("{rows}", _places(len(same), wide, width)), part)


@cache
def _places(same: int, wide: int, count: int) -> str:
    """``(?1, ?2, ?5), (?3, ?4, ?5)``: what is the same in all rows is bound once."""
    tail = [f"?{wide * count + number}" for number in range(1, same + 1)]
    rows = (
        ", ".join([*(f"?{number}" for number in range(first, first + wide)), *tail])
        for first in range(1, 1 + wide * count, wide)
    )
    return ", ".join(f"({row})" for row in rows)


def _widths(count: int) -> Iterator[int]:
    """Powers of two, the widest first, so that few different statements are ever prepared."""
    width = _WIDEST
    while count:
        while width > count:
            width //= 2
        count -= width
        yield width
