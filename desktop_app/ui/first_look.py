"""The window comes up once and whole, with its rows and their counts, and not piece by piece."""

from __future__ import annotations

import asyncio
import contextlib

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from desktop_app.domain.views import BatchSummary
from desktop_app.ui.grid.model import GridModel
from desktop_app.ui.watch import Watch

WHOLE_S = 0.5
"""So long a window may wait for a slow disk; then it shows that it is there."""

SEEN_S = 1.0
"""After so long it is taken for seen, also where none can be: it was started minimized."""


class FirstLook(QObject):
    """Build it with the window, before the loop turns again, and not later: it waits for what
    ``watch`` tells first, and for the rows of ``model`` where there is a batch."""

    def __init__(self, window: QWidget, watch: Watch, model: GridModel) -> None:
        super().__init__(window)
        self._window = window
        self._model = model
        self._is_told = False
        self._has_batches = False
        self._whole = asyncio.Event()
        self._seen = asyncio.Event()
        watch.batches.connect(self._on_batches)
        watch.told.connect(self._on_told)
        model.loaded.connect(self._look)

    async def whole(self) -> None:
        """Until everything that is seen first is there, ``WHOLE_S`` at most."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._whole.wait(), WHOLE_S)

    async def seen(self) -> None:
        """Show the window. Until it has been painted, ``SEEN_S`` at most."""
        self._window.show()
        handle = self._window.windowHandle()
        if handle is None or handle.isExposed():
            QTimer.singleShot(0, self._seen.set)
        else:
            handle.installEventFilter(self)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._seen.wait(), SEEN_S)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """The system shows the window: it is painted by whoever gets this event next."""
        if event.type() == QEvent.Type.Expose:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self._seen.set)
        return super().eventFilter(watched, event)

    def _on_batches(self, summaries: list[BatchSummary]) -> None:
        self._has_batches = bool(summaries)

    def _on_told(self) -> None:
        self._is_told = True
        self._look()

    def _look(self) -> None:
        has_rows = self._model.is_known or self._model.row_at(0) is not None
        if self._is_told and (has_rows or not self._has_batches):
            self._whole.set()
