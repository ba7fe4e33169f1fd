"""Shows the window beside a password store that does not answer, and tells whether it lives: the
banner that says so, and how often the loop turned until then. Ends by itself."""

from __future__ import annotations

import json
import os
import signal
import sys

from PySide6.QtCore import QTimer

from desktop_app.__main__ import main
from desktop_app.ui.banner import BannerBar
from desktop_app.ui.opened import Application

WORDS = "password store is waiting"


def start() -> int:
    app = Application(sys.argv[:1])
    turns = 0

    def look() -> None:
        nonlocal turns
        turns += 1
        bars = [widget for widget in app.allWidgets() if isinstance(widget, BannerBar)]
        said = [bar.text.text() for bar in bars if WORDS in bar.text.text()]
        if said:
            timer.stop()
            print(json.dumps({"said": said[0], "turns": turns}), flush=True)
            os.kill(os.getpid(), signal.SIGTERM)

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(20)
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(start())
