"""What is to be seen of the engine, told only when somebody looks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import Preview
from desktop_app.domain.text import Message
from desktop_app.domain.views import Banner
from desktop_app.engine import banners as say
from desktop_app.engine.parts import Parts


class Sights:
    """The part of ``EngineControl`` that changes nothing."""

    def __init__(self, parts: Parts, clock: Clock) -> None:
        self._parts = parts
        self._clock = clock

    def in_flight(self, batch_id: int | None = None) -> int:
        """Claimed rows whose outcome is not committed yet."""
        return self._parts.pool.count(batch_id)

    def oldest_s(self, batch_id: int | None = None) -> float | None:
        """How long the oldest of those in flight has been out; None where none is."""
        since = min((f.claimed_at for f in self._parts.pool.flights(batch_id)), default=None)
        return None if since is None else max(0.0, self._clock.now() - since)

    def account_states(self) -> Mapping[int, tuple[str, Message | None]]:
        """How each open connection stands: (AccountState word, why)."""
        return {id_: line.standing() for id_, line in self._parts.accounts.lines.items()}

    def preview(self, task_pk: int) -> Preview | None:
        """What has come so far of the answer to a row in flight, or None."""
        for flight in self._parts.pool.flights():
            if flight.claim.task_pk == task_pk and not flight.landed and flight.call is not None:
                return flight.call.peek() if flight.call.peek is not None else None
        return None

    def rates(self) -> Mapping[str, Any]:
        """See ``engine.banners.rates``; over the accounts of running batches."""
        return say.rates(self._parts.roster.accounts(), self._clock)

    def trouble(self) -> Message | None:
        """The local fault that holds the whole engine, or None."""
        parts = self._parts
        return parts.guard.said or parts.completer.trouble or parts.feeder.trouble

    def banners(self) -> tuple[Banner, ...]:
        """What the banner line has to say, the most serious first."""
        return say.banners(self._parts.accounts.lines.values(), self.trouble(), self._clock)
