"""The tokens of one account in two buckets: calls slow down when one of them is refused, and what
asks for the jobs of others need not, while both together keep to the rate that was told."""

from __future__ import annotations

from desktop_app.domain.limits import Bucket


class Tokens:
    """Calls take from both buckets: that of calls has the rate that was learned, the common one the
    rate that was told. Polls take from the common one alone. Times are monotonic seconds."""

    def __init__(self, rate: float | None, burst: float, now: float) -> None:
        self._calls = Bucket(rate, burst, now)
        self._told = Bucket(rate, burst, now)

    @property
    def rate(self) -> float | None:
        """Calls a second; None is no cap."""
        return self._calls.rate

    @property
    def burst(self) -> float:
        """Calls at once."""
        return self._calls.burst

    def at_hand(self, now: float, most: int) -> int:
        """Whole tokens that calls may have now, at most ``most``."""
        return min(self._calls.at_hand(now, most), self._told.at_hand(now, most))

    def wait_s(self, now: float) -> float:
        """Seconds until a call may have one."""
        return max(self._calls.wait_s(now), self._told.wait_s(now))

    def take(self, count: int, now: float) -> None:
        """Reserve tokens for calls that leave a little later."""
        self._calls.take(count, now)
        self._told.take(count, now)

    def left(self, now: float) -> None:
        """A call with a reserved token leaves."""
        self._calls.left(now)
        self._told.left(now)

    def owe(self, count: int, now: float) -> None:
        """A call needs so many beyond its own; those after it wait for them."""
        self._calls.owe(count, now)
        self._told.owe(count, now)

    def give_back(self, count: int) -> None:
        """Return tokens whose calls were never sent."""
        self._calls.give_back(count)
        self._told.give_back(count)

    def book(self, now: float) -> float:
        """Reserve the next token of the common bucket for a poll: in how many seconds it is there.
        Calls have those after it, so that neither waits for ever for the other."""
        wait = self._told.wait_s(now)
        self._told.take(1, now)
        return wait

    def booked_left(self, now: float) -> None:
        """The poll of a booked token leaves."""
        self._told.left(now)

    def booked_back(self) -> None:
        """The poll of a booked token was never sent."""
        self._told.give_back(1)

    def change(self, rate: float | None, burst: float, now: float) -> None:
        """Calls go on at another learned rate."""
        if (rate, burst) != (self._calls.rate, self._calls.burst):
            self._calls.change(rate, burst, now)

    def tell(self, rate: float | None, burst: float, now: float) -> None:
        """Another rate was told for all together."""
        if (rate, burst) != (self._told.rate, self._told.burst):
            self._told.change(rate, burst, now)

    def empty(self, now: float, next_s: float | None = None) -> None:
        """Start again from nothing after a refusal, see ``Bucket``."""
        self._calls.empty(now, next_s)
        self._told.empty(now, next_s)

    def after_jump(self, now: float) -> None:
        """The computer slept: the time away earned no burst."""
        self._calls.after_jump(now)
        self._told.after_jump(now)
