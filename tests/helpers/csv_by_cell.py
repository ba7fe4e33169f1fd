"""Delimited text as it is read letter by letter: what quicker readings must equal."""

from __future__ import annotations

import csv
from pathlib import Path

from desktop_app.domain.text import OperatorError, message
from desktop_app.ingest.text_file import opened


def records_by_cell(
    path: Path, encoding: str, delimiter: str, *, quoting: bool
) -> list[tuple[int, list[str]]]:
    """(row number, cells). Raises OperatorError where a quotation mark is left open."""
    records = []
    with opened(path, encoding) as lines:
        parted = csv.reader(
            lines,
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if quoting else csv.QUOTE_NONE,
        )
        for row_no, cells in enumerate(parted, 1):
            if lines.ended and quoting:
                raise OperatorError(message("ingest.open_quote", row=row_no))
            records.append((row_no, cells))
    return records
