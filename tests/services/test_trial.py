"""The rows of a trial: those that are shown, those that run, and those that could never run."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.batch import LaneOnDead
from desktop_app.domain.text import OperatorError
from desktop_app.services.trial import Pick, Picker, Trial, rows_of, spelled, spelled_first

Rows = Sequence[tuple[str | None, str | None]]
"""(prompt, lane) of rows 2, 3, ..."""


def picked(
    trial: Trial, rows: Rows, rule: LaneOnDead = LaneOnDead.GO
) -> tuple[list[int], str | None]:
    picker = Picker(trial, rule)
    for row_no, (prompt, lane) in enumerate(rows, 2):
        picker.see(row_no, prompt, lane)
    said = picker.problem()
    return [row.row_no for row in picker.rows()], said.code if said else None


def test_the_first_are_the_first_that_can_be_used() -> None:
    assert picked(Trial(count=2), [(None, None), ("a", None), ("b", "x"), ("c", None)]) == (
        [3, 4],
        None,
    )


def test_random_ones_are_the_same_for_the_same_seed() -> None:
    rows: Rows = [(f"p{n}", None) for n in range(500)]
    first = picked(Trial(Pick.RANDOM, 5, seed=1), rows)
    assert first == picked(Trial(Pick.RANDOM, 5, seed=1), rows)
    assert len(first[0]) == 5
    assert first != picked(Trial(Pick.RANDOM, 5, seed=2), rows)
    seen = {row for seed in range(60) for row in picked(Trial(Pick.RANDOM, 5, seed), rows[:20])[0]}
    assert seen == set(range(2, 22))


@given(
    st.lists(st.tuples(st.sampled_from([None, "p"]), st.sampled_from([None, "a", "b"]))),
    st.integers(1, 6),
    st.integers(0, 9),
    st.sampled_from(LaneOnDead),
)
def test_no_random_row_waits_for_one_outside_the_trial(
    rows: Rows, count: int, seed: int, rule: LaneOnDead
) -> None:
    numbers, said = picked(Trial(Pick.RANDOM, count, seed), rows, rule)
    assert said is None
    for number in numbers:
        prompt, lane = rows[number - 2]
        assert prompt is not None
        for before in rows[: number - 2]:
            holds = before[0] is not None or rule is LaneOnDead.STOP
            assert lane is None or before[1] != lane or not holds


def test_a_chosen_row_says_why_it_cannot_be_tried() -> None:
    rows: Rows = [("a", "x"), ("b", "x"), (None, None), ("c", "x"), (None, "y"), ("d", "y")]

    def chosen(*numbers: int, rule: LaneOnDead = LaneOnDead.GO) -> tuple[list[int], str | None]:
        return picked(Trial(Pick.CHOSEN, rows=frozenset(numbers)), rows, rule)

    assert chosen(2, 3, 5) == ([2, 3, 5], None)
    assert chosen(2, 5)[1] == "services.trial_waits"
    assert chosen(4)[1] == "services.trial_unusable"
    assert chosen(2, 99)[1] == "services.trial_missing"
    assert chosen(7) == ([7], None)
    assert chosen(7, rule=LaneOnDead.STOP)[1] == "services.trial_waits"


def test_row_numbers_as_people_write_them() -> None:
    assert rows_of("3, 7-9") == {3, 7, 8, 9}
    assert rows_of("3，7–8、12,") == {3, 7, 8, 12}
    assert rows_of("") == frozenset()
    assert spelled([9, 3, 7, 8, 20, 21]) == "3, 7-9, 20-21"


@pytest.mark.parametrize("text", ["x", "3-", "-3", "9-7", "3;4", "1-2-3", "²", "1" * 12])
def test_what_is_no_row_number_is_said(text: str) -> None:
    with pytest.raises(OperatorError) as caught:
        rows_of(text)
    assert caught.value.message.code == "services.bad_rows"


def test_a_trial_of_too_many_rows_is_said() -> None:
    with pytest.raises(OperatorError) as caught:
        rows_of("2-900, 1000-2000")
    assert caught.value.message.code == "services.trial_many"


@given(st.sets(st.integers(1, 3000), max_size=60))
def test_spelled_rows_are_read_back(rows: set[int]) -> None:
    assert rows_of(spelled(rows)) == rows


def test_what_is_more_than_can_be_named_is_hinted_at() -> None:
    assert spelled_first((3, 7, 8), 6, of=3) == "3, 7-8"
    assert spelled_first((3, 7, 8), 2, of=3) == "3, 7, …"
    assert spelled_first((3, 7, 8), 3, of=4) == "3, 7-8, …"
