"""What the model found where the disk refused a commit, each as its smallest schedule."""

from __future__ import annotations

import pytest

from desktop_app.domain.task import TaskState
from tests.model.conftest import Make
from tests.model.life import Plan

S = TaskState


@pytest.mark.expect_log("could not be committed")
def test_a_job_that_was_told_too_late_is_remembered_though_the_disk_is_full(make: Make) -> None:
    world = make(rows=1, behaviours=["deaf"], jobs=True)
    world.until(lambda: any(s.heard == "job" for s in world.shop.sent), 300)
    world.alive.life.full = 3
    world.live(60)
    world.check()
    assert world.rules.sql("SELECT job_id FROM attempt") == [("job-0",)]


@pytest.mark.expect_log("could not be committed|a round of the feeder failed")
def test_an_answer_that_comes_while_its_end_can_not_be_committed_is_kept(make: Make) -> None:
    world = make(rows=1, behaviours=["deaf"])
    world.live(100)
    world.alive.life.full = 9
    world.live(300)
    world.check()
    assert world.states == {1: S.SUCCESS}
    world.check_end()


@pytest.mark.expect_log("upkeep failed|a round of the feeder failed")
def test_no_wait_is_longer_because_the_disk_was_full_when_the_clock_was_set_back(
    make: Make,
) -> None:
    world = make(rows=1, behaviours=["fail"])
    world.until(lambda: any(s.heard == "transient" for s in world.shop.sent))
    world.live(0.1)
    world.jump(-3600.0)
    world.alive.life.full = 2
    world.live(60)
    world.check()
    assert world.states == {1: S.SUCCESS}


@pytest.mark.parametrize("refused", [1, 9])
@pytest.mark.expect_log("a round of the feeder failed|upkeep failed|could not be committed")
def test_rows_are_not_taken_in_vain_though_the_disk_is_full_when_their_connection_changes(
    make: Make, refused: int
) -> None:
    world = make(rows=4, behaviours=["slow"] * 4)
    world.live(5)
    world.alive.life.plan = Plan(commits_left=1, how="full", commits_refused=refused)
    world.people.set_currency("EUR")
    world.live(120)
    world.check()
    assert set(world.states.values()) == {S.SUCCESS}
    assert len(world.rules.sql("SELECT 1 FROM attempt")) <= 8


@pytest.mark.parametrize("commits", range(6))
@pytest.mark.expect_log("a round of the feeder failed|upkeep failed|could not be committed")
def test_a_row_that_was_set_aside_for_another_is_not_lost_where_that_can_not_be_had(
    make: Make, commits: int
) -> None:
    world = make(rows=3, concurrency=1, behaviours=["account"])
    world.live(5)
    world.alive.life.plan = Plan(commits_left=commits, how="busy")
    world.people.try_again()
    world.live(60)
    world.alive.life.spare()
    world.people.try_again()
    world.people.resume()
    world.live(120)
    world.check()
    assert set(world.states.values()) == {S.SUCCESS}
