"""A window is wanted that is hidden, minimized or behind others: one way to the front for all."""

from __future__ import annotations

import os

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

LEAVE = "XDG_ACTIVATION_TOKEN"
"""Where a Wayland desktop leaves word that what it starts was asked for by a person. Without that
no window may take the keyboard from another."""


def come_forward(window: QWidget, leave: str = "") -> None:
    """Show the window above all others, as large as it was, and take the keyboard; for the dialog
    that lies over it, where one does. ``leave``: as in ``LEAVE``, of a process that asks for it."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    asks = QApplication.activeModalWidget()
    if asks is not None and asks is not window:
        asks.raise_()
    if leave:
        os.environ[LEAVE] = leave  # Qt looks for it there and nowhere else
    (asks or window).activateWindow()
    os.environ.pop(LEAVE, None)
