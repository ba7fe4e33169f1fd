"""The limits an account has and does not tell: calls at once, calls a second with a burst."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from desktop_app.practice.config import PracticeConfig


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call was not let in: ``kind`` is ``rate`` or ``concurrency``; ``wait_s`` (real
    seconds) is when a token will be there, None for a concurrency refusal."""

    kind: str
    wait_s: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """What the ``x-ratelimit`` headers tell: calls the full bucket holds, calls left now, real
    seconds until it is full again."""

    limit: int
    remaining: int
    reset_s: float


class Gate:
    """Lets calls in or refuses them. Belongs to one thread; ``clock`` gives real seconds.

    A call that is let in holds a slot until ``leave``. A refused call takes no token.
    """

    def __init__(self, config: PracticeConfig, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._scale = config.time_scale
        self._schedule = list(config.schedule)
        self._concurrency = config.concurrency
        self._rate = config.qps / config.time_scale
        self._burst = config.burst
        self._tokens = float(config.burst)
        self._filled_at = clock()
        self._first_at: float | None = None
        self.in_flight = 0

    def enter(self) -> Refusal | None:
        """Take a slot and a token, or say why not."""
        now = self._clock()
        if self._first_at is None:
            self._first_at = now
        self._refill(now)
        if self._concurrency and self.in_flight >= self._concurrency:
            return Refusal("concurrency", None)
        if self._rate:
            # The clock's own rounding must not refuse a call that comes exactly when told.
            if self._tokens < 1 - 1e-6:
                return Refusal("rate", (1 - self._tokens) / self._rate)
            self._tokens -= 1
        self.in_flight += 1
        return None

    def leave(self) -> None:
        """Give the slot back."""
        self.in_flight -= 1

    def standing(self) -> Standing | None:
        """The bucket now; None when there is no rate limit."""
        self._refill(self._clock())
        if not self._rate:
            return None
        missing = max(0.0, self._burst - self._tokens)
        return Standing(self._burst, max(0, int(self._tokens + 1e-6)), missing / self._rate)

    def _refill(self, now: float) -> None:
        while self._schedule and self._first_at is not None:
            change = self._schedule[0]
            at = self._first_at + change.at_s * self._scale
            if at > now:
                break
            # What was earned until the change was earned at the old rate.
            self._earn(max(at, self._filled_at))
            del self._schedule[0]
            if change.concurrency is not None:
                self._concurrency = change.concurrency
            if change.qps is not None:
                self._rate = change.qps / self._scale
            if change.burst is not None:
                self._burst = change.burst
        self._earn(now)

    def _earn(self, until: float) -> None:
        earned = (until - self._filled_at) * self._rate
        self._tokens = min(float(self._burst), self._tokens + earned)
        self._filled_at = until


def go_duration(seconds: float) -> str:
    """The way OpenAI writes waits: ``20ms``, ``1s``, ``1.5s``, ``6m0s``, ``1h0m0s``."""
    if seconds < 1:
        return f"{round(seconds * 1000)}ms"
    minutes, rest = divmod(round(seconds, 3), 60)
    tail = f"{rest:.3f}".rstrip("0").rstrip(".") + "s"
    if not minutes:
        return tail
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours}h{minutes}m{tail}" if hours else f"{minutes}m{tail}"
