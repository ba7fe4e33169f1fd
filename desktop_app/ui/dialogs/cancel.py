"""Cancelling a batch is asked about with its numbers, since what was sent is still paid for."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import UNFINISHED
from desktop_app.domain.views import BatchSummary, TaskFilter
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.sheet import Sheet

AGAIN_MS = 1000


class _CancelQuestion(Sheet):
    """Counts, also while it asks, since rows go on ending; then cancels. ``cancelled`` carries how
    many rows it reached."""

    cancelled = Signal(int)

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent, width=480)
        self.back = self.button()
        self.go = self.button(danger=True)
        self.footer.addStretch(1)
        self.footer.addWidget(self.back)
        self.footer.addWidget(self.go)
        self.back.clicked.connect(self.reject)
        self.go.clicked.connect(lambda: self.run(self._cancel))
        self.retranslate()
        self.back.setFocus()
        self.run(self._count)
        self.again = QTimer(self, interval=AGAIN_MS)
        self.again.timeout.connect(self._count_again)
        self.finished.connect(self.again.stop)
        self.again.start()

    def _count_again(self) -> None:
        if not self.locked:
            self.run(self._count)

    async def _count(self) -> None:
        raise NotImplementedError

    def _which(self) -> TaskFilter:
        raise NotImplementedError

    async def _cancel(self) -> None:
        self.locked = True
        self.go.setEnabled(False)
        try:
            count = await self.context.services.runs.cancel(self._which())
        finally:
            self.locked = False
            self.go.setEnabled(True)
        self.cancelled.emit(count)
        self.accept()


class CancelDialog(_CancelQuestion):
    """Cancels the waiting rows of a batch, or of all where ``summary`` is None."""

    def __init__(
        self, context: UiContext, summary: BatchSummary | None, parent: QWidget | None = None
    ) -> None:
        self._summary = summary
        self._ledger = summary.ledger if summary else None
        super().__init__(context, parent)

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr, ledger = self.context.tr, self._ledger or Ledger()
        waiting = ledger.pending + ledger.retrying
        name = self._summary.batch.name if self._summary else tr("All batches")
        self.setWindowTitle(tr("Cancel {name}", name=name))
        self.heading.setText(
            tr.plural("Cancel {n} waiting row?", "Cancel {n} waiting rows?", waiting)
        )
        parts = [name]
        if ledger.running:
            parts.append(
                tr.plural(
                    "{n} running row was sent already: its paid result is kept.",
                    "{n} running rows were sent already: their paid results are kept.",
                    ledger.running,
                )
            )
        parts.append(tr("Cancelled rows can be requeued later."))
        self.lead.setText("\n".join(parts))
        self.back.setText(tr("Back"))
        self.go.setText(tr.plural("Cancel {n} row", "Cancel {n} rows", waiting))
        self.go.setEnabled(self._ledger is not None and ledger.unfinished > 0)

    async def _count(self) -> None:
        batch_id = self._summary.batch.id if self._summary else None
        self._ledger = await self.context.services.queries.ledger(batch_id)
        self.retranslate()

    def _which(self) -> TaskFilter:
        return TaskFilter(batch_id=self._summary.batch.id if self._summary else None)


class CancelRowsDialog(_CancelQuestion):
    """Cancels the rows selected; only those that still wait or run are counted and reached."""

    def __init__(
        self, context: UiContext, which: TaskFilter, parent: QWidget | None = None
    ) -> None:
        self._rows = replace(which, states=UNFINISHED)
        self._n: int | None = None
        super().__init__(context, parent)

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr, n = self.context.tr, self._n or 0
        heading = tr.plural("Cancel {n} row?", "Cancel {n} rows?", n)
        self.setWindowTitle(heading)
        self.heading.setText(heading)
        self.lead.setText(
            tr("What was sent already keeps its paid result. Cancelled rows can be requeued later.")
        )
        self.back.setText(tr("Back"))
        self.go.setText(tr.plural("Cancel {n} row", "Cancel {n} rows", n))
        self.go.setEnabled(n > 0)

    async def _count(self) -> None:
        self._n = await self.context.services.queries.count(self._rows)
        self.retranslate()

    def _which(self) -> TaskFilter:
        return self._rows
