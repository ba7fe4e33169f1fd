"""Nothing may move under the pointer on its way or while it clicks, or it hits another thing."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QMouseEvent, QWindow

SETTLE_MS = 1000
"""A second click follows within this, or is a new thought."""

AIM_MS = 300
"""A pointer that has stood for this long is on its way to nothing."""


class Calm(QObject):
    """Watches the pointer in one window. ``settled`` fires once things may move again."""

    settled = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window: QWindow | None = None
        self._is_held = False
        self._since = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._since.timeout.connect(self._look)

    def watch(self, window: QWindow | None) -> None:
        """Follow the pointer in this window from now on."""
        if window is None or window is self._window:
            return
        self._window = window
        window.installEventFilter(self)

    @property
    def is_settled(self) -> bool:
        """Whether things may move."""
        return not self._since.isActive()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Moves, presses and releases; they go where they were meant for."""
        if isinstance(event, QMouseEvent):
            self._is_held = bool(event.buttons().value)
            is_move = event.type() == QEvent.Type.MouseMove
            self._since.start(max(self._since.remainingTime(), AIM_MS) if is_move else SETTLE_MS)
        return super().eventFilter(watched, event)

    def _look(self) -> None:
        # A button that is let go elsewhere may be told to neither.
        if self._is_held and QGuiApplication.mouseButtons():
            self._since.start(SETTLE_MS)
        else:
            self.settled.emit()
