"""Sheets that begin with a title: which row names the columns, and what stands above it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, dropwhile, islice

from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.ingest.guess import guess_columns
from desktop_app.ingest.header import column_names
from desktop_app.ingest.table import Records, is_blank, legible

_LOOKED_AT = 20
_GLANCE = 200  # characters

Names = tuple[int, tuple[str, ...]]
"""(row number, the names that its cells make)."""


def below(records: Records, first: int | None) -> Records:
    """Those from row ``first`` on."""
    return records if first is None else dropwhile(lambda record: record[0] < first, records)


def rows_above(records: Records, first: int, file: str) -> int:
    """How many rows that are not blank stand above row ``first``. Raises OperatorError where that
    is blank itself, or none of them."""
    above = 0
    for row_no, cells in records:
        if row_no > first:
            break
        if is_blank(cells):
            continue
        if row_no == first:
            return above
        above += 1
    raise OperatorError(message("ingest.no_header_row", row=first, file=file))


def possible_headers(records: Records, file: str) -> list[Names]:
    """Those of the first rows that could name the columns."""
    return list(_headers(records, file))


def header_doubt(columns: tuple[str, ...], records: Records, file: str) -> tuple[Message, ...]:
    """A sheet without a header would lose its first row unseen, and one with a title above it all
    its names: so say what was taken for names, and where better ones stand, unless a name among
    them is known. (The blank name keeps a lone column from being guessed.)"""
    if _is_known(columns):
        return ()
    for row_no, names in islice(_headers(records, file), 1, None):
        if _is_known(names):
            return (message("ingest.header_below", row=row_no, columns=_shown(names)),)
    return (message("ingest.header_doubt", columns=_shown(columns)),)


def _headers(records: Records, file: str) -> Iterator[Names]:
    for row_no, cells in islice(records, _LOOKED_AT):
        names = [legible(cell) for cell in cells]
        used = max((at for at, name in enumerate(names, start=1) if name.strip()), default=0)
        with suppress(OperatorError):
            yield row_no, column_names(names, used, file)


def _is_known(columns: tuple[str, ...]) -> bool:
    return "prompt" in guess_columns((*columns, ""))


def _shown(columns: tuple[str, ...]) -> list[str]:
    """As many as are read at a glance, the first in any case."""
    first, *others = columns
    ends = accumulate((len(name) for name in others), initial=len(first))
    fit = sum(end <= _GLANCE for end in ends)
    return [first[:_GLANCE], *others[: max(0, fit - 1)]]
