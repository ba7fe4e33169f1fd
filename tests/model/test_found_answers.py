"""What the model found of answers that came late or could not be kept, each as its smallest
schedule."""

from __future__ import annotations

import pytest

from desktop_app.domain.task import TaskState
from tests.model.conftest import Make

S = TaskState


def test_an_answer_that_came_while_the_computer_slept_is_read_before_it_is_given_up(
    make: Make,
) -> None:
    world = make(rows=1, behaviours=["slow"])
    world.live(5)
    world.sleep_through(3600.0)
    world.live(5)
    world.check()
    assert world.states == {1: S.SUCCESS}


def test_an_answer_that_is_being_decoded_at_its_deadline_is_kept(make: Make) -> None:
    world = make(rows=1, behaviours=["brink"])
    world.live(300)
    world.check()
    assert world.states == {1: S.SUCCESS}


def test_a_result_that_was_named_when_the_program_ended_once_more_is_not_set_aside(
    make: Make,
) -> None:
    world = make(rows=1)
    world.until(lambda: any(s.heard == "answer" for s in world.shop.sent))
    world.end()
    world.begin(start=False)
    world.alive.loop.create_task(world.alive.engine.start())
    world.until(lambda: len(world.disk.kept) > 0)
    world.end()
    world.begin()
    world.check()
    assert world.states == {1: S.SUCCESS}
    world.check_end()


@pytest.mark.parametrize("when", ["it came", "it was put aside", "it was written"])
def test_an_answer_that_came_too_late_outlives_the_program(make: Make, when: str) -> None:
    world = make(rows=1, behaviours=["deaf"])
    world.until(lambda: any(s.heard == "answer" for s in world.shop.sent), 300)
    if when != "it came":
        world.until(lambda: len(world.disk.safe) > 0)
    if when == "it was written":
        world.until(lambda: len(world.disk.kept) > 0)
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    world.end()
    world.begin()
    world.check()
    assert world.states == {1: S.SUCCESS}
    world.check_end()


@pytest.mark.expect_log("waits for its folder")
def test_an_answer_that_came_too_late_waits_for_its_folder(make: Make) -> None:
    world = make(rows=1, behaviours=["deaf"])
    world.live(100)
    world.disk.gone = True
    world.live(200)
    world.end()
    world.begin()
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    world.disk.gone = False
    world.live(60)
    world.check()
    assert world.states == {1: S.SUCCESS}
    world.check_end()


def test_an_answer_that_came_too_late_and_ends_the_program_is_set_aside(make: Make) -> None:
    world = make(rows=1, behaviours=["deaf"])
    world.until(lambda: any(s.heard == "answer" for s in world.shop.sent), 300)
    world.shop.poison.add(1)
    world.end()
    world.begin()
    world.settle_death()
    assert world.program is None
    world.begin()
    world.settle_death()
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    world.end(gently=True)
    world.begin()
    world.check_end()


@pytest.mark.expect_log("the answer of attempt 1 could not be read")
def test_an_answer_that_its_adapter_breaks_on_does_not_run_for_ever(make: Make) -> None:
    world = make(rows=1, behaviours=["bug"])
    world.until(lambda: any(s.heard == "answer" for s in world.shop.sent))
    world.end()
    world.begin()
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    world.check_end()


def test_an_answer_that_nobody_understood_at_a_start_is_read_at_a_later_one(make: Make) -> None:
    world = make(rows=1)
    world.live(0.5)
    world.people.set_adapter("gone")
    world.until(lambda: any(s.heard == "answer" for s in world.shop.sent))
    world.end()
    world.begin()
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    world.people.set_adapter("fake")
    world.end()
    world.begin()
    world.check()
    assert world.states == {1: S.SUCCESS}
    world.check_end()


@pytest.mark.parametrize(
    ("fate", "becomes"),
    [("job_fails", S.RETRYING), ("job_lost", S.UNCERTAIN), ("ok", S.CANCELLED)],
)
def test_a_job_whose_name_was_being_read_when_the_program_died_is_followed_to_its_own_end(
    make: Make, fate: str, becomes: S
) -> None:
    world = make(rows=1, behaviours=[fate], jobs=True)
    world.until(lambda: any(s.heard != "nothing" for s in world.shop.sent))
    assert world.rules.sql("SELECT job_id FROM attempt") == [(None,)]
    world.end()
    world.begin()
    if becomes is S.CANCELLED:
        world.people.cancel(1)
    world.live(1200)
    world.check()
    assert world.states == {1: becomes}
    world.check_end()
