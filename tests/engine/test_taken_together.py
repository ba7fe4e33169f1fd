"""At a high rate calls are claimed some at a time, and nothing is lost by it."""

from __future__ import annotations

import pytest

from desktop_app.domain.limits import Working
from desktop_app.engine.limiter import TOGETHER_S, Limiter


class HandClock:
    def __init__(self) -> None:
        self.at = 50.0

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError


def fed(limits: Working, seconds: float, nudge_s: float = 0.003) -> list[tuple[float, int]]:
    """(when, how many) calls a feeder takes that looks when told and at every nudge; each call
    leaves at once and its answer comes at once."""
    clock = HandClock()
    limiter = Limiter(clock, lambda: 1.0, limits)
    began, taken = clock.at, []
    while clock.at < began + seconds:
        count = limiter.free()
        if count:
            taken.append((clock.at - began, count))
            limiter.take(count)
            for _ in range(count):
                limiter.left()
                limiter.release()
        ready = limiter.ready_in()
        assert ready is not None
        clock.at += min(ready, nudge_s)
    return taken


def test_calls_of_a_high_rate_are_taken_some_at_a_time_and_none_is_lost() -> None:
    taken = fed(Working(64, 100.0, 20), 10.0)
    assert sum(count for _, count in taken) >= 10.0 * 100
    assert len(taken) < 10.0 / TOGETHER_S * 1.1


@pytest.mark.parametrize("limits", [Working(64, 100.0, 1), Working(64, 10.0, 20), Working(64, 3.0)])
def test_calls_that_come_one_by_one_are_taken_one_by_one(limits: Working) -> None:
    """Where the bucket holds but one, or tokens come further apart."""
    rate = limits.rate or 0.0
    taken = fed(limits, 10.0)
    assert sum(count for _, count in taken) >= 10.0 * rate * 0.97
    assert {count for _, count in taken[1:]} <= {1}


def test_a_free_slot_waits_for_nobody_where_tokens_are_plenty() -> None:
    clock = HandClock()
    limiter = Limiter(clock, lambda: 1.0, Working(8, 100.0, 20))
    limiter.take(limiter.free())
    assert limiter.in_use == 8
    for _ in range(5):
        clock.at += 0.012
        limiter.left()
        limiter.release()
        assert limiter.free() == 1
        limiter.take(1)
