"""Many rows, one statement: SQLite gives the interpreter back to the other threads, and has to wait
for it again, once a statement, which under load costs more than the rows do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any, Protocol

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
        statement = _statement(sql, width, len(part[0]))
        changed += txn.execute(statement, tuple(chain.from_iterable(part))).rowcount
        start += width
    return changed


def change_many(txn: Txn, sql: str, columns: str, rows: Sequence[tuple[Any, ...]]) -> int:
    """Run ``sql`` for all rows, whose ``columns`` (names with spaces between) it names in braces,
    and ``{given}`` once for the table ``given`` of what differs from row to row, as the last column
    must: what is the same in all rows is bound once. Returns how many rows it changed."""
    changed = 0
    start = 0
    for width in _widths(len(rows)):
        turned = list(zip(*rows[start : start + width], strict=True))
        start += width
        same = (*(_is_same(column) for column in turned[:-1]), False)
        values = [column[0] for column, is_same in zip(turned, same, strict=True) if is_same]
        differ = [column for column, is_same in zip(turned, same, strict=True) if not is_same]
        flat: list[Any] = [None] * (len(differ) * width)
        for place, column in enumerate(differ):
            flat[place :: len(differ)] = column
        changed += txn.execute(change_sql(sql, columns, same, width), values + flat).rowcount
    return changed


def _is_same(column: Sequence[Any]) -> bool:
    """Whether one value stands in all of it; the two ends tell of most that it does not."""
    return bool(column[0] == column[-1]) and column.count(column[0]) == len(column)


@lru_cache(maxsize=512)
def change_sql(sql: str, columns: str, same: tuple[bool, ...], rows: int) -> str:
    """The statement of ``change_many``."""
    names = columns.split()
    differ = [name for name, is_same in zip(names, same, strict=True) if not is_same]
    bound = [name for name in names if name not in differ]
    values = {name: f"?{number}" for number, name in enumerate(bound, start=1)}
    wide, first = len(differ), len(bound) + 1
    lines = (
        f"({', '.join(f'?{number}' for number in range(at, at + wide))})"
        for at in range(first, first + wide * rows, wide)
    )
    given = f"(WITH one ({', '.join(differ)}) AS (VALUES {', '.join(lines)}) SELECT * FROM one)"  # noqa: S608 - names of columns
    return sql.format(
        **values, **{name: f"given.{name}" for name in differ}, given=f"{given} AS given"
    )


class Runs(Protocol):
    """A connection, or what an operation of the writer works on."""

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> object: ...


def insert_columns(
    txn: Runs, sql: str, same: Sequence[Any], columns: Sequence[Sequence[Any]]
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


@cache
def _statement(sql: str, rows: int, columns: int) -> str:
    one = f"({', '.join('?' * columns)})"
    return sql.replace("{rows}", ", ".join([one] * rows))


def _widths(count: int) -> Iterator[int]:
    """Powers of two, the widest first, so that few different statements are ever prepared."""
    width = _WIDEST
    while count:
        while width > count:
            width //= 2
        count -= width
        yield width
