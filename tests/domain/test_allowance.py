"""By the minute: never more than was stated, nothing starves, and answers put estimates right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.allowance import BURST_S, Allowance

per_minute = st.floats(0.5, 1e6)
amounts = st.lists(st.integers(1, 20_000), min_size=1, max_size=60)


@given(per_minute, st.lists(st.tuples(st.floats(0, 100), st.integers(1, 20_000)), max_size=60))
def test_no_stretch_of_time_grants_more_than_its_rate_the_burst_and_one_big_call(
    rate: float, steps: list[tuple[float, int]]
) -> None:
    bucket, now = Allowance(rate, 0.0), 0.0
    granted: list[tuple[float, int]] = []
    for wait, amount in steps:
        now += wait
        if bucket.wait_s(amount, now) == 0:
            bucket.take(amount, now)
            granted.append((now, amount))
    for i, (start, _) in enumerate(granted):
        for j in range(i, len(granted)):
            end = granted[j][0]
            taken = sum(amount for _, amount in granted[i : j + 1])
            over = max(0.0, granted[j][1] - bucket.burst)
            assert taken <= (rate / 60 * (end - start) + bucket.burst + over) * (1 + 1e-6) + 1e-3


@given(per_minute, amounts)
def test_who_waits_as_told_goes_and_all_take_as_long_as_the_rate_says(
    rate: float, calls: list[int]
) -> None:
    bucket, now = Allowance(rate, 0.0), 0.0
    for amount in calls:
        now += bucket.wait_s(amount, now)
        assert bucket.wait_s(amount, now) * rate <= 1e-3
        bucket.take(amount, now)
    most = sum(calls[:-1]) + min(calls[-1], bucket.burst)
    assert now <= most / (rate / 60) * (1 + 1e-6) + 1e-3
    assert now >= (most - bucket.burst) / (rate / 60) * (1 - 1e-6) - 1e-3


def test_a_call_bigger_than_the_bucket_goes_alone_when_that_is_full() -> None:
    bucket = Allowance(600, 0.0)  # 10 a second, 60 at once
    assert bucket.wait_s(600, 0.0) == 0
    bucket.take(600, 0.0)
    assert bucket.wait_s(1, 0.0) == pytest.approx(54.1)
    assert bucket.wait_s(600, 0.0) == pytest.approx(60.0)


def test_an_answer_gives_back_what_was_charged_in_vain_and_takes_what_was_not() -> None:
    bucket = Allowance(600, 0.0)
    bucket.take(500, 0.0)
    bucket.put_back(460, 0.0)
    assert bucket.calls(10, 0.0) == 2
    bucket.put_back(-40, 0.0)
    assert bucket.wait_s(10, 0.0) == pytest.approx(3.0)


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=30))
def test_refunds_beyond_the_burst_are_kept_up_to_a_minutes_worth(charged: list[int]) -> None:
    bucket = Allowance(6000, 0.0)
    for amount in charged:
        bucket.take(amount, 0.0)
    for amount in charged:
        bucket.put_back(amount, 0.0)
    assert bucket.calls(1, 0.0) == min(6000, BURST_S * 100)
    bucket.take(bucket.burst, 0.0)
    bucket.put_back(7000, 0.0)
    assert bucket.calls(1, 0.0) == 6000
    assert bucket.calls(1, 60.0) == 6000  # more than a burst is never saved up by time alone


def test_another_rate_keeps_what_is_there_up_to_its_own_burst() -> None:
    bucket = Allowance(600, 0.0)
    bucket.change(60, 0.0)
    assert bucket.calls(1, 0.0) == 6
    bucket.change(600, 0.0)
    assert bucket.calls(1, 0.0) == 6
    assert bucket.calls(1, 1.0) == 16


def test_after_a_refusal_nothing_is_there_and_sleep_earns_nothing() -> None:
    bucket = Allowance(600, 0.0)
    bucket.empty(0.0)
    assert bucket.calls(1, 0.0) == 0
    bucket.after_jump(1000.0)
    assert bucket.calls(1, 1000.0) == 0
    assert bucket.calls(1, 1001.0) == 10


@given(per_minute)
def test_a_single_image_always_fits(rate: float) -> None:
    assert Allowance(rate, 0.0).wait_s(1, 0.0) == 0
