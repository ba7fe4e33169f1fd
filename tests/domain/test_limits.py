"""Limits: never more than was stated, cut once an event, and never stuck low."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.connection import Limits, RateUnit
from desktop_app.domain.limits import (
    JITTER_S,
    SPARED,
    Bucket,
    Working,
    tightest,
    working,
)
from desktop_app.domain.rate_control import PROBING, SLOWEST, RateControl

seconds = st.floats(0, 1000, allow_nan=False)


@pytest.mark.parametrize(
    ("stated", "headroom", "used"), [(10, 0.8, 8), (1, 0.8, 1), (100, 0.29, 29), (3, 1.0, 3)]
)
def test_headroom_is_taken_off_a_stated_concurrency(
    stated: int, headroom: float, used: int
) -> None:
    assert working(Limits(concurrency=stated, headroom=headroom), 4).concurrency == used


def test_more_than_the_default_are_tried_only_where_nothing_is_stated() -> None:
    assert working(Limits(), 4, 64).slots == 64
    assert working(Limits(concurrency=10), 4, 64).slots == 8
    assert working(Limits(), 1).slots == 1


def test_of_an_account_the_number_that_somebody_stated_holds() -> None:
    open_, stated = working(Limits(), 4, 64), working(Limits(concurrency=10), 4, 64)
    assert (tightest([open_, stated]).concurrency, tightest([open_, stated]).slots) == (8, 8)
    assert (tightest([open_, open_]).concurrency, tightest([open_, open_]).slots) == (4, 64)


def test_headroom_is_taken_off_a_stated_rate_and_not_off_defaults() -> None:
    assert working(Limits(rate=120, rate_unit=RateUnit.RPM), 4) == Working(4, 1.6)
    assert working(Limits(), 4) == Working(4, None, None)
    assert working(Limits(rate=3, burst=10), 4).burst == 8
    assert working(Limits(rate=3, burst=1), 4).burst == 1


def test_connections_on_one_account_use_the_tightest_figures() -> None:
    assert tightest([Working(4, None), Working(8, 2.0, 3)]) == Working(4, 2.0, 3)


@given(
    st.floats(0.01, 200),
    st.floats(1, 50),
    st.lists(st.tuples(seconds, st.integers(1, 60)), max_size=60),
)
def test_a_bucket_never_grants_more_than_rate_times_time_plus_burst(
    rate: float, burst: float, steps: list[tuple[float, int]]
) -> None:
    bucket, now, granted = Bucket(rate, burst, 0.0), 0.0, 0
    for wait, want in steps:
        now += wait
        got = bucket.at_hand(now, want)
        assert 0 <= got <= want
        bucket.take(got, now)
        for _ in range(got):
            bucket.left(now)
        granted += got
        assert granted <= rate * now + burst + 1e-6


@given(st.floats(0.01, 200), st.lists(seconds, min_size=1, max_size=30))
def test_a_bucket_grants_one_after_the_wait_it_named(rate: float, pauses: list[float]) -> None:
    bucket, now = Bucket(rate, 1.0, 0.0), 0.0
    for pause in pauses:
        now += pause + bucket.wait_s(now + pause)
        assert bucket.at_hand(now, 1) == 1
        bucket.take(1, now)


@given(
    st.floats(0.5, 100),
    st.integers(2, 20),
    st.lists(
        st.tuples(st.floats(0, 3), st.integers(1, 20), st.floats(0, 0.5), st.floats(0, 0.05)),
        max_size=60,
    ),
)
def test_calls_that_arrive_closer_together_than_they_left_are_not_refused(
    rate: float, burst: int, steps: list[tuple[float, int, float, float]]
) -> None:
    """However long a call takes from its claim to the wire, and each up to JITTER_S to arrive
    (half the bucket's slack, where that is less)."""
    most = min(JITTER_S, (burst - 1) / 2 / rate)
    bucket, now, arrivals = Bucket(rate, burst, 0.0), 0.0, []
    for pause, want, leaves_after, jitter in steps:
        now += pause
        got = bucket.at_hand(now, want)
        bucket.take(got, now)
        now += leaves_after
        for _ in range(got):
            bucket.left(now)
            arrivals.append(now + min(jitter, most))
    theirs, filled_at = float(burst), 0.0
    for at in sorted(arrivals):
        theirs = min(burst, theirs + (at - filled_at) * rate) - 1
        filled_at = at
        assert theirs >= -1e-6


@given(
    st.floats(0.01, SPARED / JITTER_S),
    st.lists(st.tuples(st.floats(0, 300), st.floats(0, JITTER_S)), max_size=60),
)
def test_of_a_few_calls_a_minute_none_comes_too_early(
    rate: float, steps: list[tuple[float, float]]
) -> None:
    """Over there is a bucket of one."""
    bucket, now, theirs, filled_at = Bucket(rate, 1.0, 0.0), 0.0, 1.0, 0.0
    for pause, jitter in steps:
        now += pause
        now += bucket.wait_s(now)
        assert bucket.at_hand(now, 1) == 1
        bucket.take(1, now)
        bucket.left(now)
        arrives = now + jitter
        theirs = min(1.0, theirs + (arrives - filled_at) * rate) - 1
        filled_at = arrives
        assert theirs >= -1e-6
        now = arrives


def test_a_call_may_go_when_the_provider_says_so_though_its_token_is_not_there_yet() -> None:
    bucket = Bucket(0.05, 1.0, 0.0)
    bucket.take(1, 0.0)
    bucket.empty(20.0, next_s=0.1)
    assert bucket.wait_s(20.0) == pytest.approx(0.1)
    bucket.empty(20.0, next_s=60.0)
    assert bucket.wait_s(20.0) == pytest.approx(20.0)
    bucket.empty(20.0)
    assert bucket.wait_s(20.0) == pytest.approx(20.0)


@given(st.floats(0.5, 100), st.floats(1, 20), st.integers(1, 200))
def test_a_bucket_that_is_always_asked_loses_no_more_than_the_first_refill(
    rate: float, burst: float, count: int
) -> None:
    bucket, now = Bucket(rate, burst, 0.0), 0.0
    for _ in range(count):
        now += bucket.wait_s(now)
        assert bucket.at_hand(now, 1) == 1
        bucket.take(1, now)
        bucket.left(now)
    assert now <= count / rate + JITTER_S * (1 + burst) + 1e-6


@given(st.floats(1, 200), st.floats(1, 50), st.floats(0, 1e7))
def test_time_away_earns_no_burst(rate: float, burst: float, away: float) -> None:
    bucket = Bucket(rate, burst, 0.0)
    bucket.after_jump(away)
    assert bucket.at_hand(away, 100) <= 1


def test_tokens_not_used_come_back() -> None:
    bucket = Bucket(1.0, 3.0, 0.0)
    bucket.take(3, 0.0)
    bucket.give_back(2)
    assert bucket.at_hand(0.0, 9) == 2


def test_without_a_rate_there_is_no_cap_and_a_learned_rate_starts_empty() -> None:
    bucket = Bucket(None, 1.0, 0.0)
    assert bucket.at_hand(0.0, 70) == 70
    bucket.change(2.0, 1.0, 5.0)
    assert bucket.at_hand(5.0, 70) == 0
    assert bucket.wait_s(5.0) == pytest.approx(0.5)


def test_a_congestion_event_cuts_once() -> None:
    control = RateControl(8.0)
    assert control.cut(now=10, sent_at=9.0, passed=8.0)
    assert control.rate == pytest.approx(7.2)
    for sent_at in (9.2, 9.9, 10.0):
        assert not control.cut(now=10.5, sent_at=sent_at, passed=8.0)
    assert control.rate == pytest.approx(7.2)
    assert control.cut(now=12, sent_at=11.0, passed=6.0)
    assert control.rate == pytest.approx(5.4)


def test_a_cut_starts_from_what_got_through() -> None:
    control = RateControl(None)
    assert control.cut(now=1, sent_at=0.5, passed=3.0)
    assert control.rate == pytest.approx(2.7)


@given(
    st.one_of(st.none(), st.floats(0.001, 100)),
    st.lists(st.tuples(st.floats(0, 60), st.booleans()), max_size=200),
)
def test_the_rate_stays_between_slow_probing_and_the_cap(
    cap: float | None, steps: list[tuple[float, bool]]
) -> None:
    control, now = RateControl(cap), 0.0
    for i, (step, storm) in enumerate(steps):
        now += step
        if i % 3:
            control.grow(now)
        else:
            control.cut(now, now, passed=None if storm else step)
        if cap is not None:
            assert control.rate is not None
            assert control.rate <= cap
        if control.rate is not None:
            assert control.rate >= min(SLOWEST, cap or SLOWEST)


@given(st.floats(0.05, 100), st.lists(st.floats(0, 30), min_size=1, max_size=100))
def test_the_rate_only_grows_between_cuts(passed: float, steps: list[float]) -> None:
    control, now = RateControl(None), 1.0
    control.cut(now, 0.5, passed)
    before = control.rate
    for step in steps:
        now += step
        control.grow(now)
        assert before is not None
        assert control.rate is not None
        assert control.rate >= before
        before = control.rate


def test_after_a_storm_the_rate_recovers_quickly() -> None:
    control, now = RateControl(2.4), 0.0
    for _ in range(20):
        now += 6
        control.cut(now, now - 0.1, passed=None)
    assert control.rate == pytest.approx(PROBING)
    for _ in range(60):
        now += 1
        control.grow(now)
    assert control.rate == 2.4


@given(st.floats(0.5, 50), st.floats(2, 4))
def test_a_limit_that_was_lifted_is_used_within_a_minute(level: float, lifted: float) -> None:
    """Eight tenths of up to four times the old level, however often the old one refused."""
    control, now = RateControl(None), 0.0
    for _ in range(20):
        now += 30
        while control.rate is not None and control.rate < level * 1.02:
            now += 0.5
            control.grow(now)
        control.cut(now, now - 0.1, passed=level)
    for _ in range(120):
        now += 0.5
        control.grow(now)
    assert control.rate is not None
    assert control.rate >= 0.8 * lifted * level


def test_a_limit_that_holds_is_probed_ever_more_rarely() -> None:
    control, now, cuts = RateControl(None), 0.0, []
    while now < 600:
        now += 0.1
        control.grow(now)
        if control.rate is None or control.rate > 6.1:
            control.cut(now, now - 0.01, passed=6.0)
            cuts.append(now)
    gaps = [b - a for a, b in pairwise(cuts)]
    assert gaps[-1] > 2 * gaps[0]
    assert len(cuts) < 40


def test_a_rate_that_nobody_uses_is_not_raised() -> None:
    control, now = RateControl(None), 0.0
    control.cut(1.0, 0.5, passed=10.0)
    for _ in range(600):
        now += 1
        control.grow(now, used=4.0)
    assert control.rate == pytest.approx(15.0)
    for _ in range(20):
        now += 1
        control.grow(now, used=12.0)
    assert control.rate is not None
    assert control.rate > 24.0
    assert control.rate <= 24.0 * 2 ** (1 / 4)


def test_a_trickle_in_a_storm_does_not_make_the_level_forgotten_at_once() -> None:
    control = RateControl(None)
    control.cut(10, 9, passed=8)
    for at in (20, 30, 40):
        control.cut(at, at - 1, passed=0.1)
    for tenth in range(401, 600):
        control.grow(tenth / 10)
    assert control.rate is not None
    assert control.rate >= 8
    control.cut(400, 399, passed=0.1)
    assert control.rate == pytest.approx(0.09)
    for tenth in range(4001, 4200):
        control.grow(tenth / 10)
    assert control.rate < 0.2


def test_a_burst_that_was_taken_for_a_rate_is_seen_by_the_refusals_of_its_own() -> None:
    control = RateControl(None)
    control.cut(now=1.0, sent_at=0.9, passed=7.0)
    for passed, rate in ((6.0, 5.4), (2.0, 1.8), (3.0, 2.7)):
        control.echoed(passed)
        assert control.rate == pytest.approx(rate)
    control.echoed(9.0)
    assert control.rate == pytest.approx(6.3)


def test_where_not_one_of_them_passed_the_level_stays_as_it_seemed() -> None:
    control = RateControl(None)
    control.cut(now=1.0, sent_at=0.9, passed=7.0)
    control.echoed(2.0)
    control.echoed(None)
    assert control.rate == pytest.approx(6.3)


def test_an_echo_of_a_storm_or_of_an_earlier_event_changes_nothing() -> None:
    control = RateControl(None)
    control.cut(now=1.0, sent_at=0.9, passed=7.0)
    control.grow(4.0)
    before = control.rate
    control.echoed(1.0)
    assert control.rate == before
    control.cut(now=5.0, sent_at=4.9, passed=None)
    before = control.rate
    control.echoed(1.0)
    assert control.rate == before


def test_a_rate_refused_on_its_way_back_goes_down_by_more_than_before() -> None:
    control = RateControl(None)
    control.cut(now=1.0, sent_at=0.9, passed=10.0)
    for at in (2.0, 3.0, 4.0):
        control.cut(now=at, sent_at=at - 0.1, passed=10.0)
    assert control.rate == pytest.approx(10.0 * 0.8**3 * 0.9)


def test_a_level_that_is_gone_back_to_in_vain_time_and_again_is_given_up() -> None:
    control, now, cuts = RateControl(None), 1.0, 0
    control.cut(now, 0.9, passed=8.0)
    while now < 120:
        now += 3.0
        control.grow(now)
        if control.rate is not None and control.rate > 1.5:
            control.cut(now, now - 0.01, passed=1.0)
            cuts += 1
    assert cuts <= 12


@pytest.mark.parametrize(("pause_s", "most"), [(0.0, 60), (20.0, 25)])
def test_what_costs_a_long_wait_is_risked_more_rarely(pause_s: float, most: int) -> None:
    control, now, cuts = RateControl(None), 0.0, 0
    while now < 600:
        now += 0.1
        control.grow(now)
        if control.rate is None or control.rate > 6.1:
            control.cut(now, now - 0.01, passed=6.0, pause_s=pause_s)
            cuts += 1
    assert cuts <= most


def test_a_storm_grows_nothing_until_something_gets_through() -> None:
    control = RateControl(8.0)
    control.cut(10, 9, passed=8)
    control.cut(20, 19, passed=None)
    assert control.rate == pytest.approx(3.6)


def test_a_new_cap_is_obeyed_at_once() -> None:
    control = RateControl(4.0)
    control.recap(1.0)
    assert control.rate == 1.0
    control.recap(2.0)
    assert control.rate == 2.0


def test_limits_by_the_minute_have_headroom_and_the_tightest_holds() -> None:
    stated = Limits(rate=3, tokens_per_minute=30_000, images_per_minute=60)
    used = working(stated, 4)
    assert (used.tokens_per_minute, used.images_per_minute) == (24_000, 48)
    other = Working(8, 1.0, tokens_per_minute=10_000)
    assert tightest([used, other]) == Working(4, 1.0, None, 10_000, 48)


@pytest.mark.parametrize(("rate", "images"), [(60, 30), (30, 60)])
def test_images_stated_twice_are_charged_once_at_the_lower_figure(
    rate: float, images: float
) -> None:
    stated = Limits(rate=rate, rate_unit=RateUnit.IPM, images_per_minute=images, headroom=1.0)
    assert working(stated, 4) == Working(4, 0.5)
