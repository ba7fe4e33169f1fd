"""A failure sheet that was dropped is no new work: its rows go back to where they came from."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from desktop_app.services.dead_letters import price_of_resending
from desktop_app.services.failure_sheets import ReturnPlan
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.sheet import Sheet
from desktop_app.ui.dialogs.tick_box import TickBox

_MOST_LINES = 500
_LIST_HEIGHT = 120


class ReturnedDialog(Sheet):
    """Says what would go back, what may be paid twice and what stays, then does it in one step.

    ``requeued`` carries how many rows went back; ``as_new``: a person wants them as a new sheet.
    """

    requeued = Signal(int)
    as_new = Signal()

    def __init__(self, context: UiContext, plan: ReturnPlan, parent: QWidget | None = None) -> None:
        super().__init__(context, parent, width=560)
        self._plan = plan
        self.uncertain = TickBox(context, self)
        self.price = QLabel(self)
        self.price.setWordWrap(True)
        self.price.setProperty("tone", "muted")
        self.price.setIndent(24)
        self.left = QLabel(self)
        self.refused = QPlainTextEdit(self)
        self.refused.setReadOnly(True)
        self.refused.setTabChangesFocus(True)
        self.refused.setProperty("look", "sunken")
        self.refused.setFixedHeight(_LIST_HEIGHT)
        self.left.setBuddy(self.refused)
        for widget in (self.uncertain, self.price, self.left, self.refused):
            self.body.addWidget(widget)
        for widget in (self.uncertain, self.price):
            widget.setVisible(bool(plan.doubtful))
        for widget in (self.left, self.refused):
            widget.setVisible(bool(plan.refused))
        self.new = self.button()
        self.back = self.button()
        self.go = self.button(primary=True)
        self.footer.addWidget(self.new)
        self.footer.addStretch(1)
        self.footer.addWidget(self.back)
        self.footer.addWidget(self.go)
        self.uncertain.toggled.connect(self.retranslate)
        self.new.clicked.connect(self._as_new)
        self.back.clicked.connect(self.reject)
        self.go.clicked.connect(lambda: self.run(self._requeue))
        self.retranslate()
        (self.go if self.go.isEnabled() else self.back).setFocus()

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr, plan, uncertain = self.context.tr, self._plan, self.uncertain.isChecked()
        n, edited = len(plan.taken(uncertain=uncertain)), plan.edited(uncertain=uncertain)
        self.setWindowTitle(tr("Failure sheet"))
        if not n:
            heading = tr("No row of this sheet can be requeued as it is")
        elif edited:
            heading = tr.plural(
                "Requeue this {n} row with the edited prompt?",
                "Requeue these {n} rows with the edited prompts?",
                n,
            )
        else:
            heading = tr.plural("Requeue this {n} row?", "Requeue these {n} rows?", n)
        self.heading.setText(heading)
        names = tr.listed(batch.name for batch in plan.batches)
        said = [tr("{file} holds failures of: {batches}.", file=plan.info.path.name, batches=names)]
        if not names:
            said = [tr("{file} is a failure sheet.", file=plan.info.path.name)]
        if edited:
            said.append(
                tr.plural(
                    "{n} row was edited and goes as a new request.",
                    "{n} rows were edited and go as new requests.",
                    edited,
                )
            )
        if n > edited:
            said.append(
                tr.plural(
                    "{n} row is sent again as it was.",
                    "{n} rows are sent again as they were.",
                    n - edited,
                )
            )
        self.lead.setText(tr.joined(said))
        self.uncertain.setText(
            tr.plural(
                "Also send {n} row again that may have been billed",
                "Also send {n} rows again that may have been billed",
                len(plan.doubtful),
            )
        )
        self.price.setText(tr.say(price_of_resending(plan.doubts)))
        self.left.setText(
            tr.plural("{n} row stays as it is:", "{n} rows stay as they are:", len(plan.refused))
        )
        shown = [tr.say(why) for why in plan.refused[:_MOST_LINES]]
        self.refused.setPlainText("\n".join([*shown, "…"] if plan.refused[_MOST_LINES:] else shown))
        self.new.setText(tr("Import as a new sheet"))
        self.back.setText(tr("Back"))
        self.go.setText(tr.plural("Requeue {n} row", "Requeue {n} rows", n))
        self.go.setEnabled(n > 0)

    def _as_new(self) -> None:
        self.as_new.emit()
        self.reject()

    async def _requeue(self) -> None:
        self.locked = True
        self.go.setEnabled(False)
        uncertain = self.uncertain.isChecked()
        try:
            count = await self.context.services.failure_sheets.requeue(
                self._plan, uncertain=uncertain
            )
        finally:
            self.locked = False
            self.retranslate()
        self.requeued.emit(count)
        self.accept()
