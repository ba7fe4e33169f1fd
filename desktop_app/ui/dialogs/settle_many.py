"""Many calls in doubt are one decision: counted and priced in the store before it is taken."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.domain.views import TaskFilter
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.settle_sheet import SettleSheet


class SettleManyDialog(SettleSheet):
    """Settles the UNCERTAIN among all that match. ``said`` is the cause in plain words;
    ``settled`` carries how many were."""

    settled = Signal(int)

    def __init__(
        self, context: UiContext, which: TaskFilter, said: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(context, ("ask", "resend", "failed"), parent)
        self._which = which
        self._said = said
        letters = context.services.dead_letters
        for name, settle in (
            ("ask", letters.settle_ask_all),
            ("resend", letters.settle_resend_all),
            ("failed", letters.settle_failed_all),
        ):
            work = partial(self._settle, partial(settle, which))
            self.buttons[name].clicked.connect(lambda _=False, work=work: self.run(work))
        self.retranslate()
        self.run(self._load)

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr, rows, asked = self.context.tr, self.doubts.rows, len(self.doubts.askable)
        title = (
            tr.plural("{n} row may have been billed", "{n} rows may have been billed", rows)
            if rows
            else tr("May have been billed")
        )
        self.setWindowTitle(title)
        self.heading.setText(title)
        asks = tr("What became of these calls?")
        self.lead.setText(f"{self._said}\n{asks}" if self._said else asks)
        self.say_lines(
            {
                "ask": (
                    tr.plural("Ask about {n} row", "Ask about {n} rows", asked),
                    tr("Costs nothing. The rows run until their outcome is known."),
                ),
                "resend": (
                    tr.plural("Send {n} row again", "Send {n} rows again", rows),
                    self.price,
                ),
                "failed": (
                    tr.plural("Mark {n} row as failed", "Mark {n} rows as failed", rows),
                    tr("Nothing is sent. The rows can be requeued later."),
                ),
            }
        )

    async def _load(self) -> None:
        self.doubts = await self.context.services.dead_letters.doubts(self._which)
        self.show_ask(bool(self.doubts.askable))
        self.retranslate()
        if not self.doubts.rows:
            self.notice.say(self.context.tr("This has been settled already."), "info")
            return
        self.enable(True)

    async def _settle(self, work: Callable[[], Awaitable[int]]) -> None:
        if settled := await self.give(work):
            self.settled.emit(settled)
            self.accept()
