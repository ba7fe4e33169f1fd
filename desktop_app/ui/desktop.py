"""Files are opened by the system, so that the operator's own programs show them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def open_path(path: str | Path) -> None:
    """Open a file or folder with the system's program for it."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def visit_page(url: str) -> None:
    """Show a web page in the operator's browser."""
    QDesktopServices.openUrl(QUrl(url))


def reveal_path(path: str | Path) -> None:
    """Show a file selected in its folder where the system can, else open the folder."""
    path = Path(path)
    if sys.platform == "win32":
        # Two words: quotes around both, for a name with spaces, open another folder.
        subprocess.Popen(["explorer", "/select,", str(path)])  # noqa: S603, S607
    elif sys.platform == "darwin":
        subprocess.Popen(["open", "-R", str(path)])  # noqa: S603, S607
    else:
        open_path(path.parent)
