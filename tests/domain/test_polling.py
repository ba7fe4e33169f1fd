"""The schedule of polls: quick at first, by the usual time then, never in a rush."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.polling import (
    APART_MAX_S,
    FAILED_MAX_S,
    HINT_MAX_S,
    after_failed_poll_s,
    next_poll_s,
)

AGES = st.floats(0, 100_000)
TYPICAL = st.floats(0.1, 10_000)
DRAWS = st.floats(0, 1, exclude_max=True)


def polls(takes_s: float, typical_s: float) -> tuple[int, float]:
    """How often a job of ``takes_s`` is asked for, and how late its end is seen."""
    at, count = 0.0, 0
    while at < takes_s:
        at += next_poll_s(at, typical_s, None, lambda: 0.5)
        count += 1
    return count, at - takes_s


@given(AGES, TYPICAL, DRAWS)
def test_never_in_a_rush_and_never_forgotten(age_s: float, typical_s: float, drawn: float) -> None:
    wait_s = next_poll_s(age_s, typical_s, None, lambda: drawn)
    assert 0.8 <= wait_s <= APART_MAX_S * 1.2


@given(AGES, TYPICAL, st.floats(0.5, 10_000), DRAWS)
def test_a_hint_is_waited_whatever_the_age(
    age_s: float, typical_s: float, hint_s: float, drawn: float
) -> None:
    wait_s = next_poll_s(age_s, typical_s, hint_s, lambda: drawn)
    assert min(hint_s, HINT_MAX_S) <= wait_s <= HINT_MAX_S * 1.2


@given(st.floats(1, 3_600), st.floats(0.2, 5))
def test_an_end_is_seen_within_a_share_of_the_time_it_took(typical_s: float, ratio: float) -> None:
    takes_s = typical_s * ratio
    _, late_s = polls(takes_s, typical_s)
    assert late_s <= max(1.2, takes_s, typical_s * 0.25)
    assert late_s <= APART_MAX_S * 1.2


def test_a_usual_job_costs_a_dozen_polls_and_a_long_one_two_a_minute() -> None:
    assert polls(30, 30)[0] <= 12
    assert polls(3_600, 30)[0] <= 160
    assert polls(2, 30)[0] <= 3


@given(st.integers(1, 100), DRAWS)
def test_failed_polls_grow_apart_to_a_minute(failures: int, drawn: float) -> None:
    wait_s = after_failed_poll_s(failures, lambda: drawn)
    assert 0.5 <= wait_s <= FAILED_MAX_S
    assert after_failed_poll_s(failures + 20, lambda: drawn) >= FAILED_MAX_S / 2


def test_two_jobs_taken_together_are_not_asked_for_together() -> None:
    draws = iter((0.0, 0.9))
    first, second = (next_poll_s(60, 60, None, lambda: next(draws)) for _ in range(2))
    assert second - first > 1
