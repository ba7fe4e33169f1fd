"""The same sheet again: opening its last run is the default, since running all again pays twice."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.views import BatchSummary
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP


class Again(StrEnum):
    """What to do with a sheet that was run before."""

    OPEN = "open"
    REST = "rest"
    ALL = "all"


class EarlierStrip(QFrame):
    """One line about the last run of these bytes and three ways on; hidden for a new sheet."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.run: BatchSummary | None = None
        self.setProperty("pane", "strip")
        self.setProperty("tone", "info")
        self.label = QLabel(self)
        self.buttons = {choice: QRadioButton(self) for choice in Again}
        self.buttons[Again.OPEN].setChecked(True)
        group = QButtonGroup(self)
        row = QHBoxLayout()
        row.setSpacing(GAP * 2)
        for button in self.buttons.values():
            group.addButton(button)
            row.addWidget(button)
            button.toggled.connect(self._toggled)
        row.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(GAP + 4, GAP, GAP + 4, GAP)
        whole.setSpacing(GAP // 2)
        whole.addWidget(self.label)
        whole.addLayout(row)
        self.hide()

    @property
    def choice(self) -> Again:
        """What was chosen; ALL where there is no earlier run."""
        if self.run is None:
            return Again.ALL
        return next(choice for choice, button in self.buttons.items() if button.isChecked())

    def show_runs(self, earlier: tuple[BatchSummary, ...]) -> None:
        """Show the newest of these runs, if there is one."""
        self.run = earlier[0] if earlier else None
        self._words()
        self.setVisible(self.run is not None)

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self.buttons[Again.OPEN].setText(tr("Open that run"))
        self.buttons[Again.REST].setText(tr("Only failed and new rows"))
        self.buttons[Again.ALL].setText(tr("All rows again"))
        self._words()

    def _toggled(self, checked: bool) -> None:
        if checked:
            self.changed.emit()

    def _words(self) -> None:
        if self.run is None:
            return
        tr, ledger = self._context.tr, self.run.ledger
        when = datetime.fromtimestamp(self.run.batch.created_at).astimezone()
        said = (
            tr("Run of {date}: {done} done, {failed} failed, {waiting} waiting.")
            if ledger.unfinished
            else tr("Run of {date}: {done} done, {failed} failed.")
        )
        self.label.setText(
            said.format(
                date=when.strftime("%Y-%m-%d %H:%M"),
                done=f"{ledger.success:,}",
                failed=f"{ledger.dead_letters:,}",
                waiting=f"{ledger.unfinished:,}",
            )
        )
