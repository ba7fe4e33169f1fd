"""Who works in another window is told when a batch is finished or needs a person."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app.domain.events import Alert, BatchFinished
from desktop_app.ui.context import UiContext

NOTIFY = "notify"
"""The preference: True unless the operator switched it off."""


class Notifier(QObject):
    """Marks the window in the task bar or dock; silent while the operator is looking at it."""

    def __init__(self, context: UiContext, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        context.signals.events.connect(self._on_events)

    def _on_events(self, events: list[object]) -> None:
        if not any(isinstance(event, BatchFinished | Alert) for event in events):
            return
        wanted = self._context.services.preferences.get(NOTIFY, True)
        if wanted and not self._window.isActiveWindow():
            QApplication.alert(self._window)
