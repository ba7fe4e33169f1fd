"""A column of ticks: the system's own box is invisible on dark, so ours is in the same place."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    Qt,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTableWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP
from desktop_app.ui.dialogs.tick_box import BOX, paint_tick


class TickColumn(QStyledItemDelegate):
    """A box and what the cell says. A click anywhere in the cell ticks, and so does Space."""

    def __init__(self, context: UiContext, parent: QTableWidget) -> None:
        super().__init__(parent)
        self._theme = context.theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Box and number."""
        cell = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked.value
        place = QPointF(cell.x() + GAP, cell.y() + (cell.height() - BOX) / 2)
        paint_tick(painter, self._theme, place, on=on)
        painter.setPen(self._theme.color("text"))
        words = cell.adjusted(2 * GAP + BOX, 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, str(index.data()))
        painter.restore()

    def editorEvent(  # noqa: N802 - Qt's name
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,  # noqa: ARG002 - Qt's signature
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        """Tick, or take the tick away; other buttons and keys are for others."""
        if isinstance(event, QKeyEvent):
            ticks = event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Space
        elif isinstance(event, QMouseEvent):
            is_left = event.button() == Qt.MouseButton.LeftButton
            ticks = is_left and event.type() == QEvent.Type.MouseButtonRelease
        else:
            ticks = False
        if not ticks:
            return False
        on = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked.value
        to = Qt.CheckState.Unchecked if on else Qt.CheckState.Checked
        return model.setData(index, to.value, Qt.ItemDataRole.CheckStateRole)
