"""The engine may publish a thousand events a second; the window hears of them ten times."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from desktop_app.domain.bus import Bus
from desktop_app.domain.events import Event, TasksChanged
from desktop_app.ui.context import UiSignals

INTERVAL_MS = 100
MANY = 2_000  # more changed tasks than any screen shows: say "many" instead of naming them


class Bridge(QObject):
    """Collects bus events and emits them as one list; its timer runs only while some wait."""

    def __init__(self, bus: Bus, signals: UiSignals, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._signals = signals
        self._tasks: dict[int, set[int] | None] = {}
        self._others: dict[Event, None] = {}
        self._timer = QTimer(self, interval=INTERVAL_MS, singleShot=True)
        self._timer.timeout.connect(self.flush)
        self._stop: Callable[[], None] = bus.subscribe(self._hear)
        # The program may end without the window being closed: the bus outlives both.
        self.destroyed.connect(self._stop)

    def close(self) -> None:
        """Stop listening; what waits is dropped."""
        self._stop()
        self._timer.stop()

    def flush(self) -> None:
        """Emit what has been collected now."""
        self._timer.stop()
        events: list[Event] = [
            TasksChanged(batch_id, () if pks is None else tuple(pks))
            for batch_id, pks in self._tasks.items()
        ]
        events.extend(self._others)
        self._tasks.clear()
        self._others.clear()
        if events:
            self._signals.events.emit(events)

    def _hear(self, event: Event) -> None:
        if isinstance(event, TasksChanged):
            self._merge(event)
        else:
            try:
                self._others[event] = None
            except TypeError:  # an Alert's values may hold what cannot be hashed
                self._signals.events.emit([event])
        if not self._timer.isActive():
            self._timer.start()

    def _merge(self, event: TasksChanged) -> None:
        known = self._tasks.setdefault(event.batch_id, set())
        if known is None:
            return
        known.update(event.pks)
        if not event.pks or len(known) > MANY:
            self._tasks[event.batch_id] = None
