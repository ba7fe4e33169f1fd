"""How a CSV cell that a spreadsheet would run as a formula is made inert and restored exactly:
the writer and the reader of sheets are strangers and must agree on it here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

GUARD_COLUMN = "bw_guard"
"""The column that names, as a JSON list, the columns of the row whose cells were guarded."""

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
_HEADER = re.compile(r"'*[=+\-@\t\r\n]")
_GUARDED_HEADER = re.compile(r"''*[=+\-@\t\r\n]")


def needs_guard(cell: str) -> bool:
    """Whether Excel or WPS might take the cell for a formula."""
    return cell.startswith(_STARTS)


def guard(cell: str) -> str:
    """The inert cell."""
    return "'" + cell


def unguard(cell: str) -> str:
    """Inverse of ``guard``; a cell that a person has changed since comes back as it is."""
    return cell[1:] if cell.startswith("'") else cell


def guard_header(name: str) -> str:
    """Headers have no row to be named in, so their guard counts its own apostrophes."""
    return "'" + name if _HEADER.match(name) else name


def unguard_header(name: str) -> str:
    """Inverse of ``guard_header``."""
    return name[1:] if _GUARDED_HEADER.match(name) else name


def dump_guarded(columns: Iterable[str]) -> str:
    """The guard column's cell; empty when nothing was guarded."""
    names = list(columns)
    return json.dumps(names, ensure_ascii=False) if names else ""


def load_guarded(cell: str) -> frozenset[str]:
    """The names in a guard column's cell; anything unreadable names none."""
    if not cell:
        return frozenset()
    try:
        names = json.loads(cell)
    except ValueError:
        return frozenset()
    return (
        frozenset(n for n in names if isinstance(n, str))
        if isinstance(names, list)
        else frozenset()
    )
