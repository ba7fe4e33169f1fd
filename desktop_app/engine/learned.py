"""What an account takes, learned from its answers: how many calls a second, how many at once."""

from __future__ import annotations

import math
from collections import deque

from desktop_app.domain.ceiling import Ceiling
from desktop_app.domain.congestion import Congestion, Load, is_busy
from desktop_app.domain.crowding import Crowding
from desktop_app.domain.errors import Failure
from desktop_app.domain.limits import Working
from desktop_app.domain.rate_control import RateControl
from desktop_app.domain.retry import Draw, spaced
from desktop_app.engine.departures import LATELY_S, Departures

TURNS = 4
TURNS_MAX_S = 300.0
LOOKED_AT = 100
LOOKED_MIN = 20
RARE = 0.03
MANY = 4
UNSAID_MAX_S = 35.0
"""Between looks whether the trouble is over, where nobody says when: within a minute of its end all
that is allowed is to be used again."""


class Learned:
    """Rate and number, under what was stated. Times are monotonic, waits are seconds."""

    def __init__(self, draw: Draw, stated: Working) -> None:
        self._draw = draw
        self._slots = Ceiling(stated.slots, stated.concurrency)
        self._control = RateControl(stated.rate)
        self._departures = Departures()
        self._polls = RateControl(stated.rate)
        self._asked = Departures()
        self._congestion = Congestion()
        self._crowding = Crowding()
        self._crowded_at = -math.inf
        self._refused: deque[bool] = deque(maxlen=LOOKED_AT)
        self._storm = 0
        self._storm_cut_at = -1.0
        self._cut_before: tuple[float, float | None] = (-math.inf, None)

    @property
    def concurrency(self) -> int:
        """Calls allowed in flight."""
        return self._slots.allowed

    @property
    def rate(self) -> float | None:
        """Calls a second allowed; None is no cap."""
        return self._control.rate

    @property
    def told_rate(self) -> float | None:
        """What was stated or told for calls and polls together; None is no cap."""
        return self._control.cap

    @property
    def poll_rate(self) -> float | None:
        """Polls a second allowed: only a poll that was refused lowers it; None is no cap."""
        return self._polls.rate

    @property
    def cut_rate(self) -> float | None:
        """Calls a second, where fewer are allowed than was stated or told; else None."""
        return None if self._control.rate == self._control.cap else self._control.rate

    @property
    def cut_number(self) -> int | None:
        """Calls in flight, where fewer are allowed than was stated; else None."""
        return self._slots.allowed if self._slots.is_cut else None

    def taken(self, now: float, in_use: int) -> None:
        """So many slots are taken now."""
        self._slots.taken(now, in_use)

    def look(self, now: float) -> None:
        """Time has passed: more may be allowed in flight."""
        self._slots.look(now)

    def more_at(self, now: float) -> float | None:
        """When ``look`` will find that; None where answers decide."""
        return self._slots.looks_at(now)

    def recap(self, stated: Working) -> None:
        """Other limits are stated now."""
        self._slots.recap(stated.slots, stated.concurrency)
        self.told(stated.rate)

    def told(self, rate: float | None) -> None:
        """The operator, or the provider's own headers, name a rate."""
        self._control.recap(rate)
        self._polls.recap(rate)

    def used(self, now: float) -> float:
        """Calls a second over the last ten seconds."""
        return self._departures.rate(now)

    def turns_s(self) -> float:
        """The time in which a few other rows have their turn at the rate of now."""
        rate = self._control.rate
        return 0.0 if rate is None else min(TURNS_MAX_S, TURNS / rate)

    def sent(self, now: float, tokens: int = 1) -> None:
        """A call leaves, and takes so many tokens of the rate."""
        for _ in range(tokens):
            self._departures.add(now)
        self._congestion.sent(now, slowed=self._control.is_slowed)
        if self._departures.goes_through(now, self._control.cut_at):
            self._grow(now)

    def polled(self, now: float) -> None:
        """A request that takes no slot leaves."""
        self._asked.add(now)
        self._congestion.sent(now, slowed=self._control.is_slowed)

    def poll_answered(self, now: float, sent_at: float) -> None:
        """A poll was not refused: recover a little."""
        if sent_at > self._polls.cut_at and self._polls.rate != self._polls.cap:
            self._polls.grow(now, self._asked.lately(now) / LATELY_S)

    def succeeded(self, now: float, sent_at: float, in_use: int) -> None:
        """A good answer came while so many calls were out: recover a little."""
        self._slots.succeeded(now, sent_at, in_use)
        if sent_at > self._control.cut_at:
            self._grow(now)
        self._refused.append(False)
        self._storm = 0

    def throttled(
        self,
        now: float,
        sent_at: float,
        failure: Failure,
        wait: float | None,
        in_use: int,
        *,
        cut: bool,
    ) -> float | None:
        """A call was refused while ``in_use`` were out, itself included; ``wait`` is what the
        provider asked for. How long the account sends nothing; None: only the row waits.

        ``cut`` False: this row is refused while others pass, so only its wait is obeyed. So it is
        where refusals are rare: a provider that refuses one call in twenty is not too busy.
        """
        if sent_at > self._storm_cut_at:
            self._storm_cut_at = now
            self._storm += 1
        self._refused.append(True)
        by_chance = self._control.is_proved and self._rarely_refused()
        cut = cut and not by_chance
        self._departures.take_out(sent_at)
        load = self._load(now, sent_at, failure)
        if load is Load.CROWDED:
            # At the beginning there is nothing to come down to but a guess.
            cut = cut and self._departures.tells(now, self._control.rate)
        if load is Load.CHANCE or (load is Load.CROWDED and not cut):
            return None
        crowded = load is not Load.CROWDED and self._is_crowded(now, in_use)
        # With calls left by its own figures and many of ours out it is not the rate.
        spare = failure.wait.spare and wait is None and (crowded or in_use >= MANY)
        by_number = failure.wait.concurrency or (spare and load is not Load.CROWDED)
        alike = crowded and self._are_alike(now, sent_at, in_use)
        by_number = by_number or (alike and in_use >= MANY)
        if cut and by_number:
            self._slots.refused(now, sent_at, in_use)
        if cut and not by_number:
            self._cut(now, sent_at, wait)
        if load is Load.CROWDED:
            return 0.0
        if wait is None:
            wait = self._unsaid(in_use, by_number=by_number)
            if by_chance:
                wait = min(wait, self.turns_s())
        return wait

    def _unsaid(self, in_use: int, *, by_number: bool) -> float:
        """The wait where the provider names none: none for a slot that one of our own calls
        holds, as its answer tells that it is free; others do not tell."""
        if by_number and in_use > 1:
            return 0.0
        return spaced(self._storm - 1, self._draw, cap_s=UNSAID_MAX_S)

    def poll_refused(
        self, now: float, sent_at: float, failure: Failure, wait: float | None
    ) -> float | None:
        """As ``throttled``, for a request without a slot: the number in flight is not why. Calls
        slow down as well, for they may share what was used up, unless none left lately."""
        load = self._load(now, sent_at, failure)
        self._asked.take_out(sent_at)
        polls, is_sure = self._polls, load is not Load.CROWDED
        if load is Load.CHANCE or not (is_sure or self._asked.tells(now, polls.rate)):
            return None
        if polls.cut(now, sent_at, self._asked.passed(now, polls.cut_at, polls.rate)):
            self._asked.cut()
        is_sure = is_sure or self._departures.tells(now, self._control.rate)
        if is_sure and self._departures.lately(now):
            self._cut(now, sent_at)
        if load is Load.CROWDED:
            return 0.0
        return spaced(1, self._draw) if wait is None else wait

    def _load(self, now: float, sent_at: float, failure: Failure) -> Load:
        # What a 429 asks for is always obeyed.
        if not is_busy(failure):
            return Load.OVERLOADED
        return self._congestion.refused(now, sent_at)

    def _rarely_refused(self) -> bool:
        known = len(self._refused)
        return known >= LOOKED_MIN and sum(self._refused) <= known * RARE

    def _are_alike(self, now: float, sent_at: float, in_use: int) -> bool:
        anew = self._departures.let_in(self._crowded_at, now)
        self._crowded_at = max(self._crowded_at, sent_at)
        return self._crowding.refused(in_use, anew=anew)

    def _is_crowded(self, now: float, in_use: int) -> bool:
        """Whether most calls have been out for a while: then it may be their number that is
        refused; else they left so quickly that it must be the rate."""
        return 2 * self._departures.lately(now) < in_use

    def _cut(self, now: float, sent_at: float, wait: float | None = None) -> None:
        control, sent = self._control, self._departures
        before = control.cut_at, control.rate
        passed = sent.passed(now, *before)
        if passed is not None and control.rate is not None:
            passed = min(passed, control.rate * self._congestion.passing)
        if control.cut(now, sent_at, passed, wait or 0.0):
            sent.cut()
            self._congestion.cut()
            self._cut_before = before
        else:
            # Where none of them passed it may be a storm, which tells nothing of the rate.
            some = sent.lately(control.cut_at)
            control.echoed(sent.passed(control.cut_at, *self._cut_before) if some else None)

    def _grow(self, now: float) -> None:
        # Counted only where it matters: of quick calls thousands have left lately.
        if self._control.rate != self._control.cap:
            self._control.grow(now, self._departures.lately(now) / LATELY_S)
