"""A count that nothing can be counted with is none."""

from __future__ import annotations

import pytest

from desktop_app.providers.figures import MOST, whole


@pytest.mark.parametrize(
    ("found", "counted"),
    [(0, 0), (7, 7), (7.0, 7), (7.9, 7), (MOST, MOST)],
)
def test_a_count(found: object, counted: int) -> None:
    assert whole(found) == counted


@pytest.mark.parametrize(
    "found",
    [None, "7", True, False, -1, -0.5, 10**30, MOST + 1, float("nan"), float("inf"), 1e300, [7]],
)
def test_what_is_none(found: object) -> None:
    assert whole(found) is None
