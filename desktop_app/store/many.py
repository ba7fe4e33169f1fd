"""Many rows, one statement: SQLite gives the interpreter back to the other threads, and has to wait
for it again, once a statement, which under load costs more than the rows do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def _widths(count: int) -> Iterator[int]:
    """Powers of two, the widest first, so that few different statements are ever prepared."""
    width = _WIDEST
    while count:
        while width > count:
            width //= 2
        count -= width
        yield width
