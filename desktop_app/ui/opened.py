"""Files that the system hands over, dropped on the program's icon or opened with it: they may come
before there is a window to ask about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """Keeps the files it is given until somebody takes them. Only events meant for the
    application itself come by here: a filter over all of them would slow every one down."""

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(list(arguments))
        self._waiting: list[str] = []
        self._take: Callable[[list[str]], None] | None = None

    def hand_over(self, take: Callable[[list[str]], None] | None) -> None:
        """Give what waits, and whatever comes, to ``take``; None: let it wait."""
        self._take = take
        if take is not None and self._waiting:
            waiting, self._waiting = self._waiting, []
            take(waiting)

    def event(self, event: QEvent) -> bool:
        """A file that the dock was given."""
        if not isinstance(event, QFileOpenEvent) or not event.file():
            return super().event(event)
        self._waiting.append(event.file())
        self.hand_over(self._take)
        return True
