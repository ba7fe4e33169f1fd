"""A mass requeue acts on all that match, so the whole number is confirmed before it does."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.sheet import Sheet
from desktop_app.ui.requeued import requeued
from desktop_app.ui.words import is_unsendable


class RequeueDialog(Sheet):
    """Confirms with the number counted in the store now, then requeues that filter.

    ``said`` is the cause in plain words. ``requeued`` carries how many rows went back.
    """

    requeued = Signal(int)

    def __init__(
        self,
        context: UiContext,
        which: TaskFilter,
        count: int,
        said: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(context, parent, width=480)
        self._which = which
        self._count = count
        self._said = said
        self._counted = False
        self.back = self.button()
        self.go = self.button(primary=True)
        self.footer.addStretch(1)
        self.footer.addWidget(self.back)
        self.footer.addWidget(self.go)
        self.back.clicked.connect(self.reject)
        self.go.clicked.connect(lambda: self.run(self._requeue))
        self.retranslate()
        self.run(self._recount)

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr, n = self.context.tr, self._count
        self.setWindowTitle(tr("Requeue"))
        self.heading.setText(tr.plural("Requeue {n} row?", "Requeue {n} rows?", n))
        sendable = not is_unsendable(TaskState.FAILED, self._which.cause or "")
        parts = [self._said] if self._said else []
        if sendable:
            parts.append(
                tr.plural(
                    "It is sent again within the account's limits; its history is kept.",
                    "They are sent again within the account's limits; their history is kept.",
                    n,
                )
            )
        self.lead.setText("\n".join(parts))
        self.back.setText(tr("Back"))
        self.go.setText(tr.plural("Requeue {n} row", "Requeue {n} rows", n))
        self.go.setEnabled(self._counted and n > 0 and sendable)
        if not sendable:
            self.notice.say(
                tr.plural(
                    "This row never was a request, so there is nothing to send: edit its prompt, "
                    "or mend the sheet and import it again.",
                    "These rows never were requests, so there is nothing to send: edit their "
                    "prompts, or mend the sheet and import it again.",
                    n,
                ),
                "warning",
            )

    async def _recount(self) -> None:
        self._count = await self.context.services.queries.count(self._which)
        self._counted = True
        self.retranslate()
        self.go.setFocus()

    async def _requeue(self) -> None:
        self.locked = True
        self.go.setEnabled(False)
        try:
            letters = self.context.services.dead_letters
            held = await letters.held(self._which)
            count = await letters.requeue(self._which)
        finally:
            self.locked = False
            self.retranslate()
        self.context.signals.answered.emit(requeued(count, held))
        self.requeued.emit(count)
        self.accept()
