"""Headers of a bucket that fills bit by bit are told from those of a window, without being told."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.ports import RateNews
from desktop_app.domain.quota import Quota

LIMITS = st.floats(20, 5000).map(math.floor)
WINDOWS_S = st.sampled_from([20.0, 60.0, 3600.0, 86400.0])


def bucket(limit: int, window_s: float, left: float) -> RateNews:
    """Told in whole seconds, as some do."""
    return RateNews(limit, math.floor(left), math.ceil((limit - left) * window_s / limit))


def use_up(quota: Quota, limit: int, window_s: float) -> float:
    """Ask ten times as fast as calls come back, until none is left. Returns what is left."""
    left = float(limit)
    while left >= 1:
        left = min(limit, left - 1 + 0.1)
        quota.heard(bucket(limit, window_s, left))
    return left


@given(LIMITS, WINDOWS_S)
def test_a_bucket_is_known_by_the_time_it_is_empty(limit: int, window_s: float) -> None:
    quota = Quota()
    left = use_up(quota, limit, window_s)
    assert quota.rate == pytest.approx(limit / window_s, rel=0.1)
    assert quota.wait_s(bucket(limit, window_s, left)) <= 1.1 * window_s / limit


def test_it_has_a_rate_only_while_it_is_scarce() -> None:
    quota = Quota()
    quota.heard(bucket(240, 60.0, 200.0))
    quota.heard(bucket(240, 60.0, 100.0))
    assert quota.rate is None
    quota.heard(bucket(240, 60.0, 0.5))
    assert quota.rate == pytest.approx(4.0, rel=0.1)
    quota.heard(bucket(240, 60.0, 80.0))
    assert quota.rate is not None
    quota.heard(bucket(240, 60.0, 150.0))
    assert quota.rate is None


@given(LIMITS, st.floats(10, 3600), st.floats(0, 0.5), st.floats(0.01, 0.4))
def test_the_end_of_a_window_is_waited_for(
    limit: int, window_s: float, began: float, of_it: float
) -> None:
    """``of_it``: the part of the window in which all calls are used up, one after another."""
    quota = Quota()
    for used in range(1, limit + 1):
        reset_s = window_s * (1 - began - of_it * used / limit)
        news = RateNews(limit, limit - used, math.ceil(reset_s))
        quota.heard(news)
    assert quota.rate is None
    assert quota.wait_s(news) == math.ceil(reset_s)


def test_what_was_taken_for_a_bucket_and_is_a_window_is_seen() -> None:
    quota = Quota()
    use_up(quota, 100, 60.0)
    assert quota.rate is not None
    for used in range(1, 101):
        quota.heard(RateNews(100, 100 - used, 60 - used / 10))
    assert quota.rate is None
    assert quota.wait_s(RateNews(100, 0, 50)) == 50


@pytest.mark.parametrize(
    "news",
    [
        RateNews(),
        RateNews(60, None, 30),
        RateNews(None, 5, 30),
        RateNews(60, 60, 30),
        RateNews(60, 80, 30),
        RateNews(0, 0, 30),
        RateNews(60, 30, None),
    ],
)
def test_what_tells_nothing_changes_nothing(news: RateNews) -> None:
    quota = Quota()
    quota.heard(news)
    assert quota.rate is None
    use_up(quota, 100, 60.0)
    before = quota.rate
    quota.heard(news)
    assert quota.rate == before or (news.remaining_requests or 0) >= 30


def test_a_window_that_is_not_empty_asks_for_no_wait() -> None:
    assert Quota().wait_s(RateNews(60, 1, 30)) == 0
    assert Quota().wait_s(RateNews(60, 0, None)) == 0
    assert Quota().wait_s(RateNews(None, 0, 30)) == 30
