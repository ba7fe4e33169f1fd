"""Words that somebody reads or selects stay as they are while what surrounds them is shown anew."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget


class ReadOnlyText(QPlainTextEdit):
    """Remembers what it was given: what it gives back has other line ends and blanks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self._given = ""

    def show_text(self, text: str) -> None:
        """Show this; nothing happens where it is shown already."""
        if text != self._given:
            self._given = text
            self.setPlainText(text)

    def go_on(self, text: str) -> None:
        """The same where ``text`` may be what is shown and more: only the rest is added, and who
        reads at the end still does."""
        # Half a line end of Windows would become two of ours.
        if not self._given or self._given.endswith("\r") or not text.startswith(self._given):
            self.show_text(text)
            return
        more, self._given = text[len(self._given) :], text
        if not more:
            return
        bar = self.verticalScrollBar()
        follows = bar.value() >= bar.maximum()
        end = QTextCursor(self.document())
        end.movePosition(QTextCursor.MoveOperation.End)
        end.insertText(more)
        if follows:
            bar.setValue(bar.maximum())
