"""The pictures a row shows to the provider, small, beside what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from desktop_app.domain.references import Reference
from desktop_app.ui.context import UiContext
from desktop_app.ui.thumbnails import Thumbnails

SIDE = 44  # logical pixels
MOST = 5
"""As many as fit beside each other in the narrowest pane; the facts name them all."""


class ShownPictures(QWidget):
    """A line of buttons, each of which opens its file. Hidden where there are none."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._references: tuple[Reference, ...] = ()
        self._thumbnails: Thumbnails | None = None
        self.buttons: list[QToolButton] = []
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(8)
        self._line.addStretch(1)
        self.hide()

    def show_references(self, references: Sequence[Reference]) -> None:
        """Show these."""
        if tuple(references) != self._references:
            self._references = tuple(references)
            self._build()
        self._paint()
        self.setVisible(bool(references))

    def _build(self) -> None:
        for button in self.buttons:
            self._line.removeWidget(button)
            button.deleteLater()
        self.buttons = []
        for at, reference in enumerate(self._references[:MOST]):
            button = QToolButton(self)
            button.setAutoRaise(True)
            button.setFixedSize(SIDE + 6, SIDE + 6)
            button.setIconSize(QSize(SIDE, SIDE))
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setToolTip(reference.url or reference.path)
            button.setEnabled(not reference.url)
            button.clicked.connect(partial(self._open, reference.path))
            self.buttons.append(button)
            self._line.insertWidget(at, button)

    def _paint(self) -> None:
        tr, ratio = self._context.tr, self.devicePixelRatioF()
        shown = zip(self.buttons, self._references, strict=False)
        for button, reference in shown:
            button.setAccessibleName(tr("Reference picture: {name}", name=reference.name))
            pixmap = None if reference.url else self._small().get(reference.path, ratio)
            if pixmap is None:
                pixmap = self._context.icons.pixmap("image", "faint", 20, ratio)
            button.setIcon(QIcon(pixmap))

    def _small(self) -> Thumbnails:
        # Made with the first picture: most rows of most sheets have none.
        if self._thumbnails is None:
            context = self._context
            cache = context.services.preferences.thumbnails_dir()
            self._thumbnails = Thumbnails(context.spawn, cache, SIDE, self)
            self._thumbnails.ready.connect(self._paint)
        return self._thumbnails

    def _open(self, path: str, _checked: bool = False) -> None:
        self._context.open_path(path)
