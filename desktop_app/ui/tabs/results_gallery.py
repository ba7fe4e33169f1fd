"""Tiles share the whole width, so that no ragged strip is left beside the last column."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QListView, QWidget

from desktop_app.ui.tabs.results_tile import TILE, ResultDelegate

_SPARE = 2  # Qt breaks a row that fits to the pixel


class Gallery(QListView):
    """A grid of tiles or, with ``look_like(as_list=True)``, a list of lines."""

    def __init__(self, delegate: ResultDelegate, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = delegate
        self.setProperty("look", "gallery")
        self.setItemDelegate(delegate)
        self.setSpacing(0)
        self.setWordWrap(False)
        self._apply()

    def look_like(self, *, as_list: bool) -> None:
        """Tiles for pictures, lines for texts."""
        if self._delegate.as_list != as_list:
            self._delegate.as_list = as_list
            self._apply()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """As many columns as fit, each taking its share."""
        self._stretch()
        super().resizeEvent(event)

    def _apply(self) -> None:
        as_list = self._delegate.as_list
        # Choosing a mode resets movement and the like, so it comes first.
        self.setViewMode(QListView.ViewMode.ListMode if as_list else QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        if as_list:
            self.setGridSize(QSize())
        else:
            self._stretch()

    def _stretch(self) -> None:
        if self._delegate.as_list:
            return
        bar = self.verticalScrollBar().sizeHint().width()
        room = self.maximumViewportSize().width() - bar - _SPARE
        tile = QSize(room // max(1, room // TILE.width()), TILE.height())
        if tile.width() >= TILE.width() and tile != self.gridSize():
            self._delegate.tile = tile
            self.setGridSize(tile)
        elif not self.gridSize().isValid():
            self.setGridSize(self._delegate.tile)
