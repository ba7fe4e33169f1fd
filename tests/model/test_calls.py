"""What a provider's calls do, through the real store, its real addresses and signatures."""

from __future__ import annotations

import pytest

from desktop_app.domain.task import TaskState
from tests.model.bells import LATE_S, RULES
from tests.model.conftest import Make
from tests.model.sheet import START
from tests.model.shop import JOB_S
from tests.model.world import World

S = TaskState
POLL_AFTER_S = 180.0


def one(
    make: Make, habit: str, behaviour: str = "ok", calls: str = "plain", **more: object
) -> World:
    """A world of one row whose job is called about like this."""
    return make(
        rows=1,
        concurrency=1,
        jobs=True,
        calls=calls,
        habits=[habit],
        behaviours=[behaviour],
        **more,
    )


def polls(world: World) -> list[tuple[int, int]]:
    """How often each job was asked for, and fetched."""
    return [(made.polls, made.collects) for made in world.shop.made.values()]


def done_at(world: World, within_s: float) -> float:
    """When the first row came home, in seconds of the world."""
    done = "SELECT 1 FROM task WHERE id = 1 AND state = 3"
    world.until(lambda: bool(world.rules.sql(done)), within_s)
    world.check()
    assert world.states[1] is S.SUCCESS
    return world.alive.loop.time() - START


@pytest.mark.parametrize(
    ("habit", "calls"),
    [
        *(("once", calls) for calls in RULES),
        *(("ten", calls) for calls in RULES),
        # Without a signature whoever knows the address may have it looked at.
        *(("forged", calls) for calls in RULES if calls != "plain"),
    ],
)
@pytest.mark.expect_log("without a good signature")
def test_a_call_in_time_brings_one_look(make: Make, habit: str, calls: str) -> None:
    world = one(make, habit, calls=calls)
    assert JOB_S < done_at(world, 60) < JOB_S + 2
    world.live(600)
    assert polls(world) == [(1, 1)]
    world.check_end()


def test_a_job_that_nobody_calls_about_is_polled_after_a_while(make: Make) -> None:
    world = one(make, "lost")
    assert POLL_AFTER_S < done_at(world, 400) < POLL_AFTER_S + 3
    assert polls(world) == [(1, 1)]


def test_a_call_before_the_answer_of_the_submit_is_parked_and_matched(make: Make) -> None:
    world = one(make, "instant")
    world.until(lambda: bool(world.rules.jobs.now()), 10)
    assert [s.heard for s in world.shop.sent] == ["nothing"]
    assert done_at(world, 10) < 3
    assert polls(world) == [(1, 1)]


def test_a_call_about_a_job_that_goes_on_is_no_end_of_it(make: Make) -> None:
    world = one(make, "early")
    assert JOB_S < done_at(world, 60) < JOB_S + 10  # polled as one that nobody calls about
    assert len(world.shop.sent) == 1


@pytest.mark.parametrize("changed", [False, True])
def test_a_call_for_what_is_over_changes_nothing(make: Make, changed: bool) -> None:
    world = one(make, "late")
    done_at(world, 400)
    if changed:
        world.people.edit(1)
        world.people.change_sheet([1])
        world.live(60)
        world.check()
    before = world.rules.sql("SELECT * FROM task"), world.rules.sql("SELECT * FROM attempt")
    world.live(LATE_S)
    assert polls(world)[0] == (1, 1)
    if not changed:
        after = world.rules.sql("SELECT * FROM task"), world.rules.sql("SELECT * FROM attempt")
        assert after == before
    world.check_end()


@pytest.mark.parametrize("calls", RULES)
def test_the_job_of_a_run_that_was_killed_is_called_home(make: Make, calls: str) -> None:
    world = one(make, "stubborn", calls=calls)
    world.live(0.25)  # the submit is on its way, and its answer never comes
    world.end()
    world.begin()
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    world.live(JOB_S + 40)
    world.check()
    assert world.states == {1: S.SUCCESS}
    assert len(world.shop.sent) == 1


def test_the_call_that_was_missed_while_the_program_was_off_is_made_up_for(make: Make) -> None:
    world = one(make, "once")
    world.live(5)
    world.end()
    world.at += 60.0
    world.begin()
    world.live(3)
    world.check()
    assert world.states == {1: S.SUCCESS}
    assert polls(world) == [(1, 1)]


@pytest.mark.parametrize(
    ("cancelled_s", "state", "billed"),
    [(5.0, S.CANCELLED, False), (JOB_S - 0.01, S.SUCCESS, True), (JOB_S + 0.02, S.SUCCESS, True)],
    ids=["before", "the job ends first", "the call is heard first"],
)
def test_a_cancel_that_crosses_a_call(
    make: Make, cancelled_s: float, state: TaskState, billed: bool
) -> None:
    world = one(make, "ten")
    world.until(lambda: bool(world.shop.made), 10)
    world.live(cancelled_s)
    world.people.cancel(1)
    world.live(60)
    world.check()
    assert world.states == {1: state}
    assert [s.billed for s in world.shop.sent] == [billed]
    world.live(400)
    assert world.shop.made["job-0"].collects == billed
    world.check_end()
