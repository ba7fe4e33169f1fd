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
    Column.TIME: Sort.TIME,
    Column.PICTURE: Sort.PICTURE,
    Column.NOTE: Sort.NOTE,
    Column.BATCH: Sort.BATCH,
}

AT_ONCE = frozenset({Sort.ROW, Sort.STATE, Sort.BATCH})
"""Orders in which rows lie already; for the others all are looked at before the first is shown."""

MOVING = frozenset({Sort.STATE, Sort.TRIES, Sort.TIME, Sort.PICTURE, Sort.NOTE})
"""Orders in which a row takes another place while it runs."""

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


def title(tr: Translator, column: Column, *, said: bool = False) -> str:
    """The header's word; for the picture there is no room, but it can be ``said``."""
    return {
        Column.NUMBER: tr("Row number") if said else "#",
        Column.PICTURE: tr("Picture") if said else "",
        Column.PROMPT: tr("Prompt"),
        Column.STATE: tr("State"),
        Column.TRIES: tr("Tries"),
        Column.TIME: tr("Time"),
        Column.NOTE: tr("Note"),
        Column.BATCH: tr("Batch"),
    }[column]
