"""One shape for every dialog, so that none blocks the loop, outlives its work or loses an error."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.text import Message, OperatorError
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.notice import Notice
from desktop_app.ui.dialogs.style import GAP, MARGIN, sheet_style
from desktop_app.ui.room import room_for


class Sheet(QDialog):
    """A window-modal dialog: heading, lead, body, one inline sentence, buttons.

    Shown with ``open()``. Work started with ``run`` is cancelled when the dialog closes, except
    while ``locked``; the dialog deletes itself once nothing of it is left running.
    """

    def __init__(self, context: UiContext, parent: QWidget | None, *, width: int = 520) -> None:
        super().__init__(parent)
        self.context = context
        self.setObjectName("sheet")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setMinimumWidth(width)
        self._working: set[asyncio.Task[Any]] = set()
        self._pending = 0
        self._ended = False
        self.locked = False

        self.heading = QLabel(self)
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.heading.setWordWrap(True)
        self.lead = QLabel(self)
        self.lead.setProperty("tone", "muted")
        self.lead.setTextFormat(Qt.TextFormat.PlainText)
        self.lead.setWordWrap(True)
        self.body = QVBoxLayout()
        self.body.setSpacing(GAP)
        self.notice = Notice(context, self)
        self.footer = QHBoxLayout()
        self.footer.setSpacing(GAP)

        whole = QVBoxLayout(self)
        whole.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        whole.setSpacing(GAP)
        whole.addWidget(self.heading)
        whole.addWidget(self.lead)
        whole.addSpacing(GAP // 2)
        whole.addLayout(self.body, 1)
        whole.addWidget(self.notice)
        whole.addSpacing(GAP // 2)
        whole.addLayout(self.footer)

        self.restyle()
        context.theme.changed.connect(self.restyle)
        context.signals.language_changed.connect(self.retranslate)
        self.finished.connect(self._end)

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        raise NotImplementedError

    def restyle(self) -> None:
        """Take the colours of the theme of now."""
        self.setStyleSheet(sheet_style(self.context.theme))
        self.heading.setFont(self.context.theme.font("title", bold=True))

    def button(self, *, primary: bool = False, danger: bool = False) -> QPushButton:
        """A button that Enter presses while it has the focus; elsewhere Enter presses the primary
        one."""
        made = QPushButton(self)
        if primary or danger:
            made.setProperty("look", "primary" if primary else "danger")
        made.setDefault(primary)
        made.setAutoDefault(True)
        return made

    def event(self, event: QEvent) -> bool:
        """A sentence that became longer makes the dialog higher: nothing of it is cut off."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._grow()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Narrower may mean higher."""
        super().resizeEvent(event)
        self._grow()

    def _grow(self) -> None:
        layout = self.layout()
        if layout is None:
            return
        needed = layout.totalMinimumHeightForWidth(self.width())
        most = room_for(self).height()
        if self.height() < min(needed, most):
            self.resize(self.width(), min(needed, most))

    # --- work --------------------------------------------------------------------------------

    def run(self, work: Callable[[], Awaitable[None]]) -> None:
        """Start work of this dialog; an OperatorError in it is said inline."""
        self._pending += 1
        self.context.spawn(self._guarded(work))

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        if self._ended:
            self._leave()
            return
        task = asyncio.current_task()
        if task is not None:
            self._working.add(task)
        try:
            await work()
        except OperatorError as error:
            if not self._ended:
                self.failed(error.message)
        finally:
            if task is not None:
                self._working.discard(task)
            self._leave()

    def failed(self, said: Message) -> None:
        """Show why something did not work, beside everything that was typed."""
        self.notice.say(self.context.tr.say(said), "error")

    def reject(self) -> None:
        """Esc and the window's own close; ignored while something must not be torn."""
        if not self.locked:
            super().reject()

    def _end(self) -> None:
        self._ended = True
        for task in tuple(self._working):
            task.cancel()
        if self._pending == 0:
            self.deleteLater()

    def _leave(self) -> None:
        self._pending -= 1
        if self._ended and self._pending == 0:
            self.deleteLater()
