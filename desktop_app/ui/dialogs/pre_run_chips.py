"""The columns as buttons beside a text: a row that takes what room there is, since a wider one
would push the whole form out of sight."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP, MENU_MARK

_MOST = 6
_LONGEST = 16


class ColumnChips(QWidget):
    """The first columns get a button of their own, as far as they fit; the rest share a menu.
    ``chosen`` tells a column's name."""

    chosen = Signal(str)

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._columns: tuple[str, ...] = ()
        self.chips: tuple[QToolButton, ...] = ()
        self.more = self._chip()
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setMenu(QMenu(self.more))
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(GAP // 2)
        self._row.addWidget(self.more)
        self._row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def offer(self, columns: Sequence[str]) -> None:
        """These, in the words of the language that is spoken now."""
        for chip in self.chips:
            chip.hide()
            chip.deleteLater()
        self._columns = tuple(columns)
        self.chips = tuple(self._of(column) for column in columns[:_MOST])
        for at, chip in enumerate(self.chips):
            self._row.insertWidget(at, chip)
        self.more.setText(self._context.tr("More columns") + MENU_MARK)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Show as many as fit now."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        shown = self._fitting()
        for at, chip in enumerate(self.chips):
            chip.setVisible(at < shown)
        rest = self._columns[shown:]
        self.more.setVisible(bool(rest))
        menu = self.more.menu()
        menu.clear()
        for column in rest:
            label = column.replace("&", "&&")
            menu.addAction(label).triggered.connect(partial(self._choose, column))

    def _fitting(self) -> int:
        widths = [self._width(chip) for chip in self.chips]
        count = len(widths)
        while count:
            menu = 0 if count == len(self._columns) else self._width(self.more)
            if sum(widths[:count]) + menu <= self.width():
                break
            count -= 1
        return count

    def _width(self, chip: QToolButton) -> int:
        chip.ensurePolished()
        return chip.sizeHint().width() + self._row.spacing()

    def _of(self, column: str) -> QToolButton:
        chip = self._chip()
        chip.setText(column if len(column) <= _LONGEST else column[: _LONGEST - 1] + "…")
        said = self._context.tr("Insert the column {name}", name=column)
        chip.setToolTip(said)
        chip.setAccessibleName(said)
        chip.clicked.connect(partial(self._choose, column))
        return chip

    def _chip(self) -> QToolButton:
        chip = QToolButton(self)
        chip.setProperty("look", "chip")
        chip.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return chip

    def _choose(self, column: str, _checked: bool = False) -> None:
        self.chosen.emit(column)
