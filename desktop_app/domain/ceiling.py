"""Learning how many calls a provider holds at once: free of clocks, as the limits are."""

from __future__ import annotations

import math


class Ceiling:
    """How many calls may be in flight: the cap, or fewer where the provider refused by number.

    The first refusal of an event fixes the number that was in flight; each refusal of the event
    shows one that the provider did not hold, so that what remains is what it does hold.

    Refusals come at once, and what is not refused is held: the number comes back by time, not by
    answers alone, which may take half a minute each. One that it held before and refuses now is
    somebody else's doing and may end any minute, so it is asked for steadily; one beyond that,
    ever more rarely.

    Where nobody stated a cap it begins at ``start``, and more are tried as those out are held, up
    to ``cap``.
    """

    _PATIENCE_S = 30.0
    _PATIENCE_MAX_S = 600.0
    _HELD_S = 2.0
    _MEMORY_S = 3600.0

    def __init__(self, cap: int, start: int | None = None) -> None:
        self.cap = cap
        self.allowed = cap if start is None else min(start, cap)
        self._taught = False  # somebody refused, ever
        self._refused_at = cap + 1  # the number known to be too many
        self._cut_at = -math.inf
        self._refused_before = cap + 1  # the same, before this event
        self._tried_at = -math.inf  # the last cut or probe
        self._in_flight = 0
        self._refusals = 0
        self._successes = 0
        self._patience_s = self._PATIENCE_S
        self._probing = False
        self._proved = 0  # so many were out when one was answered
        self._best, self._best_at = 0, -math.inf  # the same, whatever was refused since
        self._full_at: float | None = None  # when all that are allowed were out

    @property
    def is_cut(self) -> bool:
        """Whether fewer are allowed because some were refused."""
        return self._taught and self.allowed < self.cap

    def recap(self, cap: int, start: int | None = None) -> None:
        """The operator stated another cap: what was learned below it stays."""
        if not self._taught or self.allowed == self.cap or self.allowed > cap:
            self.allowed = cap if start is None else min(start, cap)
            self._refused_at, self._full_at = cap + 1, None
        self.cap = cap

    def refused(self, now: float, sent_at: float, in_flight: int) -> None:
        """Refused by number while ``in_flight`` calls were out, the refused one included."""
        if sent_at > self._cut_at:
            self._cut_at = self._tried_at = now
            self._in_flight = in_flight
            self._refusals = 0
            self._refused_before = self._refused_at
            if self._probing and self.allowed > self._usual(now):
                self._patience_s = min(self._PATIENCE_MAX_S, self._patience_s * 2)
            self._probing = False
        self._full_at, self._taught = None, True
        self._refusals += 1
        self._successes = 0
        held = self._in_flight - self._refusals
        if held >= 1:
            self._refused_at = min(self._refused_at, held + 1)
        else:  # not one: that tells of others, and nothing of how many it holds
            self._refused_at = max(self._refused_before, self._usual(now) + 1)
        self.allowed = max(1, min(self.allowed, held))
        self._proved = min(self._proved, self.allowed)

    def succeeded(self, now: float, sent_at: float, in_flight: int = 1) -> None:
        """Answered while so many were out: one more after each full round, and at the refused
        number only a rare probe."""
        if sent_at <= self._cut_at:
            return
        self._proved = max(self._proved, min(in_flight, self.allowed))
        if self._proved >= self._usual(now):
            self._best, self._best_at = self._proved, now
        if self.allowed >= self.cap:
            return
        self._successes += 1
        if self._successes < self.allowed:
            return
        if self.allowed + 1 < self._refused_at:
            self._successes = 0
            self.allowed += 1
            if self._probing:
                self._probing = False
                self._patience_s = self._PATIENCE_S
        elif now - self._tried_at >= self._patience_s:
            self._probe(now)

    def taken(self, now: float, in_flight: int) -> None:
        """So many are out now."""
        if self._full_at is None and in_flight >= self.allowed:
            self._full_at = now

    def looks_at(self, now: float) -> float | None:
        """When ``look`` will allow more, whatever is answered; None: not by time alone."""
        if self.allowed >= self.cap:
            return None
        if self._is_open or self._probing:
            return None if self._full_at is None else self._full_at + self._HELD_S
        return self._tried_at + self._PATIENCE_S if self.allowed < self._usual(now) else None

    def look(self, now: float) -> None:
        """Time has passed: allow more where what is out was not refused."""
        at = self.looks_at(now)
        if at is None or now < at:
            return
        if self._probing:
            # Held: what was refused before no longer is, and the next is asked for at once.
            usual, self._patience_s = self._usual(now), self._PATIENCE_S
            if self.allowed >= usual:
                self._probe(now)
                return
            self._probing, self._refused_at = False, usual + 1
        if self._is_open:
            more = self.allowed + max(1, self.allowed // 2)
            self.allowed = min(more, self._refused_at - 1, self.cap)
            self._full_at, self._successes = None, 0
        elif self.allowed < self._usual(now):
            self._probe(now)

    @property
    def _is_open(self) -> bool:
        return self.allowed + 1 < self._refused_at

    def _usual(self, now: float) -> int:
        """What the provider held in the last hour."""
        return min(self._best, self.cap) if now - self._best_at <= self._MEMORY_S else self._proved

    def _probe(self, now: float) -> None:
        self._tried_at, self._successes = now, 0
        self.allowed += 1
        self._refused_at = self.allowed + 1
        self._probing, self._full_at = True, None
