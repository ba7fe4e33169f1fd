"""Arithmetic of limits, free of clocks and loops, so that properties can prove its promises."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from desktop_app.domain.connection import Limits, RateUnit

BURST_S = 0.2
"""A burst nobody stated: as many calls as the rate yields in this time, at least one."""

JITTER_S = 0.05
"""How much closer together two calls may arrive than they left. A full bucket over there stays
full until the first call arrives, so the refill is counted from that much later."""

SPARED = 0.01
"""Where the jitter is no more than this share of the time between two calls, it is waited for
whatever the burst: of a few calls a minute one that comes too early costs more than all of that."""

_SLACK = 2.0
_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class Working:
    """The limits in use: calls in flight, calls a second, calls at once, tokens and images a
    minute. None means no cap. Where nobody stated the calls in flight, ``concurrency`` are begun
    with and up to ``most`` found out; elsewhere they are the same."""

    concurrency: int
    rate: float | None = None
    burst: int | None = None
    tokens_per_minute: float | None = None
    images_per_minute: float | None = None
    most: int | None = None

    @property
    def slots(self) -> int:
        """As many calls as may ever be in flight."""
        return self.concurrency if self.most is None else max(self.concurrency, self.most)


def working(limits: Limits, default_concurrency: int, default_most: int | None = None) -> Working:
    """Stated limits with their headroom (10 allowed, using 8), defaults where nothing is stated."""
    concurrency, most = default_concurrency, default_most
    if limits.concurrency is not None:
        most = None
        concurrency = max(1, math.floor(limits.concurrency * limits.headroom + _EPSILON))
    rate, images = limits.per_second, limits.images_per_minute
    if rate is not None and images is not None and limits.rate_unit is RateUnit.IPM:
        # Both count images: one of the two holds, and an image is charged once.
        rate, images = min(rate, images / 60.0), None
    burst = limits.burst
    return Working(
        concurrency=concurrency,
        most=most,
        rate=_used(rate, limits),
        burst=None if burst is None else max(1, math.floor(burst * limits.headroom + _EPSILON)),
        tokens_per_minute=_used(limits.tokens_per_minute, limits),
        images_per_minute=_used(images, limits),
    )


def _used(stated: float | None, limits: Limits) -> float | None:
    return None if stated is None else stated * limits.headroom


def tightest(parts: Iterable[Working]) -> Working:
    """What connections on one account may use together: the smallest figure of each kind, and of
    the calls in flight the smallest that somebody stated."""
    known = list(parts)
    told = [part for part in known if part.most is None]
    rates = [part.rate for part in known if part.rate is not None]
    bursts = [part.burst for part in known if part.burst is not None]
    tokens = [p.tokens_per_minute for p in known if p.tokens_per_minute is not None]
    images = [p.images_per_minute for p in known if p.images_per_minute is not None]
    return Working(
        concurrency=min(part.concurrency for part in told or known),
        most=None if told else min(part.slots for part in known),
        rate=min(rates, default=None),
        burst=min(bursts, default=None),
        tokens_per_minute=min(tokens, default=None),
        images_per_minute=min(images, default=None),
    )


def usual_burst(rate: float | None) -> float:
    """The burst for a rate where none is stated."""
    return 1.0 if rate is None else max(1.0, rate * BURST_S)


class Bucket:
    """A token bucket: over any time ``t`` it grants at most ``rate * t + burst`` tokens.

    ``rate`` None means no cap. Times are monotonic seconds and may not run backwards. A token
    that is reserved leaves later, and until then the provider's bucket can be no fuller than it
    is: what is reserved earns no refill. (A bucket of a single token has no slack to spare.)
    """

    def __init__(self, rate: float | None, burst: float, now: float) -> None:
        self.rate = rate
        self.burst = burst
        self._tokens = burst
        self._reserved = 0
        self._at = now

    def _refill(self, now: float) -> None:
        elapsed = max(0.0, now - self._at)
        self._at = max(self._at, now)
        if self.rate is not None:
            self._tokens = max(self._tokens, min(self._room(), self._tokens + elapsed * self.rate))

    def _room(self) -> float:
        return self.burst - self._reserved if self.burst >= _SLACK else self.burst

    def at_hand(self, now: float, most: int) -> int:
        """Whole tokens to be had now, at most ``most``."""
        self._refill(now)
        if self.rate is None:
            return most
        return max(0, min(most, math.floor(self._tokens + _EPSILON)))

    def take(self, count: int, now: float) -> None:
        """Reserve tokens that ``at_hand`` promised, for calls that leave a little later."""
        self._refill(now)
        self._reserved += count
        if self.rate is not None:
            self._tokens -= count

    def left(self, now: float) -> None:
        """A call with a reserved token leaves. Where the bucket may be full over there, its refill
        starts when the call has arrived."""
        self._refill(now)
        if self.rate is not None:
            # Half its slack at most, or a small bucket would be taken for full all the time.
            late = min(JITTER_S, (self.burst - 1) / 2 / self.rate)
            if JITTER_S * self.rate <= SPARED:
                late = JITTER_S
            known = self._tokens + self._reserved + self.rate * late
            if known + _EPSILON >= self.burst:
                self._at = max(self._at, now + late)
        self._reserved -= 1

    def owe(self, count: int, now: float) -> None:
        """Take tokens that a call turns out to need beyond its own: those after it wait."""
        self._refill(now)
        if self.rate is not None:
            self._tokens -= count

    def give_back(self, count: int) -> None:
        """Return tokens whose calls were never sent."""
        self._reserved -= count
        if self.rate is not None:
            self._tokens = min(self._room(), self._tokens + count)

    def wait_s(self, now: float) -> float:
        """Seconds until one whole token is there; 0 if it is."""
        self._refill(now)
        if self.rate is None or self._tokens + _EPSILON >= 1:
            return 0.0
        return max(0.0, self._at - now) + (1 - self._tokens) / self.rate

    def change(self, rate: float | None, burst: float, now: float) -> None:
        """Go on at another rate; tokens already there stay, up to the new burst."""
        self._refill(now)
        if self.rate is None and rate is not None:
            self._tokens = 0.0
        self.rate = rate
        self.burst = burst
        self._tokens = min(self._tokens, self._room())

    def empty(self, now: float, next_s: float | None = None) -> None:
        """Start again from nothing: after a refusal the next call waits for its own token.
        ``next_s``: in how many seconds there is one over there, where that is known."""
        self._refill(now)
        owed = 0.0 if self.rate is None or next_s is None else 1 - next_s * self.rate
        self._tokens = min(self._tokens, max(0.0, owed))

    def after_jump(self, now: float) -> None:
        """The computer slept: the time away earned no burst."""
        self._at = max(self._at, now)
        self._tokens = min(self._tokens, 1.0)
