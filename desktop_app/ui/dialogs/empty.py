"""An empty place says what would be here and what to do, instead of looking broken."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from desktop_app.ui.context import UiContext


class EmptyState(QWidget):
    """An icon, a sentence, and a smaller one below it."""

    def __init__(self, context: UiContext, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._name = icon
        self._icon, self.title, self.hint = QLabel(self), QLabel(self), QLabel(self)
        self.hint.setProperty("tone", "muted")
        self.hint.setWordWrap(True)
        whole = QVBoxLayout(self)
        whole.setSpacing(8)
        whole.addStretch(2)
        for label in (self._icon, self.title, self.hint):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            whole.addWidget(label)
        whole.addStretch(3)
        context.theme.changed.connect(self._restyle)
        self._restyle()

    def say(self, title: str, hint: str) -> None:
        """Both sentences."""
        self.title.setText(title)
        self.hint.setText(hint)

    def _restyle(self) -> None:
        ratio = self.devicePixelRatioF()
        self._icon.setPixmap(self._context.icons.pixmap(self._name, "faint", 32, ratio))
        self.title.setFont(self._context.theme.font("title", bold=True))
