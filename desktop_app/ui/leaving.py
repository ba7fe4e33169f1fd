"""How the program ends: by its window, by a signal, or with the operator's session."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator

from PySide6.QtCore import QEventLoop, QObject, QTimer, Signal

SESSION_END_MS = 5_000


class Leaving(QObject):
    """Why the program ends. ``wanted`` is set once it should; ``gone`` fires when the wire is
    empty or given up, and everything is in the store."""

    gone = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.wanted = asyncio.Event()
        self.code = 0

    def by_signal(self, number: int) -> None:
        """SIGINT or SIGTERM."""
        self.code = 128 + number
        self.wanted.set()

    def by_session_end(self) -> None:
        """The operator logs off or shuts down: once this returns the system may end us at once,
        so what is on the wire is waited for in here, while the loop goes on turning."""
        hold = QEventLoop()
        self.gone.connect(hold.quit)
        QTimer.singleShot(SESSION_END_MS, hold.quit)
        self.wanted.set()
        hold.exec()


@contextlib.contextmanager
def on_signals(stop: Callable[[int], None]) -> Iterator[None]:
    """SIGINT and SIGTERM leave cleanly, on every system.

    Qt's loop sleeps in C, where Python's handlers do not run: a slow timer lets them.
    """
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    timer = QTimer()
    timer.start(250)
    timer.timeout.connect(lambda: None)
    for number in numbers:
        signal.signal(number, lambda got, _frame: stop(got))
    try:
        yield
    finally:
        timer.stop()
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
