"""Tells the house what changed, gathered, so that a fast engine never floods a window."""

from __future__ import annotations

import asyncio
import logging

from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import Clock
from desktop_app.domain.events import Alert, ConnectionsChanged, EngineChanged
from desktop_app.domain.text import message
from desktop_app.engine.waits import event_or_time

_log = logging.getLogger(__name__)

APART_S = 0.25
GROUP_S = 5.0


class News:
    """EngineChanged at most four times a second; dead rows grouped into one alert a batch."""

    def __init__(self, bus: Bus, clock: Clock) -> None:
        self._bus = bus
        self._clock = clock
        self._event = asyncio.Event()
        self._engine = False
        self._connections = False
        self._dead: dict[int, int] = {}
        self._dead_since = 0.0

    def changed(self) -> None:
        """Rate, wait, banners or the number in flight changed."""
        self._engine = True
        self._event.set()

    def connections_changed(self) -> None:
        """An account stands differently."""
        self._connections = True
        self.changed()

    def dead(self, batch_id: int) -> None:
        """A row needs a person from now on."""
        if not self._dead:
            self._dead_since = self._clock.monotonic()
        self._dead[batch_id] = self._dead.get(batch_id, 0) + 1
        self._event.set()

    def alert(self, alert: Alert) -> None:
        """One notice for a person, at once."""
        self._bus.publish(alert)

    def flush(self) -> None:
        """Publish what has gathered."""
        if self._connections:
            self._connections = False
            self._bus.publish(ConnectionsChanged())
        if self._engine:
            self._engine = False
            self._bus.publish(EngineChanged())

    def flush_dead(self) -> None:
        """Publish the grouped alerts of dead rows."""
        dead, self._dead = self._dead, {}
        for batch_id, n in dead.items():
            self.alert(Alert(message("engine.alert_dead", n=n), batch_id))

    async def run(self) -> None:
        """Publish until cancelled."""
        while True:
            left = None
            if self._dead:
                left = self._dead_since + GROUP_S - self._clock.monotonic()
            await event_or_time(self._event, self._clock, left)
            self._event.clear()
            self.flush()
            if self._dead and self._clock.monotonic() >= self._dead_since + GROUP_S:
                self.flush_dead()
            await self._clock.sleep(APART_S)
