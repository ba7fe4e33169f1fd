"""Rarely needed fields behind one line, so that a dialog stays calm and still has everything."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP


class Disclosure(QWidget):
    """A titled line that shows or hides its content."""

    toggled = Signal(bool)

    def __init__(self, context: UiContext, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.content = content
        self.button = QToolButton(self)
        self.button.setProperty("look", "disclose")
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setIconSize(QSize(14, 14))
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.button.setCheckable(True)
        self.button.toggled.connect(self._toggle)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(GAP // 2)
        whole.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        whole.addWidget(content)
        self._toggle(False)

    def set_title(self, title: str) -> None:
        """The words of the line."""
        self.button.setText(title)

    def open(self) -> None:
        """Show the content."""
        self.button.setChecked(True)

    def _toggle(self, shown: bool) -> None:
        self.content.setVisible(shown)
        self._context.icons.wear(self.button, "chevron-down" if shown else "chevron-right")
        self.toggled.emit(shown)
