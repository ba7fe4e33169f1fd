"""Closing with calls on the wire: finishing them is the default, since they are paid for."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.sheet import Sheet
from desktop_app.ui.words import about

_LOOK_MS = 500


class ClosingDialog(Sheet):
    """``chosen`` carries ``finish``, ``quit`` or ``back``; the count follows the engine."""

    chosen = Signal(str)

    def __init__(
        self,
        context: UiContext,
        in_flight: int,
        estimate_s: float | None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(context, parent, width=480)
        self._count = in_flight
        self._estimate_s = estimate_s
        self._choice = "back"
        self.back = self.button()
        self.quit = self.button(danger=True)
        self.finish = self.button(primary=True)
        self.footer.addWidget(self.back)
        self.footer.addStretch(1)
        self.footer.addWidget(self.quit)
        self.footer.addWidget(self.finish)
        self.back.clicked.connect(self.reject)
        self.quit.clicked.connect(lambda: self._choose("quit"))
        self.finish.clicked.connect(lambda: self._choose("finish"))
        self.finished.connect(lambda _result: self.chosen.emit(self._choice))
        timer = QTimer(self)
        timer.setInterval(_LOOK_MS)
        timer.timeout.connect(self._look)
        timer.start()
        self.finished.connect(timer.stop)
        self.retranslate()
        self.finish.setFocus()

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr, n = self.context.tr, self._count
        self.setWindowTitle(tr("Close Batchwright"))
        self.back.setText(tr("Back"))
        if n == 0:
            self.heading.setText(tr("Nothing is running any more"))
            self.lead.setText(tr("Rows that wait stay as they are until you start them again."))
            self.finish.setText(tr("Close"))
        else:
            self.heading.setText(tr.plural("{n} call is running", "{n} calls are running", n))
            self.lead.setText(
                tr(
                    "What was sent is paid for. Finishing waits for the results and "
                    "starts nothing new; rows that wait stay as they are."
                )
            )
            finish = tr.plural("Finish {n} running", "Finish {n} running", n)
            self.finish.setText(
                finish
                if self._estimate_s is None
                else tr("{finish} (about {time})", finish=finish, time=about(tr, self._estimate_s))
            )
        self.quit.setVisible(n > 0)
        self.quit.setText(
            tr.plural("Quit now ({n} may be billed)", "Quit now ({n} may be billed)", n)
        )

    def _look(self) -> None:
        count = self.context.services.runs.in_flight()
        if count != self._count:
            self._count = count
            self.retranslate()

    def _choose(self, choice: str) -> None:
        self._choice = choice
        self.accept()
