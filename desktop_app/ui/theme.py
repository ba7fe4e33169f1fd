"""Colours and spacing come from one token file, so that light and dark stay one design."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from desktop_app.ui.style import sheet

MODES = ("system", "light", "dark")

_SCHEMES = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}

# What fontconfig answers when a desktop names no font of its own; ours are nicer then.
_FALLBACK_FAMILIES = frozenset({"Sans Serif", "Sans", "DejaVu Sans", "sans-serif", ""})

_STYLED = "batchwright_styled"

_ROLES = {
    QPalette.ColorRole.Window: "window",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "surface",
    QPalette.ColorRole.AlternateBase: "sunken",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "on_accent",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.PlaceholderText: "faint",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "on_accent",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.LinkVisited: "accent",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Light: "surface",
    QPalette.ColorRole.Midlight: "border",
    QPalette.ColorRole.Mid: "border_strong",
    QPalette.ColorRole.Dark: "border_strong",
    QPalette.ColorRole.Shadow: "shadow",
}


class Theme(QObject):
    """The tokens in force. ``changed`` fires after palette and style sheet have been applied."""

    changed = Signal()

    def __init__(self, tokens_file: Path, icons_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tokens: dict[str, Any] = json.loads(tokens_file.read_text(encoding="utf-8"))
        self._icons_dir = icons_dir
        self._mode = "system"
        self._base_font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        self._dark = False
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_change)

    @property
    def mode(self) -> str:
        """``system``, ``light`` or ``dark``: what the operator chose."""
        return self._mode

    @property
    def dark(self) -> bool:
        """Whether the dark tokens are in force."""
        return self._dark

    def set_mode(self, mode: str) -> None:
        """Choose ``system``, ``light`` or ``dark``; anything else reads as ``system``."""
        self._mode = mode if mode in MODES else "system"
        QGuiApplication.styleHints().setColorScheme(_SCHEMES[self._mode])
        self.apply()

    def tokens(self) -> tuple[str, ...]:
        """The names of all colours."""
        return tuple(self._tokens["light"])

    def color(self, token: str) -> QColor:
        """The colour of a token in the scheme in force. Raises KeyError for an unknown token."""
        return QColor(self._tokens["dark" if self._dark else "light"][token])

    def space(self, token: str) -> int:
        """A distance in logical pixels: half, unit, gap, pad, page."""
        return int(self._tokens["space"][token])

    def size(self, token: str) -> int:
        """A size in logical pixels: row, thumb, control, bar, radius, icon."""
        return int(self._tokens["size"][token])

    def font(self, token: str = "", *, bold: bool = False, tabular: bool = False) -> QFont:
        """The UI font; ``token`` scales it (small, title, hero); ``tabular`` aligns figures."""
        font = QFont(self._base_font)
        font.setFamilies(self._families())
        if token:
            font.setPointSizeF(self._points() * float(self._tokens["font"][token]))
        else:
            font.setPointSizeF(self._points())
        if bold:
            font.setWeight(QFont.Weight.DemiBold)
        if tabular:
            font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def mono(self) -> QFont:
        """The system's fixed font at small size, for ids and raw answers."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self._points() * float(self._tokens["font"]["small"]))
        return font

    def apply(self) -> None:
        """Put palette, font and style sheet on the application."""
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        scheme = QGuiApplication.styleHints().colorScheme()
        self._dark = (
            self._mode == "dark" if self._mode != "system" else scheme == Qt.ColorScheme.Dark
        )
        if app.property(_STYLED) is None:
            # Once only: a second setStyle under a style sheet leaves Qt with a dead style.
            app.setStyle("Fusion")
            app.setProperty(_STYLED, True)
        app.setPalette(self._palette())
        app.setFont(self.font())
        app.setStyleSheet(sheet(self, self._icons_dir))
        self.changed.emit()

    def _on_system_change(self) -> None:
        if self._mode == "system":
            self.apply()

    def _points(self) -> float:
        # Some offscreen and Wayland set-ups report no point size at all.
        return max(self._base_font.pointSizeF(), 9.0)

    def _families(self) -> list[str]:
        named = list(self._tokens["font"]["families"])
        system = self._base_font.family()
        return named if system in _FALLBACK_FAMILIES else [system, *named]

    def _palette(self) -> QPalette:
        palette = QPalette()
        for role, token in _ROLES.items():
            palette.setColor(role, self.color(token))
        for role in (
            QPalette.ColorRole.WindowText,
            QPalette.ColorRole.Text,
            QPalette.ColorRole.ButtonText,
        ):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.color("faint"))
        return palette
