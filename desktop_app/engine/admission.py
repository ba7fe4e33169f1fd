"""A row leaves only when every bucket of its account has what it takes; until then it has none."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.domain.clock import Clock
from desktop_app.engine.pool import Flight
from desktop_app.engine.waits import event_or_time

LOOK_S = 1.0
"""So often who waits looks whether it may be sent at all: a pause wakes nobody."""

OUTRANKED_S = 30.0
"""So long after the first of a higher rank went before it, a row that has to let another one go
first is no longer about to be sent, and goes back."""


class Admission:
    """``may_send`` looks at pause, breakers and faults; ``nudge``: rows may be claimed again."""

    def __init__(
        self, clock: Clock, may_send: Callable[[Flight], bool], nudge: Callable[[], None]
    ) -> None:
        self._clock = clock
        self._may_send = may_send
        self._nudge = nudge

    def weigh(self, flight: Flight) -> None:
        """A claimed row takes what its call will take beside slot and token. One that has to wait
        for it gives both back."""
        limiter = flight.line.account.limiter
        flight.weight = flight.line.weight(flight.claim.request)
        flight.waits = limiter.allowances.enter(flight.weight, flight.claim.batch_id)
        if flight.waits is not None:
            limiter.put_back(1)

    async def turn(self, flight: Flight) -> bool:
        """Wait until everything is there at once, and take it. False: it is not to be sent."""
        event, weight = flight.waits, flight.weight
        if event is None or weight is None:
            return True
        limiter = flight.line.account.limiter
        outranked_at: float | None = None
        while flight.leave is None and self._may_send(flight):
            event.clear()
            wait = LOOK_S
            if limiter.allowances.is_outranked(event):
                now = self._clock.monotonic()
                outranked_at = now if outranked_at is None else outranked_at
                if now - outranked_at >= OUTRANKED_S:
                    return False
            if limiter.allowances.is_next(event):
                if limiter.admit(weight):
                    limiter.allowances.leave(event)
                    flight.waits = None
                    self._nudge()
                    return True
                ready = limiter.admits_in(weight)
                wait = LOOK_S if ready is None else min(ready, LOOK_S)
            await event_or_time(event, self._clock, wait)
        return False
