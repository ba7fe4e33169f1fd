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
_SOON = 0.8
_REFUTED = 0.5
_REFUTED_TIMES = 3


class RateControl:
    """What rate the provider takes, under the operator's cap; None: no cap stated, none learned.

    A congestion event cuts once: refusals of calls that were sent before the cut are its echo.
    After a cut the rate comes back quickly, stays for a while just under the level that was
    refused, and then feels its way up, slowly at first and ever faster (TCP's CUBIC): a provider
    that holds its limit refuses now and then, one that lifted it is followed within a minute.
    A level that refuses again is probed more rarely. Far above the level there is nothing to be
    careful about, and the rate doubles every few seconds. In a storm, where nothing gets through
    between cuts, nothing grows; for some minutes neither it nor a trickle in it makes the level
    forgotten, unless that is gone back to and refused time and again.
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
        self._pause_s = 0.0
        self._refuted = 0
        self._seemed = 0.0

    def recap(self, cap: float | None) -> None:
        """The operator, or the provider's own headers, stated another cap."""
        at_cap = self.rate is None or self.rate == self.cap
        self.cap = cap
        if at_cap:
            self.rate = cap
        elif cap is not None and self.rate is not None:
            self.rate = min(self.rate, cap)

    def cut(self, now: float, sent_at: float, passed: float | None, pause_s: float = 0.0) -> bool:
        """A call sent at ``sent_at`` was refused; ``passed`` calls a second were not, lately (None
        where nothing got through since the last cut). ``pause_s``: for how long nothing is sent
        now; what costs more is risked more rarely. False where it only echoes an earlier event."""
        if sent_at <= self.cut_at:
            return False
        if passed is None and self.rate is not None:
            self._level = self._level or self.rate
            rate = max(self.rate * _STORM_CUT, min(self.rate, PROBING))
        else:
            rate = self._found(now, 1.0 if passed is None else passed, pause_s)
        self.rate = self._from = max(self._floor, rate)
        self.cut_at = self._grown_at = now
        self._grown_s = 0.0
        return True

    def _found(self, now: float, passed: float, pause_s: float) -> float:
        """The rate to go on at, where so much passed: just under the level that it shows."""
        at = max(self._floor, passed if self.rate is None else min(self.rate, passed))
        is_back = self._grown_s >= self._flat_s()
        again = is_back and at < self._level * _ALIKE
        soon = not is_back and self.cut_at > -math.inf and at > self._level * _SOON
        if again or not soon:
            self._patience = min(_PATIENCE_MAX, self._patience * 1.3) if again else 1.0
        if soon:
            # Refused on its way back to the level already: that was a burst's.
            at = max(self._floor, self._level * _SOON)
        elif self._from < self._level * _COLLAPSE and (self.rate or 0.0) > self._level * _REFUTED:
            # Gone back to after a storm, and not taken.
            self._refuted += 1
            if self._refuted >= _REFUTED_TIMES:
                self._level *= _REFUTED
        if at < self._level * _COLLAPSE and now - self._level_at <= _MEMORY_S:
            return max(at * _CUT, min(PROBING, self._level))
        self._level = self._seemed = at
        self._level_at, self._refuted = now, 0
        # A longer wait is that of an outage, and no price of a probe.
        self._pause_s = pause_s if (again or soon) and pause_s <= _FLAT_MAX_S else 0.0
        return at * _CUT

    def echoed(self, passed: float | None) -> None:
        """A call of the event that cut last was refused as well: by then fewer had passed than it
        seemed; None: not one, which tells nothing of the level."""
        if self._grown_s == 0.0 and self._level_at == self.cut_at:
            seemed = self._seemed
            self._level = max(self._floor, seemed if passed is None else min(seemed, passed))
            self.rate = self._from = max(self._floor, self._level * _CUT)

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

    @property
    def _floor(self) -> float:
        return SLOWEST if self.cap is None else min(SLOWEST, self.cap)

    def _flat_s(self) -> float:
        """How long the way back to the level takes; a slow provider's answers come slowly."""
        level = max(self._level, self._from, SLOWEST)
        least = max(_FLAT_S, _FLAT_CALLS / level, self._pause_s)
        return min(self._patience * least, _FLAT_MAX_S)
