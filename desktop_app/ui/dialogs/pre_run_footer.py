"""Cost, time and the buttons that begin: three rows first where a mistake would cost money."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from desktop_app.domain.text import Message
from desktop_app.services.import_batch import PreRun
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.pre_run_earlier import Again
from desktop_app.ui.dialogs.style import GAP

TRIAL = 3


class PreRunFooter(QWidget):
    """What it costs and how long it takes, the progress of an import, and the ways on."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._check: PreRun | None = None
        self._choice = Again.ALL
        self._total: int | None = None
        self._rows = 0
        self._busy = True
        self._again = False
        self.cost, self.duration = QLabel(self), QLabel(self)
        self.duration.setProperty("tone", "muted")
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.cancel, self.all, self.trial, self.open = (QPushButton(self) for _ in range(4))
        said = QVBoxLayout()
        said.setSpacing(2)
        said.addWidget(self.cost)
        said.addWidget(self.duration)
        said.addWidget(self.progress)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addLayout(said, 1)
        for button in (self.cancel, self.all, self.trial, self.open):
            button.setAutoDefault(False)
            row.addWidget(button)
        self.progress.hide()
        self._words()

    def show_check(self, check: PreRun | None, choice: Again, *, again: bool = False) -> None:
        """Offer what this check allows; ``again``: paid rows that are changed run once more."""
        self._check, self._choice, self._busy, self._again = check, choice, False, again
        self._words()

    def checking(self) -> None:
        """Nothing may begin on an old answer."""
        self._busy = True
        self._words()

    def importing(self, total: int | None) -> None:
        """Show progress towards ``total`` rows; None ends it."""
        self._total, self._rows = total, 0
        self.progress.setVisible(total is not None)
        if total is not None:
            self.progress.setRange(0, max(1, total))
            self.progress.setValue(0)
        self._words()

    def progressed(self, rows: int) -> None:
        """So many rows were imported."""
        self._rows = rows
        self.progress.setValue(rows)
        self._words()

    def retranslate(self) -> None:
        """Say every word again."""
        self._words()

    def _words(self) -> None:
        tr, check = self._context.tr, self._check
        importing = self._total is not None
        if importing:
            self.cost.setText(
                tr("Importing {n} of {total} rows", n=f"{self._rows:,}", total=f"{self._total:,}")
            )
        elif check is None:
            self.cost.setText("")
            self.duration.setText("")
        else:
            # Opening a run sends nothing: it has neither cost nor time.
            runs = self._choice is not Again.OPEN
            cost = self._cost(check)
            self.cost.setText(
                tr("Cost: {cost}", cost=tr.say(cost) if cost else "-")
                if runs and (cost or check.paid)
                else ""
            )
            timed = runs and self._choice is not Again.CHANGED
            self.duration.setText(
                tr("Time: {time}", time=tr.say(check.duration)) if timed and check.duration else ""
            )
        for label in (self.cost, self.duration):
            label.setVisible(bool(label.text()) and (label is self.cost or not importing))
        self._buttons(importing)

    def _cost(self, check: PreRun) -> Message | None:
        if self._choice is not Again.CHANGED:
            return check.cost
        return check.differs.whole_cost if self._again else check.differs.cost

    def _buttons(self, importing: bool) -> None:
        tr, check = self._context.tr, self._check
        usable = check.rows - check.bad_rows if check else 0
        updates = self._choice is Again.CHANGED and check is not None
        if check is not None and updates:
            usable = check.differs.runs + (len(check.differs.again) if self._again else 0)
        reopen = self._choice is Again.OPEN and check is not None
        trial = check is not None and check.trial_gate is not None and usable > TRIAL
        trial = trial and not updates
        self.open.setVisible(reopen and not importing)
        self.all.setVisible(not reopen and not importing)
        self.trial.setVisible(trial and not reopen and not importing)
        self.cancel.setText(tr("Stop the import") if importing else tr("Cancel"))
        self.open.setText(tr("Open that run"))
        self.trial.setText(tr.plural("Try {n} row", "Try {n} rows", TRIAL))
        paid_first = trial and check is not None and check.paid
        if check is None:
            self.all.setText(tr("Run"))
        elif paid_first:
            self.all.setText(tr("Run all {n}", n=f"{usable:,}"))
        else:
            self.all.setText(
                tr.plural("Run {n} row", "Run {n} rows", usable)
                if usable or not updates
                else tr("Update that run")
            )
        ready = not self._busy and check is not None
        self.open.setEnabled(ready)
        self.all.setEnabled(ready and (usable > 0 or updates))
        self.trial.setEnabled(ready)
        first = self.open if reopen else self.trial if paid_first else self.all
        for button in (self.open, self.trial, self.all):
            button.setDefault(button is first)
            look = "primary" if button is first else ""
            if button.property("look") != look:
                button.setProperty("look", look)
                # The bold face of a primary button is measured only when it is polished anew.
                button.style().unpolish(button)
                button.style().polish(button)
                button.updateGeometry()
