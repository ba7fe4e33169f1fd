"""A second program to copy from: it owns the clipboard until it is ended.

Run as a process: ``clipboard_source.py TEXT``; it prints ``ready`` once the text can be pasted.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication


def main() -> int:
    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    QApplication.clipboard().setText(sys.argv[1])
    QTimer.singleShot(200, lambda: print("ready", flush=True))
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
