"""Nothing may move under the pointer while it is clicking, or the next click hits another thing."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QMouseEvent, QWindow

SETTLE_MS = 1000
"""A second click follows within this, or is a new thought."""


class Calm(QObject):
    """Watches the presses in one window. ``settled`` fires once things may move again."""

    settled = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window: QWindow | None = None
        self._since = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._since.timeout.connect(self._look)

    def watch(self, window: QWindow | None) -> None:
        """Follow this window's presses from now on."""
        if window is None or window is self._window:
            return
        self._window = window
        window.installEventFilter(self)

    @property
    def is_settled(self) -> bool:
        """Whether things may move."""
        return not self._since.isActive()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Presses and releases; they go where they were meant for."""
        if isinstance(event, QMouseEvent) and event.type() != QEvent.Type.MouseMove:
            self._since.start()
        return super().eventFilter(watched, event)

    def _look(self) -> None:
        if QGuiApplication.mouseButtons():
            self._since.start()
        else:
            self.settled.emit()
