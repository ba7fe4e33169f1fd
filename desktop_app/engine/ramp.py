"""How many calls may be in flight while nobody knows yet how many the provider takes."""

from __future__ import annotations

import math

FIRST = 8
STEEP = 2.0


class Ramp:
    """A few more each moment from the first call on. Not by answers alone, which may take half a
    minute; but each that has come lets one more go. Times are monotonic."""

    def __init__(self) -> None:
        self._from: float | None = None
        self._answered = 0

    def begins(self, now: float) -> None:
        """A call is about to leave; the first one counts."""
        if self._from is None:
            self._from = now

    def answered(self) -> None:
        """A good answer came."""
        self._answered += 1

    def allowed(self, now: float) -> int:
        """Calls in flight at most."""
        if self._from is None:
            return FIRST
        doublings = min((now - self._from) * STEEP, 20.0)
        return int(FIRST * 2**doublings) + self._answered

    def allows_more_at(self, now: float, in_use: int) -> float:
        """When one more than ``in_use`` may go."""
        if self._from is None or in_use < self.allowed(now):
            return now
        return self._from + math.log2((in_use + 1 - self._answered) / FIRST) / STEEP
