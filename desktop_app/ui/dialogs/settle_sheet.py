"""What became of calls that may have been billed is answered with one click, with its price."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from desktop_app.domain.views import Doubts
from desktop_app.services.dead_letters import price_of_resending
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.sheet import Sheet
from desktop_app.ui.dialogs.style import GAP

_ICONS = {"ask": "help", "attach": "attach", "resend": "send", "failed": "ban"}


class SettleSheet(Sheet):
    """A line an answer: its button and what it does. Subclasses say the words, load ``doubts`` and
    connect the buttons; ``ask`` is shown only where the provider can be asked."""

    def __init__(self, context: UiContext, names: tuple[str, ...], parent: QWidget | None) -> None:
        super().__init__(context, parent, width=560)
        self.doubts = Doubts()
        self.buttons: dict[str, QPushButton] = {}
        self._notes: dict[str, QLabel] = {}
        for name in names:
            self._add_line(name)
        self.show_ask(False)
        self.enable(False)
        self.body.addStretch(1)
        self.back = self.button()
        self.footer.addStretch(1)
        self.footer.addWidget(self.back)
        self.back.clicked.connect(self.reject)

    def _add_line(self, name: str) -> None:
        button = self.button()
        button.setIconSize(QSize(16, 16))
        self.context.icons.wear(button, _ICONS[name])
        button.setMinimumWidth(176)
        note = QLabel(self)
        note.setProperty("tone", "muted")
        note.setTextFormat(Qt.TextFormat.PlainText)
        note.setWordWrap(True)
        line = QHBoxLayout()
        line.setSpacing(GAP * 2)
        line.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(note, 1)
        self.body.addLayout(line)
        self.buttons[name] = button
        self._notes[name] = note

    def say_lines(self, words: dict[str, tuple[str, str]]) -> None:
        """Name each button and say what it does."""
        for name, (word, note) in words.items():
            self.buttons[name].setText(word)
            self._notes[name].setText(note)
            self.buttons[name].setAccessibleDescription(note)
        self.back.setText(self.context.tr("Back"))

    @property
    def price(self) -> str:
        """What sending again may cost; nothing before that is known."""
        return self.context.tr.say(price_of_resending(self.doubts)) if self.doubts.rows else ""

    def show_ask(self, shown: bool) -> None:
        """Offer to ask the provider, or don't."""
        self.buttons["ask"].setVisible(shown)
        self._notes["ask"].setVisible(shown)

    def enable(self, on: bool) -> None:
        """Let the answers be given."""
        for button in self.buttons.values():
            button.setEnabled(on)

    async def give(self, work: Callable[[], Awaitable[int]]) -> int:
        """Act on an answer; the dialog stays while that lasts. Returns how many it settled."""
        self.locked = True
        self.enable(False)
        try:
            done = await work()
        finally:
            self.locked = False
            self.enable(True)
        if not done:
            self.notice.say(self.context.tr("This has been settled already."), "info")
            self.enable(False)
        return done
