"""The tray icon says it where the desktop has no better place; without a tray nobody says it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSystemTrayIcon

from desktop_app.ui.context import UiContext


class Tray(QObject):
    """The icon appears with the first notification: a program with nothing to tell needs none.
    ``clicked`` carries the tag last shown."""

    clicked = Signal(str)

    def __init__(self, context: UiContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._icon: QSystemTrayIcon | None = None
        self._tag = ""

    def show(self, tag: str, title: str, body: str) -> bool:
        """Show it. Whether there is a tray that can."""
        if not QSystemTrayIcon.isSystemTrayAvailable() or not QSystemTrayIcon.supportsMessages():
            return False
        self._tag = tag
        if self._icon is None:
            self._icon = QSystemTrayIcon(self._context.icons.app_icon(), self)
            self._icon.setToolTip("Batchwright")
            self._icon.messageClicked.connect(self._click)
            self._icon.activated.connect(self._on_icon)
            self._icon.show()
        self._icon.showMessage(title, body, self._context.icons.app_icon())
        return True

    def _on_icon(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason != QSystemTrayIcon.ActivationReason.Context:
            self._click()

    def _click(self) -> None:
        self.clicked.emit(self._tag)
