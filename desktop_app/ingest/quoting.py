"""Whether quotation marks hold cells together: in some lists they are but a part of the text."""

from __future__ import annotations

import csv

_SPOILED = "expected after"


def is_quoted(lines: list[str], delimiter: str) -> bool:
    """False where reading them as quotation would eat marks out of the text: some close before
    their cell ends, no cell ends with one, and without quotation all rows are as wide as the
    header. ``lines`` are the first physical lines with their ends."""
    try:
        for _ in csv.reader(lines, delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        return _SPOILED not in str(error) or not _is_plain(lines, delimiter)
    return True


def _is_plain(lines: list[str], delimiter: str) -> bool:
    rows = [
        [cell.rstrip("\r\n") for cell in row]
        for row in csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
        if any(row)
    ]
    closed = any(cell.endswith('"') for row in rows for cell in row)
    return not closed and all(len(row) == len(rows[0]) for row in rows)
