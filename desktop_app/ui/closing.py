"""Closing with calls on the wire asks first, and nothing is waited for inside a Qt event."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext

if TYPE_CHECKING:
    from desktop_app.ui.dialogs.closing import ClosingDialog

OnQuit = Callable[[str], Awaitable[None]]


class Closer(QObject):
    """Decides whether the window may close. ``on_quit`` is awaited once with ``finish`` (the wire
    is empty) or ``quit`` before the window really closes; ``quit_now``: the operator would not
    wait for calls on the wire."""

    def __init__(self, context: UiContext, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._dialog: ClosingDialog | None = None
        self._leaving = False
        self.done = False
        self.quit_now = False
        self.on_quit: OnQuit | None = None

    def ask(self) -> None:
        """The operator wants to close."""
        if self._leaving or self._dialog is not None:
            return
        count = self._context.services.runs.in_flight()
        if count == 0:
            self._context.spawn(self._leave("finish"))
        else:
            self._context.spawn(self._open(count))

    async def _open(self, count: int) -> None:
        estimate = await self._context.services.runs.finish_estimate_s()
        if self._dialog is not None or self._leaving:
            return
        # Imported here: the first row on the screen waits for every import.
        from desktop_app.ui.dialogs.closing import ClosingDialog

        self._dialog = ClosingDialog(self._context, count, estimate, self._window)
        self._dialog.chosen.connect(self._chosen)
        self._dialog.open()

    def _chosen(self, choice: str) -> None:
        self._dialog = None
        if choice == "finish":
            self._context.spawn(self._finish())
        elif choice == "quit":
            self.quit_now = True
            self._context.spawn(self._leave("quit"))

    async def _finish(self) -> None:
        said = Answer(lambda tr: tr("Finishing the calls on the wire, then closing."))
        self._context.signals.answered.emit(said)
        await self._context.services.runs.drain(None)
        await self._leave("finish")

    async def _leave(self, choice: str) -> None:
        if self._leaving:
            return
        self._leaving = True
        try:
            if self.on_quit is not None:
                await self.on_quit(choice)
        finally:
            self.done = True
            self._window.close()
