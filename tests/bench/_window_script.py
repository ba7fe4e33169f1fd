"""Uses the window as an operator would, and measures how late Qt's loop is meanwhile."""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app.domain.events import Event, TasksChanged
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.requeue import RequeueDialog
from desktop_app.ui.grid.columns import Column
from desktop_app.ui.grid.view import GridView
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.tabs.progress import ProgressTab

if TYPE_CHECKING:
    from tests.bench._window_child import Asked, FirstRow

TICK_MS = 5
FRAME_S = 1 / 60
CHOSEN = 100


class Lateness(QObject):
    """How late Qt's loop serves a timer, by scene, milliseconds.

    A stall hides the ticks that should have come during it, so those are counted in: one of 50 ms
    is ten late ticks and not one. ``served`` is that as it was; in ``by_scene`` the time is not
    counted that Qt's thread stood ready while other programs had the CPUs: what it waited for one
    beyond what the program's own threads ran meanwhile (0 where the system does not tell).
    ``own`` is the CPU that Qt's thread itself spent between two ticks, at most.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.by_scene: dict[str, list[float]] = {}
        self.served: dict[str, list[float]] = {}
        self.own: dict[str, float] = {}
        self._name: str | None = None
        self._spent = 0.0
        self._queued = self._others = 0.0
        self._due = 0.0
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def scene(self, name: str | None) -> None:
        """What comes now is counted here; None: not at all."""
        self._name = name
        self._arm()

    def _arm(self) -> None:
        self._due = time.monotonic() + TICK_MS / 1000
        self._spent = time.thread_time()
        self._others = time.process_time() - self._spent
        self._queued = _queued_s()
        self._timer.start(TICK_MS)

    def _tick(self) -> None:
        late = (time.monotonic() - self._due) * 1000
        if self._name is not None:
            spent = time.thread_time()
            others = time.process_time() - spent - self._others
            foreign = max(0.0, _queued_s() - self._queued - others) * 1000
            own = (spent - self._spent) * 1000
            self.own[self._name] = max(own, self.own.get(self._name, 0.0))
            self._count(self.served, late)
            self._count(self.by_scene, max(late - foreign, min(late, 0.0)))
        self._arm()

    def _count(self, scenes: dict[str, list[float]], late: float) -> None:
        assert self._name is not None
        scene = scenes.setdefault(self._name, [])
        while late >= 0:
            scene.append(late)
            late -= TICK_MS


def _queued_s() -> float:
    """Seconds that this thread has stood ready for a CPU, since it began."""
    try:
        with Path("/proc/thread-self/schedstat").open(encoding="ascii") as told:
            return int(told.read().split()[1]) / 1e9
    except OSError:
        return 0.0


class Script(QObject):
    """Uses the window as an operator would, and notes what came of it."""

    def __init__(
        self, context: UiContext, window: MainWindow, asked: Asked, first: FirstRow
    ) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._asked = asked
        self._first = first
        self._late = Lateness(self)
        self._updates = 0
        self.figures: dict[str, Any] = {}
        context.services.bus.subscribe(self._hear)

    def _hear(self, event: Event) -> None:
        if isinstance(event, TasksChanged):
            self._updates += len(event.pks)

    async def play(self) -> None:
        """From the first row on."""
        assert self._first.at is not None
        self.figures["open_s"] = self._first.at - self._asked.since
        self.figures["open_cpu_s"] = self._first.cpu_s
        if self._asked.what == "idle":
            await self._idle()
        elif self._asked.what == "busy":
            await self._busy()
        elif self._asked.what == "requeue":
            await self._requeue()
        self.figures["rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.figures["scenes"] = self._late.by_scene
        self.figures["served"] = self._late.served
        self.figures["own"] = self._late.own
        await self._context.services.runs.drain(None)  # or the window would ask about its calls
        self._window.close()

    async def _idle(self) -> None:
        await asyncio.sleep(2.0)
        async with self._scene("idle"):
            await asyncio.sleep(self._asked.seconds)

    async def _busy(self) -> None:
        window = self._window
        progress = window.progress
        view, model, bar = progress.view, progress.model, progress.view.verticalScrollBar()
        await self._until(lambda: model.rowCount() >= self._rows())
        await asyncio.sleep(2.0)
        async with self._scene("idle"):
            await asyncio.sleep(self._asked.seconds)
        window.run_bar.start_button.click()
        await self._until(lambda: self._updates > 0)
        began, seen = time.monotonic(), self._updates
        async with self._scene("watching the top"):
            await asyncio.sleep(self._asked.seconds)
        chosen = self._choose()
        async with self._scene("dragging through all"):
            await self._drag(0, bar.maximum())
        for place in range(1, 6):
            bar.setValue(bar.maximum() * place // 6)
            async with self._scene("wheel"):
                await self._wheel(view.viewport(), self._asked.seconds / 5)
        async with self._scene("keys"):
            await self._keys(view)
        async with self._scene("following"):
            progress.follow.click()
            await asyncio.sleep(self._asked.seconds)
            progress.follow.click()
        self.figures["selected"] = len(set(view.selected_pks()) & chosen)
        async with self._scene("filtered by a chip"):
            progress.chips.buttons["waiting"].click()
            await self._drag(bar.maximum() // 3, bar.maximum() // 2)
            await self._wheel(view.viewport(), self._asked.seconds / 2)
        self.figures["selected_in_filter"] = len(set(view.selected_pks()) & chosen)
        progress.chips.buttons["waiting"].click()
        await self._until(lambda: model.rowCount() >= self._rows())
        async with self._scene("sorted"):
            await self._sorted(progress)
        async with self._scene("results"):
            window.tabs.setCurrentWidget(window.results)
            await self._until(lambda: window.results.model.rowCount() > 0)
            await self._wheel(window.results.view.viewport(), self._asked.seconds)
        async with self._scene("needs you"):
            window.tabs.setCurrentWidget(window.needs_you)
            await asyncio.sleep(self._asked.seconds / 2)
        self.figures["updates_a_s"] = (self._updates - seen) / (time.monotonic() - began)

    async def _requeue(self) -> None:
        """All dead rows go back by the window's own buttons, until its ledger shows none."""
        window = self._window
        window.tabs.setCurrentWidget(window.needs_you)
        await self._until(window.needs_you.cards)
        before = window.watch.now.ledger
        self.figures["dead"] = before.dead
        self.figures["wanted"] = before.pending + before.dead
        await asyncio.sleep(2.0)
        async with self._scene("idle"):
            await asyncio.sleep(self._asked.seconds)
        async with self._scene("requeue"):
            window.needs_you.cards()[0].requeue_all.click()
            dialog = window.findChild(RequeueDialog)
            await self._until(dialog.go.isEnabled)
            began = time.monotonic()
            dialog.go.click()
            await self._until(lambda: window.watch.now.ledger.dead == 0)
            self.figures["seconds"] = time.monotonic() - began
            await asyncio.sleep(self._asked.seconds)
        now = window.watch.now.ledger
        self.figures["left"], self.figures["waiting"] = now.dead, now.pending

    async def _sorted(self, progress: ProgressTab) -> None:
        """By a column with no index, both ways, with the wheel going, and back to sheet order."""
        model, head = progress.model, progress.view.horizontalHeader()
        for column in (Column.PROMPT, Column.PROMPT, Column.NUMBER):
            head.sectionClicked.emit(column)
            await self._wheel(progress.view.viewport(), self._asked.seconds / 4)
            await self._until(lambda: model.rowCount() >= self._rows())

    def _rows(self) -> int:
        return self._window.watch.now.ledger.imported or 1

    def _choose(self) -> set[int]:
        """A hundred waiting rows, far from the ones that run."""
        model, view = self._window.progress.model, self._window.progress.view
        ids = model.ids
        far = len(ids) // 2
        chosen = {pk for at, pk in enumerate(ids[far:], far) if (at + 2) % 5 not in (0, 1)}
        chosen = set(sorted(chosen)[: 3 * CHOSEN : 3])
        view.keeper.select(chosen)
        self.figures["chosen"] = len(chosen)
        return chosen

    async def _drag(self, start: int, end: int) -> None:
        bar = self._window.progress.view.verticalScrollBar()
        began, takes = time.monotonic(), 2 * self._asked.seconds
        while (part := (time.monotonic() - began) / takes) < 1:
            bar.setValue(start + round((end - start) * part))
            await asyncio.sleep(FRAME_S)
        bar.setValue(end)

    async def _wheel(self, where: QWidget, seconds: float) -> None:
        ends = time.monotonic() + seconds
        down = True
        while time.monotonic() < ends:
            middle = QPointF(where.rect().center())
            event = QWheelEvent(
                middle,
                where.mapToGlobal(middle),
                QPoint(0, 0),
                QPoint(0, -120 if down else 120),
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            QApplication.sendEvent(where, event)
            await asyncio.sleep(FRAME_S)

    async def _keys(self, view: GridView) -> None:
        """Pages only: Home and End would choose other rows."""
        from PySide6.QtTest import QTest  # no part of what is opened

        for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            for _ in range(20):
                QTest.keyClick(view, key, Qt.KeyboardModifier.ControlModifier)
                await asyncio.sleep(self._asked.seconds / 40)

    @asynccontextmanager
    async def _scene(self, name: str) -> AsyncIterator[None]:
        self._late.scene(name)
        yield
        self._late.scene(None)

    @staticmethod
    async def _until(true: Any) -> None:
        while not true():  # noqa: ASYNC110 - it must not stand on what it waits for
            await asyncio.sleep(0.005)
