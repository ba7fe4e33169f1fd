"""Whether slowing down helps against a server that calls itself busy: some are, and some refuse a
tenth of all calls at any rate."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from desktop_app.domain.errors import Failure

LOOKED_AT = 20
LOOKED_MIN = 5
MOST = 0.5
TRIAL_CALLS = 30
TRIAL_REFUSED = 2
LITTLE = 0.15
HELPED = 0.5
TIMES = 2.0
MORE = 0.1
VALID_S = 300.0
KEPT = 1_000


class Load(StrEnum):
    """What a refusal says of the account."""

    CHANCE = "chance"  # nothing: the same rate succeeds at large, and less would be refused alike
    CROWDED = "crowded"  # the rate may be too high
    OVERLOADED = "overloaded"  # most calls are refused


def is_busy(failure: Failure) -> bool:
    """Whether a server spoke of its own trouble (503, 529). A 429 speaks of our calls, and so does
    whatever names their number."""
    return (failure.http_status or 0) >= 500 and not failure.wait.concurrency


@dataclass(slots=True)
class _Sent:
    at: float
    slowed: bool
    refused: bool = False


class Congestion:
    """Tells chance from congestion by a trial, as no single refusal shows which it is.

    The first refusal slows the account down. Calls sent from then on no faster than what had been
    taken are the trial: where they are refused like those before, slowing is of no use, and such a
    share of refusals is put up with for some minutes, or until it grows. Where hardly any is, each
    refusal slows down. A share that is not little takes a second trial, slower by that share: a
    limit that has just fallen is not known yet when the first begins. Most calls refused is
    congestion whatever was learned. Times are monotonic.
    """

    def __init__(self) -> None:
        self._calls: deque[_Sent] = deque(maxlen=KEPT)
        self._tried = 0
        self._tried_refused = 0
        self._ended_at: float | None = None
        self._usual = 0.0  # the share that is put up with
        self._first: float | None = None  # the share that the first of two trials found
        self._waits = False  # for the cut before the second

    def sent(self, now: float, *, slowed: bool) -> None:
        """A call leaves; ``slowed``: at a rate that was cut and was taken before."""
        self._calls.append(_Sent(now, slowed))
        if slowed and self._is_trying:
            self._tried += 1
            if self._tried >= TRIAL_CALLS:
                self._end(now)

    def refused(self, now: float, sent_at: float) -> Load:
        """The call of that time was refused as the server is busy."""
        at = self._find(sent_at)
        slowed = False
        if at is not None:
            call = self._calls[at]
            call.refused, slowed = True, call.slowed
            if slowed and self._is_trying:
                self._tried_refused += 1
        share = self._share(at)
        if share > MOST:
            self._forget()
            return Load.OVERLOADED
        if self._waits:
            return Load.CROWDED
        if self._ended_at is None:
            return Load.CHANCE if slowed else Load.CROWDED
        useless = self._usual > 0 and now - self._ended_at <= VALID_S
        return Load.CHANCE if useless and share <= self._usual * TIMES + MORE else Load.CROWDED

    @property
    def passing(self) -> float:
        """The share of calls that a trial saw passing at the rate of now, where its finding has
        to be tried again below that; else 1."""
        return 1.0 - self._first if self._waits and self._first is not None else 1.0

    def cut(self) -> None:
        """The account was slowed down: unless a trial is under way, one begins."""
        if self._waits or self._ended_at is not None:
            self._begin()

    @property
    def _is_trying(self) -> bool:
        return self._ended_at is None and not self._waits

    def _begin(self) -> None:
        self._tried = self._tried_refused = 0
        self._ended_at, self._waits = None, False
        for call in self._calls:
            call.slowed = False

    def _forget(self) -> None:
        self._first = None
        self._begin()

    def _end(self, now: float) -> None:
        found = self._tried_refused / self._tried
        if self._tried_refused < TRIAL_REFUSED:
            found = 0.0
        if self._first is None and found > LITTLE:
            self._first, self._waits = found, True
            return
        helped = self._first is not None and found < self._first * HELPED
        self._usual = 0.0 if helped else found
        self._first, self._ended_at = None, now

    def _find(self, sent_at: float) -> int | None:
        for back, call in enumerate(reversed(self._calls), 1):
            if call.at <= sent_at:
                if call.at == sent_at and call.refused:
                    continue
                return len(self._calls) - back
        return None

    def _share(self, at: int | None) -> float:
        """Of the last calls up to that one, those refused. What was sent later is left out: it
        may be refused yet."""
        if at is None:
            return math.inf
        looked = list(islice(self._calls, max(0, at + 1 - LOOKED_AT), at + 1))
        return sum(call.refused for call in looked) / max(len(looked), LOOKED_MIN)
