"""What the model found, each as its smallest schedule."""

from __future__ import annotations

import pytest

from desktop_app.domain.task import TaskState
from tests.model.conftest import Make
from tests.model.life import Plan
from tests.model.sheet import START

S = TaskState


@pytest.mark.parametrize("behaviour", ["throttle", "fail", "invalid", "account"])
def test_killed_before_a_failure_without_a_bill_is_committed(make: Make, behaviour: str) -> None:
    world = make(rows=1, behaviours=[behaviour])
    world.alive.life.plan = Plan(commits_left=1)  # the first one claims
    world.live(5)
    assert world.program is None
    assert world.shop.sent[0].heard not in ("nothing", "answer")
    world.begin()
    world.check()
    assert world.states[1] in (S.PENDING, S.RETRYING, S.FAILED)
    world.check_end()


def test_requeued_at_the_end_of_a_batch_after_a_restart_waits_for_resume(make: Make) -> None:
    world = make(rows=1, behaviours=["refuse"])
    world.live(60)
    world.end()
    world.begin()
    world.people.requeue(1)
    world.live(600)
    world.check()
    assert len(world.shop.sent) == 1
    assert world.states == {1: S.PENDING}
    world.check_end()
    assert len(world.shop.sent) == 2


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


def test_a_cancelled_row_is_asked_about_though_its_key_would_make_a_resend_safe(
    make: Make,
) -> None:
    world = make(rows=1, behaviours=["slow"], jobs=True, askable=True, idempotent_s=1e9)
    world.live(0.5)
    world.people.cancel(1)
    world.end()
    world.begin()
    world.live(400)
    world.check()
    assert world.states == {1: S.CANCELLED}
    assert [s.billed for s in world.shop.sent] == [False]  # its job was cancelled too


def test_a_key_is_no_younger_because_the_clock_was_set_back(make: Make) -> None:
    world = make(rows=1, behaviours=["brink"], idempotent_s=60.0)
    world.live(100)
    world.jump(-86_400.0)
    world.end()
    world.begin()
    world.people.resume()
    world.live(60)
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    assert len(world.shop.sent) == 1


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


def test_refused_while_the_test_of_try_again_is_out_it_stays_paused(make: Make) -> None:
    world = make(rows=4, behaviours=["account", "ok"], concurrency=2)
    world.live(START + 1.45 - world.alive.loop.time())
    world.people.try_again()
    assert [s.heard for s in world.shop.sent] == ["account", "answer"]
    world.live(30)
    world.check()
    assert len(world.shop.sent) == 2


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


@pytest.mark.expect_log("could not be committed")
def test_a_job_that_was_told_too_late_is_remembered_though_the_disk_is_full(make: Make) -> None:
    world = make(rows=1, behaviours=["deaf"], jobs=True)
    world.until(lambda: any(s.heard == "answer" for s in world.shop.sent), 300)
    world.alive.life.full = 3
    world.live(60)
    world.check()
    assert world.rules.sql("SELECT job_id FROM attempt") == [("job-0",)]


def test_a_key_that_waits_is_no_younger_because_the_clock_was_set_back(make: Make) -> None:
    world = make(rows=1, behaviours=["brink"], idempotent_s=60.0)
    world.live(2)
    world.end()
    world.begin()
    world.check()
    assert world.states == {1: S.RETRYING}
    world.jump(-3600.0)
    world.live(3600)
    world.people.resume()
    world.live(60)
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    assert len(world.shop.sent) == 1


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


def test_a_key_outlives_a_failure_after_a_call_that_may_have_been_billed(make: Make) -> None:
    world = make(rows=1, behaviours=["lost", "fail", "ok"], idempotent_s=1e9)
    world.live(60)
    world.check()
    assert world.states == {1: S.SUCCESS}
    assert [s.billed for s in world.shop.sent] == [True, False, False]
    assert len({s.key for s in world.shop.sent}) == 1
