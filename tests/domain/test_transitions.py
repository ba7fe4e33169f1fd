"""The table of legal moves, held against the design's words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.task import DEAD_LETTERS, REQUEUEABLE, UNFINISHED, TaskState
from desktop_app.domain.transitions import LEGAL, IllegalMove, check, is_legal

STATES = st.sampled_from(TaskState)


@given(STATES, STATES)
def test_check_and_is_legal_agree_with_the_table(start: TaskState, end: TaskState) -> None:
    assert is_legal(start, end) == ((start, end) in LEGAL)
    if is_legal(start, end):
        check(start, end)
    else:
        with pytest.raises(IllegalMove):
            check(start, end)


@given(st.lists(STATES, min_size=1, max_size=40))
def test_a_walk_by_the_table_never_leaves_success(wishes: list[TaskState]) -> None:
    state = TaskState.PENDING
    for wish in wishes:
        if is_legal(state, wish):
            assert state is not TaskState.SUCCESS
            state = wish


def test_only_a_running_task_becomes_a_dead_letter() -> None:
    into = {(start, end) for start, end in LEGAL if end in DEAD_LETTERS}
    assert into == {
        *((TaskState.RUNNING, end) for end in DEAD_LETTERS),
        (TaskState.UNCERTAIN, TaskState.FAILED),
    }


def test_a_person_brings_back_what_may_be_requeued_and_nothing_else() -> None:
    back = {start for start, end in LEGAL if end is TaskState.PENDING}
    assert back == REQUEUEABLE | {TaskState.RUNNING}


def test_nothing_runs_that_was_not_waiting_or_asked_about() -> None:
    starts = {start for start, end in LEGAL if end is TaskState.RUNNING}
    # A job that its provider names after all is asked for where nothing else would come of the row.
    assert starts == UNFINISHED | DEAD_LETTERS


def test_every_state_can_be_reached_and_every_unfinished_one_can_end() -> None:
    assert {end for _, end in LEGAL} == set(TaskState)
    for state in UNFINISHED:
        assert any(start is state and end not in UNFINISHED for start, end in LEGAL)
