"""Filter chips say how many and show only those: the ledger, made clickable."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.ui.context import UiContext

_CHIPS: tuple[tuple[str, frozenset[TaskState]], ...] = (
    ("waiting", frozenset({TaskState.PENDING})),
    ("running", frozenset({TaskState.RUNNING})),
    ("retrying", frozenset({TaskState.RETRYING})),
    ("done", frozenset({TaskState.SUCCESS})),
    ("needs_you", DEAD_LETTERS),
    ("cancelled", frozenset({TaskState.CANCELLED})),
)


class Chips(QWidget):
    """``changed`` fires when the operator turns a chip on or off."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._ledger = Ledger()
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        self.buttons: dict[str, QToolButton] = {}
        for name, _ in _CHIPS:
            chip = QToolButton(self)
            chip.setCheckable(True)
            chip.setProperty("look", "chip")
            chip.toggled.connect(lambda _on: self.changed.emit())
            line.addWidget(chip)
            self.buttons[name] = chip
        self.setMinimumWidth(280)  # seven-figure counts may be clipped, never widen the window
        self.retranslate()

    def states(self) -> frozenset[TaskState]:
        """The states chosen; empty means all."""
        chosen: frozenset[TaskState] = frozenset()
        for name, states in _CHIPS:
            if self.buttons[name].isChecked():
                chosen |= states
        return chosen

    def clear(self) -> None:
        """Show all again, with one ``changed``."""
        on = [chip for chip in self.buttons.values() if chip.isChecked()]
        for chip in on:
            chip.blockSignals(True)
            chip.setChecked(False)
            chip.blockSignals(False)
        if on:
            self.changed.emit()

    def set_ledger(self, ledger: Ledger) -> None:
        """Show these counts."""
        if ledger != self._ledger:
            self._ledger = ledger
            self.retranslate()

    def retranslate(self) -> None:
        """Words and counts again."""
        tr = self._context.tr
        titles = {
            "waiting": tr("Waiting"),
            "running": tr("Running"),
            "retrying": tr("Retrying"),
            "done": tr("Done"),
            "needs_you": tr("Needs you"),
            "cancelled": tr("Cancelled"),
        }
        for name, states in _CHIPS:
            count = sum(self._ledger.count(state) for state in states)
            chip = self.buttons[name]
            chip.setText(f"{titles[name]} {count:,}")
            chip.setAccessibleName(tr("Show only: {what}", what=titles[name]))
            chip.setToolTip(tr("Show only: {what}", what=chip.text()))  # it may be clipped
            chip.setVisible(name != "cancelled" or count > 0 or chip.isChecked())
