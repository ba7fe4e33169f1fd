"""A cap that is reached stops a batch; whoever may spend more says how much, and it goes on."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.domain.views import BatchSummary
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.fields import FieldError, FieldGrid, decimal_of, plain, whole_of
from desktop_app.ui.dialogs.sheet import Sheet


class RaiseCapDialog(Sheet):
    """A new cap of the kind that holds the batch: of money or of calls."""

    def __init__(
        self, context: UiContext, summary: BatchSummary, parent: QWidget | None = None
    ) -> None:
        super().__init__(context, parent, width=520)
        self._batch = summary.batch
        why = summary.batch.pause_reason
        self._money = why is not None and why.code == "store.budget_batch"
        self.cap = QLineEdit(self)
        self.grid = FieldGrid(self)
        self.grid.add(self.cap)
        self.body.addWidget(self.grid)
        self.back = self.button()
        self.go = self.button(primary=True)
        self.footer.addStretch(1)
        self.footer.addWidget(self.back)
        self.footer.addWidget(self.go)
        self.back.clicked.connect(self.reject)
        self.go.clicked.connect(self._raise)
        self.cap.setText(self._before())
        self.cap.selectAll()
        self.cap.setFocus()
        self.retranslate()

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr, budget = self.context.tr, self._batch.budget
        title = tr("Raise the cap of {name}", name=self._batch.name)
        self.setWindowTitle(title)
        self.heading.setText(title)
        why = self._batch.pause_reason
        self.lead.setText(tr.say(why) if why is not None else "")
        if self._money and budget is not None:
            self.grid.name(tr("New cap ({currency})", currency=budget.currency))
        else:
            self.grid.name(tr("Most calls"))
        self.back.setText(tr("Cancel"))
        self.go.setText(tr("Raise and go on"))

    def _before(self) -> str:
        budget, calls = self._batch.budget, self._batch.max_calls
        if self._money:
            return plain(budget.amount) if budget is not None else ""
        return str(calls or "")

    def _raise(self) -> None:
        tr = self.context.tr
        calls: int | None = None
        money: Decimal | None = None
        try:
            if self._money:
                wrong = tr("The cap must be a figure such as 20.")
                money = decimal_of(self.cap, wrong)
            else:
                wrong = tr("The cap must be a whole number, such as 500.")
                calls = whole_of(self.cap, wrong, high=10_000_000)
            if money is None and calls is None:
                raise FieldError(wrong, self.cap)
        except FieldError as error:
            self.notice.say(error.said, "error")
            error.widget.setFocus()
            return
        self.run(lambda: self._go_on(calls, money))

    async def _go_on(self, calls: int | None, money: Decimal | None) -> None:
        runs = self.context.services.runs
        await runs.cap(self._batch.id, calls, money)
        await runs.start(self._batch.id)
        self.accept()
