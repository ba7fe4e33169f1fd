"""A bus without threads or globals: the loop's own thread publishes, listeners return at once."""

from __future__ import annotations

import logging
from collections.abc import Callable

from desktop_app.domain.events import Event

_log = logging.getLogger(__name__)


class Bus:
    """Publish and subscribe on one thread. A listener that raises is logged, and stops no other."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Event], None]] = []

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call ``listener`` for every event from now on; returns the way to stop it."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def publish(self, event: Event) -> None:
        """Tell every listener, in order of subscription."""
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:
                _log.exception("a listener failed on %s", type(event).__name__)
