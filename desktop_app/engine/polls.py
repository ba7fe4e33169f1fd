"""What asks for the jobs of an account takes no slot, so it waits by rules of its own."""

from __future__ import annotations

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, wait_s
from desktop_app.engine.learned import Learned
from desktop_app.engine.tokens import Tokens

WAIT_MAX_S = 3600.0
"""No wait that a provider asks for is longer."""


class Polls:
    """The polls of one account, on the rates and tokens that its calls share."""

    def __init__(self, clock: Clock, learned: Learned, bucket: Tokens) -> None:
        self._clock = clock
        self._learned = learned
        self._bucket = bucket
        self._held_until = clock.monotonic()

    @property
    def rate(self) -> float | None:
        """Polls a second allowed while no row waits; None is no cap."""
        return self._learned.poll_rate

    @property
    def held_until(self) -> float:
        """Monotonic time before which no poll may leave: the provider asked for that."""
        return self._held_until

    def spend(self) -> None:
        """A request that takes no slot leaves now. It does not wait for its token: the calls
        after it do, so that jobs are asked for also where every token is wanted."""
        now = self._clock.monotonic()
        self._learned.polled(now)
        self._bucket.take(1, now)
        self._bucket.left(now)

    def book(self) -> float:
        """Reserve a token for a poll; in how many seconds it is there."""
        return self._bucket.book(self._clock.monotonic())

    def left(self) -> float:
        """The poll of a booked token leaves now; returns the monotonic time of that."""
        now = self._clock.monotonic()
        self._learned.polled(now)
        self._bucket.booked_left(now)
        return now

    def dropped(self) -> None:
        """The poll of a booked token does not leave."""
        self._bucket.booked_back()

    def answered(self, sent_at: float) -> None:
        """A poll was answered, whatever it said."""
        self._learned.poll_answered(self._clock.monotonic(), sent_at)

    def refused(self, now: float, sent_at: float, failure: Failure) -> float | None:
        """Asked to slow down: for how many seconds; None where that says nothing of the account."""
        asked = wait_s(failure, self._clock.now())
        wait = self._learned.poll_refused(now, sent_at, failure, asked)
        if wait is not None:
            self.hold(now, wait)
        return wait

    def hold(self, now: float, wait: float) -> None:
        """Let none leave for so many seconds."""
        self._held_until = max(self._held_until, now + min(wait, WAIT_MAX_S))
