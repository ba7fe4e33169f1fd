"""What an account may take by the minute, of which one call takes more than one: tokens, images.

A bucket of calls counts what is alike; here each call takes its own amount, known in advance only
as an estimate, so that an answer puts right what its call was charged.
"""

from __future__ import annotations

from dataclasses import dataclass

MINUTE_S = 60.0

BURST_S = 6.0
"""So many seconds' worth may go at once. A provider that counts whole minutes would see a tenth
more than the rate in the first of them, which the usual headroom covers."""

_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class Weight:
    """What one call takes beside its slot and its request."""

    tokens: int = 0
    images: int = 0


class Allowance:
    """A bucket that fills by the minute. Times are monotonic seconds and may not run backwards.

    Over any time ``t`` it grants at most ``rate * t + burst``, what was put back apart. A call
    that takes more than the whole bucket goes when it is full, alone: the debt that it leaves is
    waited for by those after it.
    """

    def __init__(self, per_minute: float, now: float) -> None:
        self._set(per_minute)
        self._level = self.burst
        self._at = now

    def _set(self, per_minute: float) -> None:
        self.rate = per_minute / MINUTE_S
        self.burst = max(1.0, self.rate * BURST_S)
        self._most = max(per_minute, self.burst)

    def _refill(self, now: float) -> None:
        elapsed = max(0.0, now - self._at)
        self._at = max(self._at, now)
        self._level = max(self._level, min(self.burst, self._level + elapsed * self.rate))

    def wait_s(self, amount: float, now: float) -> float:
        """Seconds until a call that takes so much may go; 0 if it may."""
        self._refill(now)
        short = min(amount, self.burst) - self._level
        return 0.0 if amount <= 0 or short <= _EPSILON else short / self.rate

    def calls(self, amount: float, now: float) -> int:
        """How many calls of such a size may go now, the last of them being no bigger than what
        is there."""
        self._refill(now)
        return int(max(0.0, self._level + _EPSILON) // amount) if amount > 0 else 0

    def take(self, amount: float, now: float) -> None:
        """A call that ``wait_s`` let go takes its amount."""
        self._refill(now)
        self._level -= amount

    def put_back(self, amount: float, now: float) -> None:
        """A call has taken so much less than it was charged, or, below zero, more. What many calls
        were charged in vain comes back also where that is more than may be saved up, though no
        more than one minute's worth."""
        self._refill(now)
        self._level = min(max(self._most, self._level), self._level + amount)

    def change(self, per_minute: float, now: float) -> None:
        """Go on at another rate; what is there stays, up to the new burst."""
        self._refill(now)
        self._set(per_minute)
        self._level = min(self._level, self.burst)

    def empty(self, now: float) -> None:
        """Start again from nothing after a refusal."""
        self._refill(now)
        self._level = min(self._level, 0.0)

    def after_jump(self, now: float) -> None:
        """The computer slept: the time away is no time to save up in."""
        self._at = max(self._at, now)
