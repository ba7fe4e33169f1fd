"""A second program to drag from: a window whose whole area starts a drag of the files named.

Run as a process: ``drag_source.py X Y FILE...``; it prints ``ready`` once it is on the screen and
the action taken once a drag has ended.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QMimeData, QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel


class Source(QLabel):
    """Press and move starts the drag."""

    def __init__(self, files: list[str]) -> None:
        super().__init__("drag me")
        self._files = files
        self._pressed = QPoint()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        self._pressed = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        moved = (event.position().toPoint() - self._pressed).manhattanLength()
        if moved < QApplication.startDragDistance():
            return
        drag = QDrag(self)
        carried = QMimeData()
        carried.setUrls([QUrl.fromLocalFile(file) for file in self._files])
        drag.setMimeData(carried)
        print(drag.exec(Qt.DropAction.CopyAction).name, flush=True)


def main() -> int:
    app = QApplication(sys.argv[:1])
    source = Source(sys.argv[3:])
    source.setGeometry(int(sys.argv[1]), int(sys.argv[2]), 160, 120)
    source.show()
    QTimer.singleShot(200, lambda: print("ready", flush=True))
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
