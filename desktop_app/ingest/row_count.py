"""Counts a table's rows without parting them into cells: so a long sheet is looked through in a
third of the time that reading it takes."""

from __future__ import annotations

from pathlib import Path

from desktop_app.ingest.row_blocks import RowBlocks


def count_rows(path: Path, encoding: str, delimiter: str, *, quoting: bool) -> int | None:
    """How many rows are not blank, the header among them; None where only reading the cells tells:
    see ``RowBlocks``. Blocks. Raises OSError."""
    blocks = RowBlocks(path, encoding, delimiter, quoting=quoting)
    rows = sum(block.count() for block in blocks)
    return rows if blocks.left_at is None else None
