"""Forms scroll when they must, and the wheel never changes a value by chance."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QComboBox, QFrame, QScrollArea, QVBoxLayout, QWidget

_BESIDE_BAR = 4
_LEAST_CHOOSER = 96


class FormArea(QScrollArea):
    """A column of widgets that scrolls when it must; ``column`` takes the widgets."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.inside = QWidget(self)
        self.inside.setProperty("pane", "clear")
        self.column = QVBoxLayout(self.inside)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(8)
        self.setWidget(self.inside)
        self.verticalScrollBar().rangeChanged.connect(self._keep_edge)

    def add_rule(self) -> None:
        """A line between what stands above it and what comes below."""
        rule = QFrame(self.inside)
        rule.setProperty("pane", "rule")
        self.column.addWidget(rule)

    def reveal(self, widget: QWidget) -> None:
        """Scroll to a widget that was just shown, once the layout has made room for it."""
        QTimer.singleShot(0, self, lambda: self.ensureWidgetVisible(widget, 0, 0))

    def guard_wheel(self) -> None:
        """From now on the wheel over any chooser scrolls the form instead of the choice, and no
        long choice makes the form wider than what is seen of it."""
        for box in self.findChildren(QComboBox):
            box.setMinimumWidth(_LEAST_CHOOSER)
            box.removeEventFilter(self)
            box.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Wheel events of choosers are left to the area."""
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QComboBox):
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def _keep_edge(self, _low: int, high: int) -> None:
        self.column.setContentsMargins(0, 0, _BESIDE_BAR if high > 0 else 0, 0)
