"""The ramp widens with time and with answers, and says itself when it will."""

from __future__ import annotations

import math

import pytest

from desktop_app.engine.ramp import FIRST, STEEP, Ramp


def test_it_doubles_with_time_from_the_first_call_on() -> None:
    ramp = Ramp()
    assert ramp.allowed(100.0) == FIRST
    ramp.begins(100.0)
    ramp.begins(103.0)
    assert ramp.allowed(100.0) == FIRST
    assert ramp.allowed(100.0 + 1 / STEEP) == 2 * FIRST
    assert ramp.allowed(100.0 + 3 / STEEP) == 8 * FIRST


def test_each_answer_lets_one_more_go() -> None:
    ramp = Ramp()
    ramp.begins(0.0)
    for _ in range(5):
        ramp.answered()
    assert ramp.allowed(0.0) == FIRST + 5
    assert ramp.allowed(1 / STEEP) == 2 * FIRST + 5


@pytest.mark.parametrize("answered", [0, 3, 40])
def test_when_it_says_one_more_may_go_one_more_may(answered: int) -> None:
    ramp = Ramp()
    ramp.begins(0.0)
    for _ in range(answered):
        ramp.answered()
    now = 0.3
    assert ramp.allows_more_at(now, ramp.allowed(now) - 1) == now
    for in_use in range(ramp.allowed(now), ramp.allowed(now) + 20):
        at = ramp.allows_more_at(now, in_use)
        assert at > now
        assert ramp.allowed(math.nextafter(at, 99.0) + 1e-9) >= in_use + 1
        assert ramp.allowed(at - 1e-6) <= in_use
