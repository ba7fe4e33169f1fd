"""Number or rate, where a refusal says neither: only what several have in common tells."""

from __future__ import annotations

import pytest

from desktop_app.domain.crowding import Crowding


def told(*events: tuple[int, ...]) -> list[bool]:
    """What the last refusal of each event says; between two of them calls were let in."""
    crowding, found = Crowding(), []
    for event in events:
        says = [crowding.refused(out, anew=nth == 0) for nth, out in enumerate(event)]
        found.append(says[-1])
    return found


def test_the_same_number_three_times_is_why() -> None:
    assert told((11,), (11,), (11,), (11,)) == [False, False, True, True]


def test_of_calls_sent_together_the_last_refusal_tells_the_number() -> None:
    assert told((14, 13, 12, 11), (11,), (12, 11)) == [False, False, True]


@pytest.mark.parametrize(
    "events",
    [((2,), (3,), (4,), (5,), (6,)), ((4,), (5,), (5,), (4,), (4,), (5,))],
)
def test_a_number_that_changes_is_not(events: tuple[tuple[int, ...], ...]) -> None:
    assert not any(told(*events))


def test_refusals_with_nothing_let_in_between_are_one_event() -> None:
    assert told((11, 11, 11, 11, 11)) == [False]


def test_another_number_begins_anew() -> None:
    assert told((11,), (11,), (11,), (8,), (8,), (8,)) == [False, False, True, False, False, True]
