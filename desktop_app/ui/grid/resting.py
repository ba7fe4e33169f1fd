"""A table that gets the keys goes to its first row, and here that would open the row unasked."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QTableView

_BY_KEYS = frozenset(
    {
        Qt.FocusReason.TabFocusReason,
        Qt.FocusReason.BacktabFocusReason,
        Qt.FocusReason.ShortcutFocusReason,
    }
)


class RestingTable(QTableView):
    """Goes to its first row only for who comes by the keys."""

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Stay where nothing is chosen yet."""
        if event.reason() in _BY_KEYS or self.currentIndex().isValid():
            super().focusInEvent(event)
