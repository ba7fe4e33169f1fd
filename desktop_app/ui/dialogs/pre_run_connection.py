"""Which connection a batch uses; the practice server is always on offer, so that none is needed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from desktop_app.domain.connection import PRACTICE_NAMES, Connection
from desktop_app.domain.views import AccountState, ConnectionView
from desktop_app.services.practice_lines import JOBS, PICTURES, TEXTS
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.notice import Notice
from desktop_app.ui.dialogs.style import GAP

PRACTICE = 0
"""The item that stands for the practice server, which has no id before it was first used."""

PRACTICE_JOBS = -2
"""The same, taking pictures as jobs."""

PRACTICE_TEXTS = -3
"""The same, answering in texts."""

_PRACTICE = {PRACTICE: PICTURES, PRACTICE_JOBS: JOBS, PRACTICE_TEXTS: TEXTS}
_NEW = -1
LAST_USED = "last_connection"


class ConnectionPicker(QWidget):
    """A chooser. ``picked`` asks for ``take``; ``chosen`` fires once the connection is at hand;
    ``wanted`` asks for a new one. ``is_taking``: it is on its way."""

    picked = Signal()
    chosen = Signal()
    wanted = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._views: list[ConnectionView] = []
        self._place = 0
        self._generation = 0
        self.connection: Connection | None = None
        self.is_taking = True  # the first is asked for at once
        self.box = QComboBox(self)
        self.notice = Notice(context, self)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(GAP)
        whole.addWidget(self.box)
        whole.addWidget(self.notice)
        self.box.activated.connect(self._activated)

    async def load(self, prefer: int | None = None) -> None:
        """Read the connections anew and take the preferred, the last used or the first of them."""
        self.is_taking = True
        try:
            views = await self._context.services.connections.views()
        except BaseException:
            self.is_taking = False
            raise
        self._views = [view for view in views if view.name not in PRACTICE_NAMES]
        known = {view.id for view in self._views}
        last = self._context.services.preferences.get(LAST_USED)
        for candidate in (prefer, last, self._views[0].id if self._views else PRACTICE):
            if candidate in known or candidate in _PRACTICE:
                wanted = candidate
                break
        self._fill()
        self.box.setCurrentIndex(self.box.findData(wanted))
        self._place = self.box.currentIndex()
        await self.take()

    async def take(self) -> None:
        """Fetch the connection chosen; a later choice overtakes this one."""
        self._generation += 1
        mine = self._generation
        connections = self._context.services.connections
        ident = self.box.currentData()
        found: Connection | None
        self.is_taking = True  # the practice server takes a second to start
        try:
            if ident in _PRACTICE:
                found = await connections.practice(_PRACTICE[ident])
            else:
                found = await connections.get(ident)
        finally:
            self.is_taking = mine != self._generation
        if mine != self._generation:
            return
        self.connection = found
        self._warn()
        self.chosen.emit()

    def remember(self) -> None:
        """Offer this one first next time."""
        self._context.services.preferences.set(LAST_USED, self.box.currentData())

    def retranslate(self) -> None:
        """Say every word again."""
        self.box.setAccessibleName(self._context.tr("Connection"))
        place = self.box.currentIndex()
        self._fill()
        self.box.setCurrentIndex(place)
        self._warn()

    def _fill(self) -> None:
        tr = self._context.tr
        self.box.clear()
        icons = self._context.icons
        for view in self._views:
            self.box.addItem(icons.icon("plug"), f"{view.name}  ·  {view.model}", view.id)
        self.box.addItem(icons.icon("play"), tr("Practice server: free, no account"), PRACTICE)
        told = tr("Practice server: pictures as jobs")
        self.box.addItem(icons.icon("play"), told, PRACTICE_JOBS)
        told = tr("Practice server: texts, word by word")
        self.box.addItem(icons.icon("play"), told, PRACTICE_TEXTS)
        self.box.insertSeparator(self.box.count())
        self.box.addItem(icons.icon("plus", "accent"), tr("Connect an account…"), _NEW)

    def _activated(self, place: int) -> None:
        if self.box.currentData() == _NEW:
            self.box.setCurrentIndex(self._place)
            self.wanted.emit()
            return
        self._place = place
        self.picked.emit()

    def _warn(self) -> None:
        view = next((v for v in self._views if v.id == self.box.currentData()), None)
        if view is None or view.state not in (AccountState.NO_KEY, AccountState.PAUSED):
            self.notice.clear()
            return
        tr = self._context.tr
        said = tr.say(view.said) if view.said else tr("This connection has no key yet.")
        self.notice.say(said, "warning")
