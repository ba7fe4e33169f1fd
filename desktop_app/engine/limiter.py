"""One limiter an account, so that two connections on one key cannot draw twice what it allows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from desktop_app.domain.allowance import Weight
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, wait_s
from desktop_app.domain.limits import Working, tightest, usual_burst
from desktop_app.domain.ports import RateNews
from desktop_app.domain.quota import Quota
from desktop_app.domain.retry import Draw
from desktop_app.domain.text import Message
from desktop_app.engine.allowances import Allowances
from desktop_app.engine.learned import Learned
from desktop_app.engine.polls import WAIT_MAX_S, Polls
from desktop_app.engine.ramp import Ramp
from desktop_app.engine.tokens import Tokens

PACE_S = 0.1
PACED_S = 5.0
TOGETHER_S = 0.04
"""Calls that come due within this time are claimed together: a claim is a commit, and a call is
not."""
MANY = 1_000_000
NEWS_WAIT_MAX_S = 60.0


class Limiter:
    """Slots, tokens and the provider's waits of one account.

    A slot is held from the claim until the answer is in; a row that waits holds none. After a
    refusal nothing is sent until the longest wait has passed, and then one call after another.
    ``rows_wait``: rows could be sent if there were tokens; until then polls may have them all.
    """

    def __init__(self, clock: Clock, draw: Draw, limits: Working) -> None:
        now = clock.monotonic()
        self._clock = clock
        self._stated = limits
        self._learned = Learned(draw, limits)
        self._bucket = Tokens(limits.rate, self._burst(limits.rate), now)
        self._blocked_until = now
        self._last_take = now - PACED_S
        self.allowances = Allowances(clock, limits)
        self.polls = Polls(clock, self._learned, self._bucket)
        self._ramp = Ramp()
        self._quota = Quota()
        self._quota_rate: float | None = None
        self.in_use = 0
        self.rows_wait = False
        self.refused_since: float | None = None
        self.reason: Message | None = None

    def configure(self, parts: Sequence[Working]) -> None:
        """Use the tightest of the limits stated by the connections on this account."""
        stated = tightest(parts)
        if stated == self._stated:
            return
        self._stated = stated
        self._quota_rate = None
        self._learned.recap(stated)
        self._apply_rate()
        self.allowances.configure(stated)

    @property
    def concurrency(self) -> int:
        """Calls allowed in flight now."""
        return self._learned.concurrency

    @property
    def allowed_rate(self) -> float | None:
        """Calls a second allowed now; None is no cap."""
        return self._learned.rate

    @property
    def slowed_until(self) -> float | None:
        """Monotonic end of the provider's wait, None when there is none."""
        return self._blocked_until if self._blocked_until > self._clock.monotonic() else None

    @property
    def slowed_to(self) -> tuple[float | None, int | None]:
        """Calls a second and in flight, each where it is below what was stated; else None."""
        return self._learned.cut_rate, self._learned.cut_number

    @property
    def has_slot(self) -> bool:
        """Whether a call could go if there were a token for it."""
        return self.in_use < self._learned.concurrency

    @property
    def is_slowed(self) -> bool:
        """Whether calls wait for the provider; what was learned slows nobody while none is sent."""
        if self.slowed_until is not None:
            return True
        busy = self.in_use > 0 or self.refused_since is not None
        return busy and self.slowed_to != (None, None)

    def rate(self) -> float:
        """Calls a second over the last ten seconds."""
        return self._learned.used(self._clock.monotonic())

    def free(self, rank: int = 0) -> int:
        """How many rows may be claimed at this moment, to be sent; ``rank``: of their batch."""
        count = self._free()
        return self.allowances.rows(count, rank) if count and self.allowances.is_stated else count

    def _free(self) -> int:
        now = self._clock.monotonic()
        self._learned.look(now)
        slots = self._allowed(now) - self.in_use
        if slots <= 0 or now < self._blocked_until:
            return 0
        if self._is_paced(now):
            slots = 1 if now >= self._last_take + self._pace() else 0
        count = self._bucket.at_hand(now, slots)
        return count if count == slots or now >= self._gathered_at(count) else 0

    def ready_in(self, rank: int = 0) -> float | None:
        """Seconds until a row may be claimed; None where first a slot has to fall free, or a
        claimed row has to go."""
        return None if self.allowances.goes_after(rank) else self._ready_in()

    def admit(self, weight: Weight) -> bool:
        """Take all that a call of that weight takes, if it is there. For the row that waits."""
        if self.allowances.wait_s(weight) > 0 or self._free() < 1:
            return False
        self.take(1)
        self.allowances.take(weight)
        return True

    def admits_in(self, weight: Weight) -> float | None:
        """Seconds until that may be; None where first a slot has to fall free."""
        ready = self._ready_in()
        return None if ready is None else max(ready, self.allowances.wait_s(weight))

    def _ready_in(self) -> float | None:
        now = self._clock.monotonic()
        if not self.has_slot:
            more_at = self._learned.more_at(now)
            return None if more_at is None else max(0.001, more_at - now)
        tokens = self._bucket.at_hand(now, MANY)
        at = max(self._blocked_until, now + self._bucket.wait_s(now), self._allowed_at(now))
        at = max(at, self._gathered_at(tokens))
        if self._is_paced(now):
            at = max(at, self._last_take + self._pace())
        return max(0.001, at - now)

    def _gathered_at(self, tokens: int) -> float:
        """When calls may be taken where ``tokens`` are all there is: at a high rate not each by
        itself as its token comes. No token is lost meanwhile, for the bucket is nowhere near full,
        and no slot is idle for it where tokens are plenty."""
        rate = self._bucket.rate
        if rate is None:
            return -math.inf
        together_s = min(TOGETHER_S, (self._bucket.burst - 1) / 2 / rate)
        return self._last_take + together_s if tokens < rate * together_s else -math.inf

    def turns_s(self) -> float:
        """The time in which a few other rows have their turn at the rate of now."""
        return self._learned.turns_s()

    def take(self, count: int) -> None:
        """Reserve slots and tokens that ``free`` promised."""
        now = self._clock.monotonic()
        if count:
            self._ramp.begins(now)
        self._bucket.take(count, now)
        self.in_use += count
        self._learned.taken(now, self.in_use)
        self._last_take = now

    def put_back(self, count: int) -> None:
        """Give back slots and tokens whose calls were not sent."""
        self.in_use -= count
        self._bucket.give_back(count)
        self.allowances.stir()

    def left(self) -> None:
        """A call that was reserved begins to leave: only now is its token gone over there."""
        self._bucket.left(self._clock.monotonic())

    def release(self) -> None:
        """A slot is free: its answer is in."""
        self.in_use -= 1
        self.allowances.stir()

    def sent(self, tokens: int = 1) -> float:
        """A call leaves now; returns the monotonic time to hand back with its answer. ``tokens``:
        where the rate counts images, a call for several takes one for each."""
        now = self._clock.monotonic()
        if tokens > 1:
            self._bucket.owe(tokens - 1, now)
        self._learned.sent(now, tokens)
        self._apply_rate()
        return now

    def succeeded(self, sent_at: float, news: RateNews) -> None:
        """An answer came: recover a little, and hear what its headers say."""
        now = self._clock.monotonic()
        self._learned.succeeded(now, sent_at, self.in_use)
        self._apply_rate()
        self._ramp.answered()
        self.refused_since = None
        if now >= self._blocked_until + PACED_S:
            self.reason = None
        self._hear(news, now)

    def throttled(self, sent_at: float, failure: Failure, *, cut: bool = True) -> None:
        """The provider asked to slow down. Called while the refused call still holds its slot.
        ``cut`` False: this row is refused while others pass, see ``Learned``."""
        now = self._clock.monotonic()
        asked = wait_s(failure, self._clock.now())
        wait = self._learned.throttled(now, sent_at, failure, asked, self.in_use, cut=cut)
        self._slow(now, wait, failure, asked)
        if wait is not None and asked is not None:
            self.polls.hold(now, wait)
        if self.refused_since is None:
            self.refused_since = now

    def goes_on_waiting(self, wait_s: float, said: Message | None) -> None:
        """An earlier process was asked to wait, and this much of it is left. As other waits that
        no refusal of now asks for it is not long: the next call may tell."""
        now = self._clock.monotonic()
        wait_s = min(wait_s, NEWS_WAIT_MAX_S)
        self._blocked_until = max(self._blocked_until, now + wait_s)
        self.reason = said
        self.polls.hold(now, wait_s)

    def hold(self) -> None:
        """Take a slot for what is at work over there already, over the cap if need be."""
        self.in_use += 1

    def poll_refused(self, sent_at: float, failure: Failure) -> None:
        """Asked to slow down by a request without a slot."""
        now = self._clock.monotonic()
        self._slow(now, self.polls.refused(now, sent_at, failure), failure)

    def after_jump(self) -> None:
        """The computer slept: no burst for the time away."""
        self._bucket.after_jump(self._clock.monotonic())
        self.allowances.after_jump()

    def _hear(self, news: RateNews, now: float) -> None:
        self._quota.heard(news)
        limit, window_s, rate = news.limit_requests, news.window_s, self._quota.rate
        if self._stated.rate is None:
            if limit and window_s:
                self._tell(limit / window_s)
            elif rate != self._quota_rate:
                self._quota_rate = rate
                self._tell(rate)
        wait = min(self._quota.wait_s(news), NEWS_WAIT_MAX_S)
        wait = 0.0 if self._quota_rate is not None else wait
        wait = max(wait, min(news.no_tokens_s or 0.0, NEWS_WAIT_MAX_S))
        if wait > 0:
            self._blocked_until = max(self._blocked_until, now + wait)
            self.polls.hold(now, wait)

    def _tell(self, rate: float | None) -> None:
        self._learned.told(rate)
        self._apply_rate()

    def _slow(
        self, now: float, wait: float | None, failure: Failure, asked: float | None = None
    ) -> None:
        """``wait`` None: the refusal says nothing of the account. ``asked``: the provider's own
        word on when one call may go."""
        if wait is None:
            return
        self._apply_rate()
        self._bucket.empty(now, asked)
        self.allowances.refused()
        self._blocked_until = max(self._blocked_until, now + min(wait, WAIT_MAX_S))
        self.reason = failure.said

    def _allowed(self, now: float) -> int:
        """Slots; where no rate is known, as many of them as the ramp lets go."""
        slots = self._learned.concurrency
        return slots if self._learned.rate is not None else min(slots, self._ramp.allowed(now))

    def _allowed_at(self, now: float) -> float:
        """When a slot beyond those in use may be taken."""
        return (
            now if self.in_use < self._allowed(now) else self._ramp.allows_more_at(now, self.in_use)
        )

    def _is_paced(self, now: float) -> bool:
        return self.reason is not None and now < self._blocked_until + PACED_S

    def _pace(self) -> float:
        """Apart after a refusal: not all that waited at once, and not slower than the rate."""
        rate = self._learned.rate
        return PACE_S if rate is None else min(PACE_S, 0.5 / rate)

    def _burst(self, rate: float | None) -> float:
        if self._stated.burst is not None and rate == self._stated.rate:
            return float(self._stated.burst)
        return usual_burst(rate)

    def _apply_rate(self) -> None:
        now = self._clock.monotonic()
        for rate, change in (
            (self._learned.rate, self._bucket.change),
            (self._learned.told_rate, self._bucket.tell),
        ):
            change(rate, self._burst(rate), now)
