"""A bare PySide6 window: the least that any program pays before it has painted once.

``python _window_bare.py SINCE`` prints the seconds from SINCE (time.monotonic()) to that, and the
seconds of CPU it took.
"""

from __future__ import annotations

import sys
import time

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow


class Bare(QMainWindow):
    """Notes its first paint and ends."""

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        super().paintEvent(event)
        print(time.monotonic() - float(sys.argv[1]), time.process_time(), flush=True)
        QTimer.singleShot(0, QApplication.quit)


app = QApplication([])
window = Bare()
window.setCentralWidget(QLabel("bare", window))
window.resize(1280, 800)
window.show()
app.exec()
