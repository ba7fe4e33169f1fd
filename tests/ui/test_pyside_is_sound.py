"""This PySide6 survives a long day: 6.12.0 on Python 3.11 dies of what is done here (it drops a
reference to None on every overridden virtual and every emit)."""

from __future__ import annotations

import asyncio
import sys

import qasync
from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QApplication

TIMES = 20_000


class Told(QObject):
    """A signal with a value and one without, and an overridden void virtual."""

    said = Signal(object)
    rang = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.heard = self.visited = 0
        self.said.connect(self._hear)
        self.rang.connect(self._hear)

    def _hear(self, _value: object = None) -> None:
        self.heard += 1

    def customEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self.visited += 1


def test_20000_loop_turns_and_20000_emits(qapp: QApplication) -> None:
    before = sys.getrefcount(None), sys.getrefcount(True)
    told = Told()

    async def work() -> None:
        for turn in range(TIMES):
            told.said.emit(None if turn % 2 else True)
            told.rang.emit()
            QApplication.sendEvent(told, QEvent(QEvent.Type.User))
            await asyncio.sleep(0)

    loop = qasync.QEventLoop(qapp)
    try:
        loop.run_until_complete(work())
    finally:
        loop.close()
        asyncio.set_event_loop(None)
    assert (told.heard, told.visited) == (2 * TIMES, TIMES)
    # Immortal from 3.12 on: their counts then never move.
    after = sys.getrefcount(None), sys.getrefcount(True)
    assert all(now > then - TIMES // 2 for now, then in zip(after, before, strict=True))
