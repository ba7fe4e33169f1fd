"""One sentence inside a dialog, so that an error stands beside what it is about."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP, set_tone

_ICONS = {"error": "alert", "warning": "alert", "info": "info", "ok": "check"}
_COLOURS = {"error": "error_fg", "warning": "warning_fg", "info": "info_fg", "ok": "state_done"}


_LINE = 20
"""Logical pixels."""

Step = tuple[str, Callable[[], None]]
"""(word, what it does)."""


class Notice(QFrame):
    """A tinted strip with icon, wrapped text and perhaps a button; hidden while it has nothing to
    say."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tone = "info"
        self.setProperty("pane", "strip")
        self._icon = QLabel(self)
        self._icon.setFixedSize(16, _LINE)
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP + 4, GAP, GAP + 4, GAP)
        row.setSpacing(GAP)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.label, 1)
        self.step = QPushButton(self)
        self.step.setAutoDefault(False)
        self.step.clicked.connect(self._go)
        self._act: Callable[[], None] | None = None
        row.addWidget(self.step, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()
        context.theme.changed.connect(self._recolour)

    @property
    def text(self) -> str:
        """The sentence shown, or nothing."""
        return self.label.text() if not self.isHidden() else ""

    def say(self, text: str, tone: str = "info", step: Step | None = None) -> None:
        """Show a sentence; ``tone`` is error, warning, info or ok. ``step`` is what can be done
        about it."""
        self._tone = tone
        word, self._act = step or ("", None)
        self.step.setText(word)
        # In the middle of the first line, or of the button beside it.
        self._icon.setFixedHeight(self.step.sizeHint().height() if word else _LINE)
        self.step.setVisible(bool(word))
        self.label.setText(text)
        self.label.setAccessibleName(text)
        self._recolour()
        self.setVisible(bool(text))

    def _go(self) -> None:
        if self._act is not None:
            self._act()

    def clear(self) -> None:
        """Say nothing and take no room."""
        self.label.clear()
        self.hide()

    def _recolour(self) -> None:
        set_tone(self, self._tone)
        pixmap = self._context.icons.pixmap(
            _ICONS[self._tone], _COLOURS[self._tone], 16, self.devicePixelRatioF()
        )
        self._icon.setPixmap(pixmap)
