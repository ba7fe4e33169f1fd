"""How large a window may be: what the system draws around it needs its place on the screen too."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

FRAME = QSize(16, 40)
"""Edges and title, in logical pixels. How large they are is only known once the window is there,
and by then its foot would be below the screen."""


def room_for(window: QWidget) -> QSize:
    """What its screen leaves for a window's own area."""
    return window.screen().availableGeometry().size() - FRAME
