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

from desktop_app.domain.money import spoken
from desktop_app.domain.views import BatchSummary
from desktop_app.services.asked_before import said as asked_said
from desktop_app.services.import_batch import Differences, PreRun
from desktop_app.services.import_plan import AskedIn, Earlier
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP
from desktop_app.ui.dialogs.tick_box import TickBox
from desktop_app.ui.words import ledger_line


class Again(StrEnum):
    """What to do with a sheet that was run before."""

    OPEN = "open"
    SKIP = Earlier.SKIP.value
    CHANGED = Earlier.CHANGED.value
    FAILED = Earlier.FAILED.value
    ALL = Earlier.ALL.value

    @property
    def earlier(self) -> Earlier | None:
        """What of the sheet runs; None: nothing."""
        return None if self is Again.OPEN else Earlier(self.value)


class EarlierStrip(QFrame):
    """One line about the last run of this sheet and the ways on; hidden for a new sheet.

    ``run`` is of these very bytes, or, with ``is_older``, of an earlier version of them; else, with
    ``asked``, of another sheet that rows of this one were asked for in. What would be paid for
    again, and what the sheet has no longer, is asked about: a tick each.
    """

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.run: BatchSummary | None = None
        self.is_older = False
        self.asked: tuple[AskedIn, ...] = ()
        self._differs = Differences()
        self.setProperty("pane", "strip")
        self.setProperty("tone", "info")
        self.label = QLabel(self)
        self.label.setWordWrap(True)
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
        self.pay_again, self.cancel_gone = TickBox(context, self), TickBox(context, self)
        for tick in (self.pay_again, self.cancel_gone):
            tick.toggled.connect(lambda _on: self.changed.emit())
        whole = QVBoxLayout(self)
        whole.setContentsMargins(GAP + 4, GAP, GAP + 4, GAP)
        whole.setSpacing(GAP // 2)
        whole.addWidget(self.label)
        whole.addLayout(row)
        whole.addWidget(self.pay_again)
        whole.addWidget(self.cancel_gone)
        self.hide()

    @property
    def choice(self) -> Again:
        """What was chosen; ALL where there is no earlier run."""
        if self.run is None:
            return Again.ALL
        return next(choice for choice, button in self.buttons.items() if button.isChecked())

    @property
    def again(self) -> frozenset[int]:
        """The rows (pks) that were paid for and may run once more."""
        ticked = self.choice is Again.CHANGED and self.pay_again.isChecked()
        return self._differs.again if ticked else frozenset()

    @property
    def cancels_gone(self) -> bool:
        """Whether waiting rows that the sheet has no longer are cancelled."""
        return self.choice is Again.CHANGED and self.cancel_gone.isChecked()

    def show_check(self, check: PreRun, *, is_part: bool = False) -> None:
        """Show the newest run of this sheet, if there is one, or those of others that have rows of
        it, and what is otherwise now. ``is_part``: the check was of a part of the sheet."""
        run = check.earlier[0] if check.earlier else check.lineage
        if run is None and is_part and self.asked:
            return
        asked = check.asked if run is None else ()
        run = asked[0].run if asked else run
        known = self.run is not None and run is not None and self.run.batch.id == run.batch.id
        if known and not asked and self.choice in {Again.SKIP, Again.FAILED}:
            return  # that check was of a part of the sheet
        self.run, self.asked = run, asked
        self.is_older = run is not None and not check.earlier and not asked
        self._differs = differs = check.differs
        if run is not None and not known:
            for tick in (self.pay_again, self.cancel_gone):
                tick.setChecked(False)
            first = self.buttons[self._first(check)]
            if asked and first.isChecked():
                self.changed.emit()  # a part of the sheet is to be looked at once more
            first.setChecked(True)
        if run is not None:
            ledger = run.ledger
            is_done = not self.is_older and ledger.success >= check.found
            if asked:
                is_done = sum(each.done + each.waiting for each in asked) >= check.found
            self.buttons[Again.SKIP].setEnabled(not is_done)
            self.buttons[Again.CHANGED].setEnabled(differs.is_something)
            failed = ledger.dead_letters + ledger.cancelled - ledger.uncertain
            if asked:
                failed = sum(each.over for each in asked)
            self.buttons[Again.FAILED].setEnabled(failed > 0)
        self._words()
        self._offer_ticks()
        self.setVisible(run is not None)

    def _first(self, check: PreRun) -> Again:
        if self.asked:
            settled = sum(each.done + each.waiting for each in self.asked)
            if settled >= check.found:
                return Again.OPEN
            return Again.SKIP if check.paid else Again.ALL
        return Again.CHANGED if self.is_older and check.differs.is_something else Again.OPEN

    def _offer_ticks(self) -> None:
        takes = self.choice is Again.CHANGED
        self.pay_again.setVisible(takes and bool(self._differs.again))
        self.cancel_gone.setVisible(takes and self._differs.waiting_gone > 0)

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self.buttons[Again.OPEN].setText(tr("Open that run"))
        self.buttons[Again.SKIP].setText(tr("Skip rows that are done"))
        self.buttons[Again.CHANGED].setText(tr("Only changed rows"))
        self.buttons[Again.FAILED].setText(tr("Only failed rows"))
        self.buttons[Again.ALL].setText(tr("All rows again"))
        self._words()

    def _toggled(self, checked: bool) -> None:
        if checked:
            self._offer_ticks()
            self.changed.emit()

    def _words(self) -> None:
        if self.run is None:
            return
        tr = self._context.tr
        when = datetime.fromtimestamp(self.run.batch.created_at).astimezone()
        text = tr(
            "Run of {date}: {rows}.",
            date=when.strftime("%Y-%m-%d %H:%M"),
            rows=ledger_line(tr, self.run.ledger),
        )
        said = [*map(tr.say, asked_said(self.asked)), text]
        if self.is_older or self._differs.is_something:
            said.append(self._what_differs())
        self.label.setText(tr.joined(said))
        self._word_ticks()

    def _what_differs(self) -> str:
        tr, differs = self._context.tr, self._differs
        said = [
            tr(
                "In this sheet: {changed} changed, {new} new, {same} the same.",
                changed=f"{differs.changed + len(differs.again):,}",
                new=f"{differs.new:,}",
                same=f"{differs.same:,}",
            )
        ]
        if differs.unusable:
            n = differs.unusable
            said.append(
                tr.plural(
                    "{n} can't be used as it is now.", "{n} can't be used as they are now.", n
                )
            )
        if differs.gone:
            n = differs.gone
            said.append(tr.plural("{n} is no longer in it.", "{n} are no longer in it.", n))
        return tr.joined(said)

    def _word_ticks(self) -> None:
        tr, differs = self._context.tr, self._differs
        n, cost = len(differs.again), differs.again_cost
        text = tr.plural(
            "Pay again for {n} changed row that is done or on its way",
            "Pay again for {n} changed rows that are done or on their way",
            n,
        )
        if differs.uncertain:
            u = differs.uncertain
            text += " " + tr.plural(
                "({n} may have been billed)", "({n} of them may have been billed)", u
            )
        if cost is not None and cost.amount:
            text += ": " + tr("up to {cost}", cost=spoken(cost))
        self.pay_again.setText(text)
        self.cancel_gone.setText(
            tr.plural(
                "Cancel {n} waiting row that is no longer in this sheet",
                "Cancel {n} waiting rows that are no longer in this sheet",
                differs.waiting_gone,
            )
        )
