"""Sheets that came together wait for each other: one is decided on at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal


class SheetQueue(QObject):
    """``place`` of ``total`` is the sheet that was taken last; both begin anew once none waits.
    ``changed`` tells that more came or went."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[Path] = deque()
        self.place = 0
        self.total = 0

    @property
    def waiting(self) -> int:
        """How many are to come."""
        return len(self._waiting)

    def add(self, paths: Sequence[Path]) -> None:
        """To the end; one that waits already does not wait twice."""
        new = [path for path in dict.fromkeys(paths) if path not in self._waiting]
        self._waiting.extend(new)
        self.total += len(new)
        self.changed.emit()

    def take(self) -> Path | None:
        """The next one."""
        if not self._waiting:
            return None
        self.place += 1
        return self._waiting.popleft()

    def again(self, path: Path) -> None:
        """The one that was taken last is asked about once more, next."""
        self._waiting.appendleft(path)
        self.place -= 1

    def done(self) -> None:
        """The one that was taken is decided on."""
        if not self._waiting:
            self.place = self.total = 0

    def leave_rest(self) -> None:
        """None of those that wait is asked about."""
        self.total -= len(self._waiting)
        self._waiting.clear()
        self.changed.emit()
