"""The first rows of a sheet as they were read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)


class HeadModel(QAbstractTableModel):
    """The first rows as they were read; the vertical header shows Excel's row numbers."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns: tuple[str, ...] = ()
        self._rows: Sequence[tuple[int, tuple[str, ...]]] = ()

    def show(self, columns: tuple[str, ...], rows: Sequence[tuple[int, tuple[str, ...]]]) -> None:
        """Replace what is shown."""
        self.beginResetModel()
        self._columns, self._rows = columns, rows
        self.endResetModel()

    def rowCount(  # noqa: N802 - Qt's name
        self,
        parent: QModelIndex | QPersistentModelIndex = QModelIndex(),  # noqa: B008
    ) -> int:
        """Rows of the head."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(  # noqa: N802 - Qt's name
        self,
        parent: QModelIndex | QPersistentModelIndex = QModelIndex(),  # noqa: B008
    ) -> int:
        """The sheet's columns."""
        return 0 if parent.isValid() else len(self._columns)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """A cell's text, one line of it."""
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        cells = self._rows[index.row()][1]
        text = cells[index.column()] if index.column() < len(cells) else ""
        return text[:300].replace("\n", " ") if role == Qt.ItemDataRole.DisplayRole else text[:2000]

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Column names and Excel's row numbers."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation is Qt.Orientation.Horizontal:
            return self._columns[section]
        return str(self._rows[section][0])
