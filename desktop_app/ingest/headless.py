"""Sheets whose first row is data already: their columns get names of ours."""

from __future__ import annotations

from itertools import chain

from desktop_app.ingest.table import Records

PROMPT = "prompt"


def own_names(records: Records) -> tuple[str, ...]:
    """``prompt`` for a lone column, else ``Column 1`` and on; as many as the widest row fills."""
    width = 1
    for _, cells in records:
        if len(cells) > width:
            filled = (at for at, cell in enumerate(cells, start=1) if cell.strip())
            width = max(width, max(filled, default=0))
    return (PROMPT,) if width == 1 else tuple(f"Column {n}" for n in range(1, width + 1))


def under(names: tuple[str, ...], records: Records) -> Records:
    """The same records below a header of these names, which is no row of the file."""
    return chain([(0, list(names))], records)
