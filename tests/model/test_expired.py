"""A job that ended while the program was off: its provider keeps what it made for a while only."""

from __future__ import annotations

import pytest

from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.jobs import RESULT_EXPIRED
from desktop_app.domain.task import TaskState
from tests.model.conftest import Make
from tests.model.shop import JOB_DEADLINE_S, JOB_S
from tests.model.world import World

S = TaskState
KEEPS_S = 600.0


def off(make: Make, seconds: float, **more: object) -> World:
    """The program is off for so long while the job of its one row ends, and nobody presses
    Resume after that."""
    world = make(rows=1, jobs=True, keeps_s=KEEPS_S, **more)
    world.live(5)
    assert [s.heard for s in world.shop.sent] == ["job"]
    world.end()
    world.at += seconds
    world.begin()
    world.live(120)
    world.check()
    return world


@pytest.mark.parametrize("calls", ["", "plain"])
def test_what_is_still_there_is_fetched(make: Make, calls: str) -> None:
    world = off(make, KEEPS_S - 60, calls=calls, habits=["once"])
    assert world.states == {1: S.SUCCESS}
    world.check_end()
    assert len(world.shop.sent) == 1


@pytest.mark.parametrize("calls", ["", "plain"])
@pytest.mark.parametrize("off_s", [KEEPS_S + JOB_S, 2 * JOB_DEADLINE_S])
@pytest.mark.parametrize("policy", OnUnknown)
def test_what_is_gone_was_paid_for_and_needs_a_person(
    make: Make, calls: str, off_s: float, policy: OnUnknown
) -> None:
    world = off(make, off_s, calls=calls, habits=["stubborn"], policy=policy)
    expected = S.RETRYING if policy is OnUnknown.RESEND else S.UNCERTAIN
    assert world.states == {1: expected}
    [(code, billed)] = world.rules.sql("SELECT error_code, billed FROM attempt")
    assert (code, billed) == (RESULT_EXPIRED, "yes")
    [made] = world.shop.made.values()
    # Each time its provider was asked for a fresh address, and then no more.
    assert 1 < made.collects <= made.polls
    assert made.collects <= 4
    assert len(world.shop.sent) == 1
    if expected is S.UNCERTAIN:
        world.people.attach(1)
        world.check()
        assert world.states == {1: S.SUCCESS}
    world.check_end()


@pytest.mark.parametrize("failed", [1, 5])
def test_past_its_deadline_a_job_is_not_given_up_before_its_provider_could_be_asked(
    make: Make, failed: int
) -> None:
    world = make(rows=1, jobs=True)
    world.live(5)
    world.end()
    world.at += 2 * JOB_DEADLINE_S
    world.shop.polls_refused = ["fail"] * failed
    world.begin()
    world.live(300)
    world.check()
    assert world.states == {1: S.SUCCESS}
    world.check_end()


def test_a_job_that_nobody_can_be_asked_about_ends_some_time_after_its_deadline(make: Make) -> None:
    world = make(rows=1, jobs=True)
    world.live(5)
    world.end()
    world.at += 2 * JOB_DEADLINE_S
    world.jumped = True  # so that its end is no fault
    world.shop.polls_refused = ["fail"] * 100
    world.begin()
    world.live(1_200)
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    assert world.rules.jobs.now() == {1: "job-0"}
