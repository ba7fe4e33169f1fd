"""The head of the grid: how columns begin, and who gets the room that is left."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView

from desktop_app.ui.grid.columns import WIDTHS, Column

LEAST_PROMPT = 110


def set_up(head: QHeaderView) -> None:
    """Columns in their order and widths; the batch is hidden."""
    head.setSectionsMovable(True)
    head.setSectionsClickable(True)
    head.setHighlightSections(False)
    head.setSortIndicatorShown(True)
    head.setStretchLastSection(True)
    head.setMinimumSectionSize(40)
    head.setTextElideMode(Qt.TextElideMode.ElideRight)
    for column, width in WIDTHS.items():
        head.resizeSection(column, width)
    head.moveSection(head.visualIndex(Column.BATCH), 1)
    head.setSectionHidden(Column.BATCH, True)


def prompt_width(head: QHeaderView, room: int) -> int:
    """Prompt and note share what the narrow columns leave."""
    wide = (Column.PROMPT, Column.NOTE)
    narrow = sum(
        width
        for column, width in WIDTHS.items()
        if column not in wide and not head.isSectionHidden(column)
    )
    return max(LEAST_PROMPT, (room - narrow) * 3 // 5)
