"""The wait between tries stays between its bounds, whatever the dice say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.retry import CAP_S, backoff, ceiling, spaced

dice = st.floats(0, 1, exclude_max=True)


@pytest.mark.parametrize(("spent", "longest"), [(0, 1), (1, 2), (2, 4), (5, 32), (6, 60), (99, 60)])
def test_the_ceiling_doubles_up_to_the_cap(spent: int, longest: float) -> None:
    assert ceiling(spent) == longest


@given(st.integers(-3, 10_000), dice)
def test_full_jitter_stays_between_nothing_and_the_ceiling(spent: int, roll: float) -> None:
    assert 0 <= backoff(spent, lambda: roll) <= ceiling(spent) <= CAP_S


@given(st.integers(0, 10_000), dice)
def test_a_spaced_wait_is_never_less_than_half(spent: int, roll: float) -> None:
    assert ceiling(spent) / 2 <= spaced(spent, lambda: roll) <= ceiling(spent)


def test_two_rows_do_not_come_back_together() -> None:
    assert backoff(2, lambda: 0.25) == 1.0
    assert backoff(2, lambda: 0.75) == 3.0
