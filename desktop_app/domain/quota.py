"""What headers tell of an account's calls comes in two kinds, and the kind is not told: some begin
a new window at the reset, most let one call after another back until all are there."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.domain.ports import RateNews

FROM_S = 5.0
"""Of resets shorter than this nothing is concluded: they come rounded, and cost little."""

TIMES = 2.0
ALIKE = 0.25
PLENTY = 0.5


@dataclass(frozen=True, slots=True)
class _Used:
    calls: float
    reset_s: float

    @property
    def each_s(self) -> float:
        return self.reset_s / self.calls


class Quota:
    """Tells one kind from the other while the calls are used up: where they come back one by one,
    the time until all are there grows with each call that is missing; the end of a window comes
    nearer. Until that is known, a reset is the end of a window.
    """

    def __init__(self) -> None:
        self._mark: _Used | None = None
        self._each_s: float | None = None
        self._is_scarce = False

    def heard(self, news: RateNews) -> None:
        """An answer's headers say this."""
        limit, left, reset_s = news.limit_requests, news.remaining_requests, news.reset_requests_s
        if limit is None or left is None or left >= limit:
            return
        self._is_scarce = left < 1 or (self._is_scarce and left < limit * PLENTY)
        if reset_s is None or reset_s < FROM_S:
            return
        used = _Used(limit - left, reset_s)
        if self._mark is None or used.calls < self._mark.calls:
            self._mark = used
        elif used.calls >= self._mark.calls * TIMES:
            usual = self._mark.each_s
            self._each_s = used.each_s if abs(used.each_s - usual) <= ALIKE * usual else None

    @property
    def rate(self) -> float | None:
        """Calls a second that come back, from when all were used up until there are plenty again;
        else None."""
        return 1 / self._each_s if self._is_scarce and self._each_s else None

    def wait_s(self, news: RateNews) -> float:
        """For how many seconds these headers say that no call is to be had."""
        if news.remaining_requests is None or news.remaining_requests >= 1:
            return 0.0
        reset_s = news.reset_requests_s or 0.0
        return reset_s if self._each_s is None else min(reset_s, self._each_s)
