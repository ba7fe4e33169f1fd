"""Refusals by chance are told from congestion, whatever their share and order."""

from __future__ import annotations

import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.congestion import (
    LOOKED_AT,
    LOOKED_MIN,
    MOST,
    TRIAL_CALLS,
    VALID_S,
    Congestion,
    Load,
    is_busy,
)
from desktop_app.domain.errors import Failure, FailureClass, WaitHint
from desktop_app.domain.text import message


def a_refusal(status: int | None, *, by_number: bool = False) -> Failure:
    wait = WaitHint(concurrency=by_number)
    return Failure(
        FailureClass.THROTTLED, "x", message("engine.internal"), http_status=status, wait=wait
    )


@pytest.mark.parametrize(
    ("status", "busy"), [(503, True), (529, True), (429, False), (200, False), (None, False)]
)
def test_only_a_servers_own_trouble_is_weighed(status: int | None, busy: bool) -> None:
    assert is_busy(a_refusal(status)) is busy
    assert not is_busy(a_refusal(status, by_number=True))


class Account:
    """Sends one call a second; every refusal that says so slows it down."""

    def __init__(self) -> None:
        self.congestion = Congestion()
        self.now = 0.0
        self.slowed = False

    def call(self, *, refused: bool) -> Load | None:
        self.now += 1.0
        self.congestion.sent(self.now, slowed=self.slowed)
        if not refused:
            return None
        load = self.congestion.refused(self.now, self.now)
        if load is not Load.CHANCE:
            self.congestion.cut()
            self.slowed = True
        return load


SERIES = 500


@pytest.mark.parametrize("share", [0.08, 0.1, 0.13])
def test_a_tenth_at_random_soon_slows_hardly_anything(share: float) -> None:
    """On average, and rarely more: a series may begin with refusals so close together that they
    look like an overload, and be slowed until they thin out."""
    all_of_it, later = [], []
    for seed in range(SERIES):
        account, dice = Account(), random.Random(seed)
        loads = [account.call(refused=dice.random() < share) for _ in range(250)]
        slows = [load in (Load.CROWDED, Load.OVERLOADED) for load in loads]
        all_of_it.append(sum(slows))
        later.append(sum(slows[100:]))
    assert fmean(all_of_it) < 2.5
    assert fmean(later) < 0.6
    assert sorted(all_of_it)[SERIES * 95 // 100] <= 5


def test_a_regular_tenth_slows_down_once() -> None:
    account = Account()
    loads = [account.call(refused=n % 10 == 9) for n in range(250)]
    assert [load for load in loads if load is not None] == [Load.CROWDED] + [Load.CHANCE] * 24


@given(st.integers(0, 300), st.floats(0.0, 0.2), st.integers(0, 1_000_000))
def test_an_overload_is_seen_within_a_few_calls_whatever_was_learned(
    before: int, share: float, seed: int
) -> None:
    account, dice = Account(), random.Random(seed)
    for _ in range(before):
        account.call(refused=dice.random() < share)
    loads = [account.call(refused=True) for _ in range(LOOKED_AT * 2)]
    first = loads.index(Load.OVERLOADED)
    assert first <= LOOKED_AT * MOST
    assert set(loads[first:]) == {Load.OVERLOADED}


def test_before_anything_succeeded_the_third_refusal_is_an_overload() -> None:
    account = Account()
    loads = [account.call(refused=True) for _ in range(4)]
    assert loads[int(LOOKED_MIN * MOST)] is Load.OVERLOADED
    assert loads[3] is Load.OVERLOADED


def test_where_slowing_helps_each_refusal_slows() -> None:
    account = Account()
    account.call(refused=False)
    for _ in range(4):
        assert account.call(refused=True) in (Load.CROWDED, Load.OVERLOADED)
        for _ in range(TRIAL_CALLS + LOOKED_AT):
            account.call(refused=False)


def test_a_share_that_is_not_little_is_tried_again_slower() -> None:
    account = Account()
    loads = [account.call(refused=n % 3 == 2) for n in range(TRIAL_CALLS)]
    assert loads.count(Load.CROWDED) == 1
    loads = [account.call(refused=n % 3 == 2) for n in range(6)]
    assert Load.CROWDED in loads
    # Slowing has helped after all: refusals end, and the next one slows again.
    for _ in range(TRIAL_CALLS + LOOKED_AT):
        account.call(refused=False)
    assert account.call(refused=True) is Load.CROWDED


def test_a_share_that_stays_when_tried_again_is_put_up_with() -> None:
    account = Account()
    for n in range(3 * TRIAL_CALLS):
        account.call(refused=n % 3 == 2)
    assert {account.call(refused=n % 3 == 2) for n in range(30)} == {None, Load.CHANCE}


def test_the_first_share_says_how_much_slower_the_second_trial_is() -> None:
    congestion = Congestion()
    for n in range(TRIAL_CALLS):
        congestion.sent(float(n), slowed=True)
        assert congestion.passing == 1.0 or n == TRIAL_CALLS - 1
        if n % 3 == 1:
            congestion.refused(float(n), float(n))
    assert congestion.passing == pytest.approx(2 / 3, abs=0.05)
    congestion.cut()
    assert congestion.passing == 1.0


def test_what_was_learned_is_learned_again_after_some_minutes() -> None:
    account = Account()
    for n in range(100):
        account.call(refused=n % 10 == 9)
    account.slowed = False
    for _ in range(int(VALID_S)):
        account.call(refused=False)
    assert account.call(refused=True) is Load.CROWDED


def test_a_share_that_grows_slows_again() -> None:
    account = Account()
    for n in range(100):
        account.call(refused=n % 10 == 9)
    assert Load.CROWDED in [account.call(refused=n % 5 < 2) for n in range(40)]
