"""Which character parts the cells: Excel writes what the country's settings say."""

from __future__ import annotations

import csv
import re

DELIMITERS = (",", ";", "\t", "|")

_HINT = re.compile(r"sep=(.)\r?\n?\Z", re.IGNORECASE)
_ROWS = 50


def hinted(first_line: str) -> str | None:
    """The delimiter of Excel's ``sep=;`` line, which is no row."""
    found = _HINT.match(first_line)
    return found.group(1) if found else None


def find_delimiter(lines: list[str], *, complete: bool) -> str:
    """The delimiter under which rows agree best with the header.

    ``lines`` are the first physical lines with their ends; ``complete`` False means that the last
    record may be cut. A header without any delimiter is one column; then that delimiter is taken
    which leaves every row whole, so that a list of prompts keeps its commas.
    """
    tables = {d: _table(lines, d, complete) for d in DELIMITERS}
    single = all(len(rows[0]) == 1 for rows in tables.values() if rows)
    scores = {d: _agreement(rows, single=single) for d, rows in tables.items()}
    return max(DELIMITERS, key=lambda d: scores[d])


def _table(lines: list[str], delimiter: str, complete: bool) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            if any(row):
                rows.append(row)
            if len(rows) == _ROWS:
                return rows
    except csv.Error:
        return rows
    return rows if complete or len(rows) < 2 else rows[:-1]


def _agreement(rows: list[list[str]], *, single: bool) -> tuple[float, int]:
    """(share of rows as wide as the header, width); a one-column reading of a sheet whose header
    some delimiter parts counts for nothing."""
    if not rows or (len(rows[0]) == 1 and not single):
        return (0.0, 0)
    width = len(rows[0])
    same = sum(1 for row in rows if len(row) == width)
    return (same / len(rows), width)
