"""What a model said to itself before it answered: out of sight until somebody wants to know."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.disclosure import Disclosure
from desktop_app.ui.dialogs.style import sheet_style
from desktop_app.ui.read_only import ReadOnlyText

HIGH = 160


class Thinking(Disclosure):
    """A line that opens. Hidden where the model did not think aloud."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        self.words = ReadOnlyText()
        self.words.setFixedHeight(HIGH)
        super().__init__(context, self.words, parent)
        self.hide()
        context.theme.changed.connect(self._dress)
        self._dress()

    def show_words(self, words: str) -> None:
        """Show these, or nothing."""
        self.setVisible(bool(words))
        self.words.show_text(words)

    def _dress(self) -> None:
        self.setStyleSheet(sheet_style(self._context.theme))

    def retranslate(self) -> None:
        """Every word again."""
        title = self._context.tr("What the model thought first")
        self.set_title(title)
        self.words.setAccessibleName(title)
