"""The place of the detail pane, which says what it is for until a row is chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from desktop_app.ui.context import UiContext

LEAST_WIDTH = 260


class DetailPlace(QStackedWidget):
    """Looks like the pane with no row, at a hundredth of its widgets."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setProperty("pane", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(LEAST_WIDTH)
        self.nothing = nothing(self)
        self.addWidget(self.nothing)
        self.retranslate()

    def fill(self, pane: QWidget) -> None:
        """From now on the pane stands here."""
        self.addWidget(pane)
        self.setCurrentWidget(pane)

    def retranslate(self) -> None:
        """Say it again."""
        say_nothing(self.nothing, self._context)


def nothing(parent: QWidget) -> QLabel:
    """What stands where no row is chosen."""
    label = QLabel(parent)
    label.setProperty("tone", "muted")
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label


def say_nothing(label: QLabel, context: UiContext) -> None:
    """In the language of now."""
    label.setText(context.tr("Choose a row to see its result and every attempt."))
