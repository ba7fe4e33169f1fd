"""A window is wanted that is hidden, minimized or behind others: one way to the front for all."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


def come_forward(window: QWidget) -> None:
    """Show the window above all others, as large as it was, and take the keyboard; for the dialog
    that lies over it, where one does."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    asks = QApplication.activeModalWidget()
    if asks is not None and asks is not window:
        asks.raise_()
    (asks or window).activateWindow()
