"""Learning a rate that nobody stated, or that changed: free of clocks, as the limits are."""

from __future__ import annotations

import math

SLOWEST = 1 / 60
"""Calls a second below which no cut goes: slow probing never stops."""

PROBING = 1 / 20
"""The same while a storm is not taken for the new limit: its end has to be found so soon that the
whole rate is back within a minute of it."""

_CUT = 0.9
_STORM_CUT = 0.5
_FLAT_S = 5.0
_FLAT_MAX_S = 20.0
_FLAT_CALLS = 8.0
_PATIENCE_MAX = 3.0
_ALIKE = 1.25
_BOLD = 0.4
_FAR = 1.5
_DOUBLE_S = 4.0
_STEP_MAX_S = 10.0
_UNUSED = 2.0
_PROVED = 1.05
_COLLAPSE = 0.25
_MEMORY_S = 300.0


class RateControl:
    """What rate the provider takes, under the operator's cap; None: no cap stated, none learned.

    A congestion event cuts once: refusals of calls that were sent before the cut are its echo.
    After a cut the rate comes back quickly, stays for a while just under the level that was
    refused, and then feels its way up, slowly at first and ever faster (TCP's CUBIC): a provider
    that holds its limit refuses now and then, one that lifted it is followed within a minute.
    A level that refuses again is probed more rarely. Far above the level there is nothing to be
    careful about, and the rate doubles every few seconds. In a storm, where nothing gets through
    between cuts, nothing grows; for some minutes neither it nor a trickle in it makes the level
    forgotten.
    """

    def __init__(self, cap: float | None) -> None:
        self.cap = cap
        self.rate = cap
        self.cut_at = -math.inf
        self._level = cap or 0.0
        self._level_at = -math.inf
        self._from = 0.0
        self._patience = 1.0
        self._grown_s = 0.0
        self._grown_at = 0.0

    def recap(self, cap: float | None) -> None:
        """The operator, or the provider's own headers, stated another cap."""
        at_cap = self.rate is None or self.rate == self.cap
        self.cap = cap
        if at_cap:
            self.rate = cap
        elif cap is not None and self.rate is not None:
            self.rate = min(self.rate, cap)

    def cut(self, now: float, sent_at: float, passed: float | None) -> bool:
        """A call sent at ``sent_at`` was refused; ``passed`` calls a second were not, lately (None
        where nothing got through since the last cut). False where it only echoes an earlier
        event."""
        if sent_at <= self.cut_at:
            return False
        floor = SLOWEST if self.cap is None else min(SLOWEST, self.cap)
        rate = self.rate
        if passed is None and rate is not None:
            self._level = self._level or rate
            rate = max(rate * _STORM_CUT, min(rate, PROBING))
        else:
            at = max(floor, 1.0 if passed is None else passed)
            at = at if rate is None else min(rate, at)
            again = self._grown_s >= self._flat_s() and at < self._level * _ALIKE
            self._patience = min(_PATIENCE_MAX, self._patience * 1.3) if again else 1.0
            if at >= self._level * _COLLAPSE or now - self._level_at > _MEMORY_S:
                self._level, self._level_at = at, now
                rate = at * _CUT
            else:
                rate = max(at * _CUT, min(PROBING, self._level))
        self.rate = self._from = max(floor, rate)
        self.cut_at = self._grown_at = now
        self._grown_s = 0.0
        return True

    @property
    def is_proved(self) -> bool:
        """Whether the rate of now is one that was taken before: what refuses it may be chance."""
        return self.rate is not None and (
            self.rate == self.cap or self.rate <= self._level * _PROVED
        )

    @property
    def is_slowed(self) -> bool:
        """Whether the rate was cut and is no higher than what was taken then."""
        return self.rate is not None and self.cut_at > -math.inf and self.rate <= self._level

    def grow(self, now: float, used: float = math.inf) -> None:
        """Something got through since the last cut: go up with the time, though never to twice
        what is ``used`` (calls a second, lately): a rate that nobody tries proves nothing."""
        step = min(max(0.0, now - self._grown_at), _STEP_MAX_S)
        self._grown_at = now
        if self.rate is None or self.rate == self.cap:
            return
        level, flat = max(self._level, self._from), self._flat_s()
        if self.rate >= level * _FAR:
            if self.rate < used * _UNUSED:
                self.rate *= 2 ** (step / _DOUBLE_S)
        else:
            self._grown_s += step
            ahead = (self._grown_s - flat) / flat
            gap = level - self._from if ahead < 0 else level * _BOLD
            self.rate = max(self.rate, min(level * _FAR, level + gap * ahead**3))
        if self.cap is not None:
            self.rate = min(self.rate, self.cap)

    def _flat_s(self) -> float:
        """How long the way back to the level takes; a slow provider's answers come slowly."""
        level = max(self._level, self._from, SLOWEST)
        return min(self._patience * max(_FLAT_S, _FLAT_CALLS / level), _FLAT_MAX_S)
