"""The three panes side by side: the outer ones fold away, and all is as it was left."""

from __future__ import annotations

import base64

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from desktop_app.services.preferences import Preferences
from desktop_app.ui.room import room_for

GEOMETRY, PANES = "window.geometry", "window.panes"
SIDE, MIDDLE, DETAIL = range(3)
FRESH = QSize(1280, 800)
USUAL = (208, 752, 320)  # logical pixels
_LEAST_MIDDLE = 200


class Panes(QSplitter):
    """Side bar, middle, detail. ``folded`` fires when one was folded away or opened."""

    folded = Signal()

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._preferences = preferences
        self.splitterMoved.connect(lambda *_: self.folded.emit())

    def fill(self, *panes: QWidget) -> None:
        """Put the three panes in."""
        for pane in panes:
            self.addWidget(pane)
        self.setHandleWidth(1)
        self.setStretchFactor(MIDDLE, 1)
        self.setCollapsible(MIDDLE, False)
        self.setSizes(list(USUAL))

    def is_open(self, place: int) -> bool:
        """Whether a pane is to be seen."""
        return self.sizes()[place] > 0

    def toggle(self, place: int) -> None:
        """Fold a pane away, or open it at its usual width; the middle gives or takes."""
        sizes = self.sizes()
        whole = sum(sizes)
        sizes[place] = 0 if sizes[place] else USUAL[place]
        sizes[MIDDLE] = max(_LEAST_MIDDLE, whole - sizes[SIDE] - sizes[DETAIL])
        self.setSizes(sizes)
        self.folded.emit()

    def restore(self, window: QWidget) -> None:
        """The layout of last time, or a fresh one."""
        geometry, panes = self._preferences.get(GEOMETRY), self._preferences.get(PANES)
        if not (isinstance(geometry, str) and window.restoreGeometry(_bytes(geometry))):
            window.resize(FRESH.boundedTo(room_for(window)))
        if isinstance(panes, str):
            self.restoreState(_bytes(panes))
        self.setHandleWidth(1)

    def remember(self, window: QWidget) -> None:
        """Keep the layout for next time."""
        self._preferences.set(GEOMETRY, _text(window.saveGeometry()))
        self._preferences.set(PANES, _text(self.saveState()))


def _text(state: QByteArray) -> str:
    return base64.b64encode(state.data()).decode()


def _bytes(text: str) -> QByteArray:
    return QByteArray(base64.b64decode(text))
