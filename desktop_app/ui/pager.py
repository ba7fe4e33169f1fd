"""Turns over several results of one row where there is room for one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from desktop_app.ui.context import UiContext


class Pager(QWidget):
    """``2 of 3`` between two arrows; hidden for one. ``turned`` carries the place, from 0."""

    turned = Signal(int)

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.place = 0
        self._count = 1
        self.back, self.on = QToolButton(self), QToolButton(self)
        self.back.setArrowType(Qt.ArrowType.LeftArrow)
        self.on.setArrowType(Qt.ArrowType.RightArrow)
        self.where = QLabel(self)
        self.where.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.where.setFont(context.theme.font(tabular=True))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addStretch(1)
        for part in (self.back, self.where, self.on):
            part.setProperty("tone", "muted")
            row.addWidget(part)
        row.addStretch(1)
        self.back.clicked.connect(lambda: self._turn(-1))
        self.on.clicked.connect(lambda: self._turn(1))
        self.setVisible(False)

    def show_place(self, place: int, count: int) -> None:
        """Stand at this of so many results."""
        tr = self._context.tr
        self._count = count
        self.place = min(place, count - 1)
        self.setVisible(count > 1)
        self.where.setText(tr("{n} of {count}", n=self.place + 1, count=count))
        self.back.setEnabled(self.place > 0)
        self.on.setEnabled(self.place < count - 1)
        for button, said in (
            (self.back, tr("Previous result")),
            (self.on, tr("Next result")),
        ):
            button.setToolTip(said)
            button.setAccessibleName(said)

    def _turn(self, step: int) -> None:
        self.show_place(self.place + step, self._count)
        self.turned.emit(self.place)
