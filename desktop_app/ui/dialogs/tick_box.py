"""A check box drawn from the theme's tokens, since the system's own is invisible on dark."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.theme import Theme

BOX = 16
_GAP = 8


def paint_tick(
    painter: QPainter, theme: Theme, place: QPointF, *, on: bool, lively: bool = False
) -> None:
    """The box with or without its tick, its top left corner at ``place``. The painter smooths."""
    painter.setPen(QPen(theme.color("accent" if on or lively else "faint"), 1))
    painter.setBrush(theme.color("accent" if on else "surface"))
    painter.drawRoundedRect(QRectF(place.x() + 0.5, place.y() + 0.5, BOX - 1, BOX - 1), 4, 4)
    if on:
        pen = QPen(theme.color("on_accent"), 2)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        tick = ((4.2, 8.2), (7.0, 11.0), (11.8, 5.4))
        painter.drawPolyline(QPolygonF([place + QPointF(x, y) for x, y in tick]))


class TickBox(QCheckBox):
    """Works like any QCheckBox."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Box, gap, text."""
        metrics = self.fontMetrics()
        width = BOX + _GAP + metrics.horizontalAdvance(self.text()) + 4
        return QSize(width, max(BOX, metrics.height()) + 4)

    def hitButton(self, where: object) -> bool:  # noqa: N802, ARG002 - Qt's name
        """The whole line answers."""
        return True

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name
        """The box, its tick, the text."""
        theme = self._context.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            lively = self.hasFocus() or self.underMouse()
            place = QPointF(0, (self.height() - BOX) / 2)
            paint_tick(painter, theme, place, on=self.isChecked(), lively=lively)
            painter.setPen(theme.color("accent" if self.hasFocus() else "text"))
            words = self.rect().adjusted(BOX + _GAP, 0, 0, 0)
            painter.drawText(
                words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text()
            )
