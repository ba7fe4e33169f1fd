"""Texts that no Excel cell holds: the writer of sheets and whoever takes a sheet back are strangers
and must agree on how such a cell looks."""

from __future__ import annotations

CELL_LIMIT = 32_767
"""UTF-16 units that a cell of Excel holds."""

_MARK = " … ["


def is_too_long(text: str) -> bool:
    """Whether a cell can't hold it."""
    return len(text) > CELL_LIMIT // 2 and _units(text) > CELL_LIMIT


def shortened(text: str, note: str) -> str:
    """The beginning of a text and, in brackets, what has become of the rest."""
    end = f"{_MARK}{note}]"
    room = CELL_LIMIT - _units(end)
    return text.encode("utf-16-le", "replace")[: 2 * room].decode("utf-16-le", "ignore") + end


def is_marked(cell: str) -> bool:
    """Whether ``shortened`` seems to have made a cell, whatever a person has done to it since."""
    return _MARK in cell and len(cell) > CELL_LIMIT // 3


def stands_for(cell: str, text: str) -> bool:
    """Whether ``cell`` is what ``shortened`` made of ``text``, and nobody has changed it since."""
    is_whole = cell.endswith("]") and is_marked(cell)
    return is_whole and is_too_long(text) and text.startswith(cell[: cell.rfind(_MARK)])


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "replace")) // 2
