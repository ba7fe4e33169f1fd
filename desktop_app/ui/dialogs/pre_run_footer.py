"""Cost, time, disk and the buttons that begin: a few rows first where a mistake costs money."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from desktop_app.domain.text import Message
from desktop_app.services.import_batch import PreRun
from desktop_app.services.trial import Pick
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.pre_run_earlier import Again
from desktop_app.ui.dialogs.style import GAP, set_look, set_tone

_LONG = 20_000
"""From so many rows on, a check shows how far it is."""


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
        self._pick = Pick.FIRST
        self._checked: tuple[int, int | None] | None = None
        self.cost, self.duration, self.disk = (QLabel(self) for _ in range(3))
        self.duration.setProperty("tone", "muted")
        self.disk.setWordWrap(True)
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.cancel, self.all, self.trial, self.open = (QPushButton(self) for _ in range(4))
        said = QVBoxLayout()
        said.setSpacing(2)
        said.addWidget(self.cost)
        said.addWidget(self.duration)
        said.addWidget(self.disk)
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

    def show_check(
        self, check: PreRun | None, choice: Again, *, again: bool = False, pick: Pick = Pick.FIRST
    ) -> None:
        """Offer what this check allows; ``again``: paid rows that are changed run once more;
        ``pick``: how the rows of a trial were chosen."""
        self._check, self._choice, self._busy, self._again = check, choice, False, again
        self._pick = pick
        self._show_checked(None)
        self._words()

    def checking(self) -> None:
        """Nothing may begin on an old answer."""
        self._busy = True
        self._show_checked(None)
        self._words()

    def checked(self, rows: int, total: int | None) -> None:
        """So many rows of a long sheet were looked at."""
        if max(rows, total or 0) >= _LONG:
            self._show_checked((rows, total))
            self._words()

    def _show_checked(self, checked: tuple[int, int | None] | None) -> None:
        self._checked = checked
        if self._total is not None:
            return
        self.progress.setVisible(checked is not None)
        if checked is not None:
            rows, total = checked
            known = total is not None and rows < total
            self.progress.setRange(0, total if known and total is not None else 0)
            self.progress.setValue(rows)

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
        self.cost.setText(self._doing() or (self._money(check) if check else ""))
        is_idle = check is not None and not self._doing() and self._choice is not Again.OPEN
        # The rows of an update are not those of the check: their time and disk are not known.
        whole = check if is_idle and self._choice is not Again.CHANGED else None
        duration = whole.duration if whole else None
        self.duration.setText(tr("Time: {time}", time=tr.say(duration)) if duration else "")
        disk = whole.disk if whole and whole.calls else None
        self.disk.setText(tr("Disk: {disk}", disk=tr.say(disk.said())) if disk else "")
        set_tone(self.disk, "warning" if disk and disk.is_short else "muted")
        for label in (self.cost, self.duration, self.disk):
            label.setVisible(bool(label.text()))
        self._buttons(importing)

    def _doing(self) -> str:
        """What is under way, in words."""
        tr = self._context.tr
        if self._total is not None:
            return tr(
                "Importing {n} of {total} rows", n=f"{self._rows:,}", total=f"{self._total:,}"
            )
        if self._checked is None:
            return ""
        rows, total = self._checked
        if total is None:
            return tr.plural("{n} row checked", "{n} rows checked", rows)
        if rows >= total:
            return tr("Comparing with the earlier run…")
        return tr("{n} of {total} rows checked", n=f"{rows:,}", total=f"{total:,}")

    def _money(self, check: PreRun) -> str:
        """Calls and cost; opening a run sends nothing, and has neither."""
        tr, cost = self._context.tr, self._cost(check)
        if self._choice is Again.OPEN:
            return ""
        said = (
            [tr("Cost: {cost}", cost=tr.say(cost) if cost else "-")] if cost or check.paid else []
        )
        if self._choice is not Again.CHANGED:
            said.insert(0, tr.plural("{n} call", "{n} calls", check.calls))
        return "  ·  ".join(said)

    def _cost(self, check: PreRun) -> Message | None:
        if self._choice is not Again.CHANGED:
            return check.cost
        return check.differs.whole_cost if self._again else check.differs.cost

    def _buttons(self, importing: bool) -> None:
        tr, check = self._context.tr, self._check
        usable = check.valid if check else 0
        updates = self._choice is Again.CHANGED and check is not None
        if check is not None and updates:
            usable = check.differs.runs + (len(check.differs.again) if self._again else 0)
        reopen = self._choice is Again.OPEN and check is not None
        tried = len(check.trial) if check is not None and not updates else 0
        trial = tried > 0
        self.open.setVisible(reopen and not importing)
        self.all.setVisible(not reopen and not importing)
        self.trial.setVisible(trial and not reopen and not importing)
        self.cancel.setText(tr("Stop the import") if importing else tr("Cancel"))
        self.open.setText(tr("Open that run"))
        self.trial.setText(self._trial_words(tried))
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
        self.trial.setEnabled(ready and check is not None and check.trial_problem is None)
        first = self.open if reopen else self.trial if paid_first else self.all
        for button in (self.open, self.trial, self.all):
            button.setDefault(button is first)
            set_look(button, "look", "primary" if button is first else "")

    def _trial_words(self, rows: int) -> str:
        tr = self._context.tr
        if self._pick is Pick.RANDOM:
            return tr.plural("Try {n} random row", "Try {n} random rows", rows)
        if self._pick is Pick.CHOSEN:
            return tr.plural("Try {n} chosen row", "Try {n} chosen rows", rows)
        return tr.plural("Try {n} row", "Try {n} rows", rows)
