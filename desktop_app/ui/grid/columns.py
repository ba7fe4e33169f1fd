"""The grid's columns, by name, so that model, header and painter agree."""

from __future__ import annotations

from enum import IntEnum

from desktop_app.domain.text import Translator
from desktop_app.domain.views import Sort


class Column(IntEnum):
    """Logical columns, left to right as first shown."""

    NUMBER = 0
    PICTURE = 1
    PROMPT = 2
    STATE = 3
    TRIES = 4
    TIME = 5
    NOTE = 6
    BATCH = 7  # shown second, and only where rows of several batches are


SORTS = {
    Column.NUMBER: Sort.ROW,
    Column.PROMPT: Sort.PROMPT,
    Column.STATE: Sort.STATE,
    Column.TRIES: Sort.TRIES,
    Column.TIME: Sort.UPDATED,
}

WIDTHS = {
    Column.NUMBER: 58,
    Column.PICTURE: 46,
    Column.PROMPT: 260,
    Column.STATE: 126,
    Column.TRIES: 56,
    Column.TIME: 78,
    Column.NOTE: 60,
    Column.BATCH: 120,
}

RIGHT = frozenset({Column.NUMBER, Column.TRIES, Column.TIME})


def title(tr: Translator, column: Column) -> str:
    """The header's word; the picture column has none."""
    return {
        Column.NUMBER: "#",
        Column.PICTURE: "",
        Column.PROMPT: tr("Prompt"),
        Column.STATE: tr("State"),
        Column.TRIES: tr("Tries"),
        Column.TIME: tr("Time"),
        Column.NOTE: tr("Note"),
        Column.BATCH: tr("Batch"),
    }[column]
