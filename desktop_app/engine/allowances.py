"""What one account allows by the minute beside its calls, and the rows that wait for that."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from desktop_app.domain.allowance import Allowance, Weight
from desktop_app.domain.clock import Clock
from desktop_app.domain.limits import Working
from desktop_app.domain.text import Message, message

LONG_S = 10.0
"""From so long on it is said that rows wait."""
GAP_S = 5.0
"""Where no row waits for so long, the next one is a new matter."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    event: asyncio.Event
    batch_id: int


class Allowances:
    """Tokens and images a minute, each only where it is stated, and who is next to have some.

    A row is weighed when it is claimed. One that does not fit waits, and while one waits no other
    of its rank or below is claimed: the ``rank`` of its batch comes first, then who came first.
    Those that wait are known by the event that wakes them.
    """

    def __init__(self, clock: Clock, limits: Working) -> None:
        self._clock = clock
        self._tokens: Allowance | None = None
        self._images: Allowance | None = None
        self._queue: list[_Waiting] = []
        self._ranks: Mapping[int, int] = {}
        self._last = Weight()
        self._waits_for = ""
        self._since = self._seen = clock.monotonic() - GAP_S
        self.is_stated = False
        self.configure(limits)

    def configure(self, limits: Working) -> None:
        """These limits are in use now."""
        now = self._clock.monotonic()
        self._tokens = _changed(self._tokens, limits.tokens_per_minute, now)
        self._images = _changed(self._images, limits.images_per_minute, now)
        self.is_stated = self._tokens is not None or self._images is not None
        self.stir()

    @property
    def is_waited_for(self) -> bool:
        """Whether a claimed row waits."""
        return bool(self._queue)

    @property
    def waits_for(self) -> Message | None:
        """What rows have been waiting for, where they have for long; else None."""
        now = self._clock.monotonic()
        seen = now if self._queue else self._seen
        if now - seen >= GAP_S or seen - self._since < LONG_S:
            return None
        return message(f"engine.waits_{self._waits_for}")

    def rank(self, ranks: Mapping[int, int]) -> None:
        """By batch: the highest goes first. Also among those that wait already."""
        self._ranks = ranks
        self.stir()

    def goes_after(self, rank: int) -> bool:
        """Whether a row of this rank would go after one that waits."""
        return any(self._rank_of(one) >= rank for one in self._queue)

    def rows(self, most: int, rank: int = 0) -> int:
        """How many rows of a rank to claim, at most ``most``: as many as would fit if they were
        like the last one, and one, whose weight is known then."""
        if self.goes_after(rank):
            return 0
        now = self._clock.monotonic()
        for bucket, amount in self._of(self._last):
            most = min(most, max(1, bucket.calls(amount, now)))
        return most if self._last != Weight() else min(most, 1)

    def wait_s(self, weight: Weight) -> float:
        """Seconds until a call of that weight may go: the longer one of its waits."""
        now = self._clock.monotonic()
        return max((b.wait_s(amount, now) for b, amount in self._of(weight)), default=0.0)

    def enter(self, weight: Weight, batch_id: int = 0) -> asyncio.Event | None:
        """A claimed row takes its weight; or it has to wait until it is ``is_next`` and fits, and
        may be told by the event that something has changed."""
        self._last = weight
        waiting = _Waiting(asyncio.Event(), batch_id)
        if not self.goes_after(self._rank_of(waiting)):
            wait = self.wait_s(weight)
            if wait <= 0:
                self.take(weight)
                return None
            if not self._queue:
                self._mark(weight, wait)
        self._queue.append(waiting)
        return waiting.event

    def is_next(self, event: asyncio.Event) -> bool:
        """Whether this one has waited longest of the highest rank."""
        first = self._first()
        return first is not None and first.event is event

    def is_outranked(self, event: asyncio.Event) -> bool:
        """Whether one of a higher rank waits as well."""
        first = self._first()
        mine = next((one for one in self._queue if one.event is event), None)
        return first is not None and mine is not None and self._rank_of(first) > self._rank_of(mine)

    def leave(self, event: asyncio.Event) -> None:
        """This one waits no longer."""
        left = [one for one in self._queue if one.event is not event]
        if len(left) < len(self._queue):
            self._queue = left
            self._seen = self._clock.monotonic()
            self.stir()

    def stir(self) -> None:
        """The next one is to look again."""
        first = self._first()
        if first is not None:
            first.event.set()

    def take(self, weight: Weight) -> None:
        """A call takes its weight."""
        now = self._clock.monotonic()
        for bucket, amount in self._of(weight):
            bucket.take(amount, now)

    def give_back(self, weight: Weight) -> None:
        """A call was not sent, or was refused: it has taken nothing."""
        now = self._clock.monotonic()
        for bucket, amount in self._of(weight):
            bucket.put_back(amount, now)
        self.stir()

    def answered(self, weight: Weight, tokens: int | None) -> None:
        """An answer tells how many tokens its call has really taken; None: it does not."""
        if self._tokens is not None and tokens is not None:
            self._tokens.put_back(weight.tokens - tokens, self._clock.monotonic())
            self.stir()

    def refused(self) -> None:
        """The account was told to slow down: what is there counts no more."""
        now = self._clock.monotonic()
        for bucket, _ in self._of(Weight()):
            bucket.empty(now)

    def after_jump(self) -> None:
        """The computer slept: the time away saved up nothing."""
        now = self._clock.monotonic()
        for bucket, _ in self._of(Weight()):
            bucket.after_jump(now)

    def _first(self) -> _Waiting | None:
        return max(self._queue, key=self._rank_of, default=None)

    def _rank_of(self, waiting: _Waiting) -> int:
        return self._ranks.get(waiting.batch_id, 0)

    def _of(self, weight: Weight) -> list[tuple[Allowance, int]]:
        both = ((self._tokens, weight.tokens), (self._images, weight.images))
        return [(bucket, amount) for bucket, amount in both if bucket is not None]

    def _mark(self, weight: Weight, wait: float) -> None:
        now = self._clock.monotonic()
        if now - self._seen >= GAP_S:
            self._since = now
        by_tokens = self._tokens is not None and self._tokens.wait_s(weight.tokens, now) >= wait
        self._waits_for = "tokens" if by_tokens else "images"


def _changed(bucket: Allowance | None, per_minute: float | None, now: float) -> Allowance | None:
    if per_minute is None:
        return None
    if bucket is None:
        return Allowance(per_minute, now)
    bucket.change(per_minute, now)
    return bucket
