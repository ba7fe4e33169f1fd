"""A list of the sheet's rows beside their numbers, for the tabs of the import window."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QWidget


class RowTable(QTableWidget):
    """A narrow column of ``numbers`` pixels and a wide one; read, not edited."""

    def __init__(self, numbers: int, parent: QWidget | None = None) -> None:
        super().__init__(0, 2, parent)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setShowGrid(False)
        self.setWordWrap(False)  # a line shows as much as fits, not as many words
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(26)
        self.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.setColumnWidth(0, numbers)
