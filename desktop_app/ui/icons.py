"""One set of stroke icons, coloured when drawn, so that they follow theme and resolution."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, cast
from weakref import WeakKeyDictionary

import shiboken6
from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop_app.ui.theme import Theme

_SIZES = (16, 20, 24, 32, 48, 64)


class _TakesIcon(Protocol):
    def setIcon(self, icon: QIcon) -> None: ...  # noqa: N802 - Qt's name


class Icons:
    """SVG icons by file name. ``color`` is always the name of a theme token."""

    def __init__(self, folder: Path, theme: Theme) -> None:
        self._folder = folder
        self._theme = theme
        self._sources: dict[str, str] = {}
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._pixmaps: dict[tuple[str, str, int, float], QPixmap] = {}
        self._worn: WeakKeyDictionary[QObject, tuple[str, str]] = WeakKeyDictionary()
        theme.changed.connect(self._recolour)

    def icon(self, name: str, color: str = "muted") -> QIcon:
        """A QIcon, greyed when disabled."""
        key = (name, color)
        if key not in self._icons:
            icon = QIcon()
            for size in _SIZES:
                # Qt tints what it is not given.
                for mode in (QIcon.Mode.Normal, QIcon.Mode.Active, QIcon.Mode.Selected):
                    icon.addPixmap(self.pixmap(name, color, size), mode)
                icon.addPixmap(self.pixmap(name, "border_strong", size), QIcon.Mode.Disabled)
            self._icons[key] = icon
        return self._icons[key]

    def pixmap(self, name: str, color: str, size: int, ratio: float = 1.0) -> QPixmap:
        """``size`` logical pixels square for a screen of that device pixel ratio."""
        key = (name, color, size, ratio)
        if key not in self._pixmaps:
            pixmap = QPixmap(QSize(round(size * ratio), round(size * ratio)))
            pixmap.fill(Qt.GlobalColor.transparent)
            source = self._source(name).replace("currentColor", self._theme.color(color).name())
            painter = QPainter(pixmap)
            QSvgRenderer(QByteArray(source.encode())).render(painter, QRectF(pixmap.rect()))
            painter.end()
            pixmap.setDevicePixelRatio(ratio)
            self._pixmaps[key] = pixmap
        return self._pixmaps[key]

    def wear(self, target: QObject, name: str, color: str = "muted") -> None:
        """Set the icon of an action or button, now and again whenever the theme changes."""
        self._worn[target] = (name, color)
        cast(_TakesIcon, target).setIcon(self.icon(name, color))

    def app_icon(self) -> QIcon:
        """The program's own icon."""
        return QIcon(str(self._folder / "app.svg"))

    def _source(self, name: str) -> str:
        if name not in self._sources:
            self._sources[name] = (self._folder / f"{name}.svg").read_text(encoding="utf-8")
        return self._sources[name]

    def _recolour(self) -> None:
        self._icons.clear()
        self._pixmaps.clear()
        for target, (name, color) in list(self._worn.items()):
            if shiboken6.isValid(target):
                cast(_TakesIcon, target).setIcon(self.icon(name, color))
