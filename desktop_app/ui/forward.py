"""A window is wanted that is hidden, minimized or behind others: one way to the front for all."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def come_forward(window: QWidget) -> None:
    """Show the window above all others, as large as it was, and take the keyboard."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()
