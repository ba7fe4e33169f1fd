"""The rows behind one cause: which row, what was asked, why it failed, how often it was tried."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from desktop_app.domain.views import TaskRow
from desktop_app.ui.lazy_rows import LazyRowsModel
from desktop_app.ui.words import tries

ROW_NO, BATCH, PROMPT, REASON, TRIES = range(5)
_FIGURES = (ROW_NO, TRIES)


class DeadRowsModel(LazyRowsModel):
    """Row number, batch, prompt, reason and tries. ``batch_names`` are the names by batch id."""

    batch_names: Mapping[int, str] = MappingProxyType({})

    def columnCount(  # noqa: N802 - Qt's name
        self,
        parent: QModelIndex | QPersistentModelIndex = QModelIndex(),  # noqa: B008
    ) -> int:
        """Row, batch, prompt, reason, tries."""
        return 0 if parent.isValid() else 5

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Column titles."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        tr = self.context.tr
        return (tr("Row"), tr("Batch"), tr("Prompt"), tr("Reason"), tr("Tries"))[section]

    def data(
        self,
        index: QModelIndex | QPersistentModelIndex,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Text of a cell; a row not yet read shows an ellipsis."""
        column = index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole and column in _FIGURES:
            return None
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        row = self.row(index.row())
        if row is None:
            return "…" if column == PROMPT else None
        text = self._text(row, column)
        return text.replace("\n", " ") if role == Qt.ItemDataRole.DisplayRole else text

    def _text(self, row: TaskRow, column: int) -> str:
        if column == ROW_NO:
            return str(row.row_no)
        if column == BATCH:
            return self.batch_names.get(row.batch_id, "")
        if column == PROMPT:
            return row.prompt
        if column == REASON:
            return self.context.tr.say(row.note) if row.note else ""
        return tries(row)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _FIGURES else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
