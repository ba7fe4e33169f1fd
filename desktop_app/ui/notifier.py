"""Who works in another window is told when a batch is finished or needs a person."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app.domain.events import Event, Notification
from desktop_app.services.alerts_words import render
from desktop_app.ui.context import UiContext
from desktop_app.ui.forward import come_forward
from desktop_app.ui.tray import Tray

ACTIVE = Qt.ApplicationState.ApplicationActive
KEPT = 100


class Notifier(QObject):
    """Shows notifications outside the window and marks it in the task bar or dock; silent while
    the operator is looking, for then the banner says it. ``opened`` carries the Notification
    that was clicked, after the window came to the front."""

    opened = Signal(object)

    def __init__(self, context: UiContext, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._told: dict[str, Notification] = {}
        self._is_out = False
        self._desktop = context.services.desktop
        self._tray = Tray(context, self)
        self._desktop.on_click(self._on_click)
        self._tray.clicked.connect(self._on_click)
        context.signals.events.connect(self._on_events)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.applicationStateChanged.connect(self._on_state)

    def _on_events(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Notification) and QGuiApplication.applicationState() != ACTIVE:
                QApplication.alert(self._window)
                self._context.spawn(self._show(event))

    async def _show(self, told: Notification) -> None:
        self._told.pop(told.tag, None)
        self._told[told.tag] = told
        if len(self._told) > KEPT:
            del self._told[next(iter(self._told))]
        tr = self._context.tr
        title, body = render(tr, told)
        self._is_out = True
        if not await self._desktop.show(told.tag, title, body, tr("Open")):
            self._tray.show(told.tag, title, body)

    def _on_click(self, tag: str, token: str = "") -> None:
        come_forward(self._window, token)
        if tag in self._told:
            self.opened.emit(self._told[tag])

    def _on_state(self, state: Qt.ApplicationState) -> None:
        if state == ACTIVE and self._is_out:
            self._is_out = False
            self._context.spawn(self._desktop.withdraw())
