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
    CHANGED = "changed"
    REST = "rest"
    ALL = "all"


class EarlierStrip(QFrame):
    """One line about the last run of this sheet and three ways on; hidden for a new sheet.

    ``run`` is of these very bytes, or, with ``is_older``, of an earlier version of them.
    """

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.run: BatchSummary | None = None
        self.is_older = False
        self._counts = (0, 0)
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

    def show_runs(self, earlier: tuple[BatchSummary, ...], rows: int) -> None:
        """Show the newest of these runs, if there is one; ``rows`` are in the sheet now."""
        run = earlier[0] if earlier else None
        self._show(run, is_older=False)
        self.buttons[Again.REST].setHidden(run is not None and run.ledger.success >= rows)

    def show_lineage(self, run: BatchSummary | None, changed: int, new: int) -> None:
        """Show the run of an earlier version of this sheet: so many rows are otherwise now."""
        known = self.run is not None and run is not None and self.run.batch.id == run.batch.id
        self._counts = (changed, new)
        self._show(run, is_older=run is not None)
        if run is not None and not known:
            first = Again.CHANGED if changed or new else Again.OPEN
            self.buttons[first].setChecked(True)
        self.buttons[Again.CHANGED].setEnabled(bool(changed or new))

    def _show(self, run: BatchSummary | None, *, is_older: bool) -> None:
        self.run, self.is_older = run, is_older
        self.buttons[Again.REST].setHidden(is_older)
        self.buttons[Again.CHANGED].setHidden(not is_older)
        self._words()
        self.setVisible(run is not None)

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self.buttons[Again.OPEN].setText(tr("Open that run"))
        self.buttons[Again.REST].setText(tr("Only failed and new rows"))
        self.buttons[Again.CHANGED].setText(tr("Only changed rows"))
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
        text = said.format(
            date=when.strftime("%Y-%m-%d %H:%M"),
            done=f"{ledger.success:,}",
            failed=f"{ledger.dead_letters:,}",
            waiting=f"{ledger.unfinished:,}",
        )
        if self.is_older:
            changed, new = self._counts
            text += " " + tr(
                "In this sheet {changed} rows are changed and {new} are new.",
                changed=f"{changed:,}",
                new=f"{new:,}",
            )
        self.label.setText(text)
