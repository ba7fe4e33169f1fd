"""One set of stroke icons, coloured when drawn, so that they follow theme and resolution."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, cast
from weakref import WeakKeyDictionary

import shiboken6
from PySide6.QtCore import QByteArray, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop_app.ui.theme import Theme


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
        self.clones: list[QIconEngine] = []
        self._worn: WeakKeyDictionary[QObject, tuple[str, str]] = WeakKeyDictionary()
        theme.changed.connect(self._recolour)

    def icon(self, name: str, color: str = "muted") -> QIcon:
        """A QIcon, greyed when disabled."""
        key = (name, color)
        if key not in self._icons:
            self._icons[key] = QIcon(_Drawn(self, name, color))
        return self._icons[key]

    def pixmap(self, name: str, color: str, size: int, ratio: float = 1.0) -> QPixmap:
        """``size`` logical pixels square for a screen of that device pixel ratio."""
        key = (name, color, size, ratio)
        if key not in self._pixmaps:
            pixmap = QPixmap(QSize(round(size * ratio), round(size * ratio)))
            pixmap.fill(Qt.GlobalColor.transparent)
            source = self._source(name).replace("currentColor", self._theme.color(color).name())
            with QPainter(pixmap) as painter:
                QSvgRenderer(QByteArray(source.encode())).render(painter, QRectF(pixmap.rect()))
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


class _Drawn(QIconEngine):
    """Draws an icon at the size it is seen at, once it is seen: most are in menus that stay shut,
    and the first row on the screen would wait for them all."""

    def __init__(self, icons: Icons, name: str, color: str) -> None:
        super().__init__()
        self._icons = icons
        self._name = name
        self._color = color

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Into the middle of ``rect``."""
        side = QSize(min(rect.width(), rect.height()), min(rect.width(), rect.height()))
        place = QRect(rect.topLeft(), side)
        place.moveCenter(rect.center())
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(place, self.scaledPixmap(side, mode, state, ratio))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """For a screen of the plain resolution."""
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(  # noqa: N802 - Qt's name
        self,
        size: QSize,
        mode: QIcon.Mode,
        state: QIcon.State,  # noqa: ARG002 - Qt's signature
        scale: float,
    ) -> QPixmap:
        """``size`` in logical pixels. Qt would tint what it is not given."""
        color = "border_strong" if mode is QIcon.Mode.Disabled else self._color
        return self._icons.pixmap(self._name, color, min(size.width(), size.height()), scale)

    def clone(self) -> QIconEngine:
        """For an icon that is to be changed apart from its copies."""
        clone = _Drawn(self._icons, self._name, self._color)
        # Qt owns it and does not say so: without this Python would take it away.
        self._icons.clones.append(clone)
        return clone
