"""What the model found of jobs that were named after their call was given up, each as its smallest
schedule."""

from __future__ import annotations

import pytest

from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.task import TaskState
from tests.model.conftest import Make

S = TaskState


def test_a_row_whose_batch_is_paused_is_not_bought_again_beside_its_job(make: Make) -> None:
    world = make(rows=1, behaviours=["deaf"], jobs=True, policy=OnUnknown.RESEND)
    world.live(10)
    world.people.pause()
    world.live(120)
    world.check()
    assert world.states == {1: S.RETRYING}
    world.live(100)
    world.people.resume()
    world.live(60)
    world.check()
    assert world.states == {1: S.SUCCESS}
    assert len(world.shop.sent) == 1
    world.check_end()


@pytest.mark.parametrize("between", ["account", "fail", "lost"])
def test_a_row_that_was_sent_in_vain_is_not_bought_again_beside_its_job(
    make: Make, between: str
) -> None:
    world = make(rows=1, behaviours=["deaf", between], jobs=True, policy=OnUnknown.RESEND)
    world.until(lambda: [s.behaviour for s in world.shop.sent] == ["deaf", between], 300)
    world.people.pause()
    world.live(120)
    world.people.try_again()
    world.people.resume()
    world.live(60)
    world.check()
    assert world.states == {1: S.SUCCESS}
    assert [s.billed for s in world.shop.sent] == [True, between == "lost"]
    world.check_end()


@pytest.mark.parametrize("jobs", [True, False])
@pytest.mark.parametrize("newer", ["refuse", "invalid"])
@pytest.mark.parametrize("named", ["before", "after"])
def test_what_was_made_of_a_row_is_its_result_though_it_was_refused_when_sent_again(
    make: Make, newer: str, named: str, jobs: bool
) -> None:
    world = make(rows=1, behaviours=["deaf", newer], jobs=jobs, policy=OnUnknown.RESEND)
    world.live(10)
    world.people.pause()
    world.live(30 if named == "after" else 139.2)
    world.people.resume()
    world.live(150)
    world.check()
    assert [s.behaviour for s in world.shop.sent] == ["deaf", newer]
    assert world.states == {1: S.SUCCESS}
    world.check_end()


@pytest.mark.parametrize("policy", OnUnknown)
def test_a_call_that_names_no_job_brings_home_a_row_that_could_not_be_asked_about_before(
    make: Make, policy: OnUnknown
) -> None:
    world = make(
        rows=1,
        behaviours=["lost"],
        jobs=True,
        askable=True,
        calls="plain",
        habits=["murmur"],
        policy=policy,
    )
    world.shop.asks_refused = 6
    world.live(10)
    world.people.pause()
    world.live(60)
    world.check()
    assert world.states == {1: S.RETRYING if policy is OnUnknown.RESEND else S.UNCERTAIN}
    world.live(30)
    world.check()
    assert world.states == {1: S.SUCCESS}
    assert len(world.shop.sent) == 1
    world.check_end()


def test_a_call_that_names_no_job_about_a_row_that_was_sent_again_is_asked_about_at_its_end(
    make: Make,
) -> None:
    world = make(
        rows=1,
        behaviours=["lost", "refuse"],
        jobs=True,
        askable=True,
        calls="plain",
        habits=["murmur"],
        policy=OnUnknown.RESEND,
    )
    world.shop.asks_refused = 6
    world.live(10)
    world.people.pause()
    world.live(69.5)
    world.people.resume()
    world.live(30)
    world.check()
    assert [s.behaviour for s in world.shop.sent] == ["lost", "refuse"]
    assert world.states == {1: S.SUCCESS}
    world.check_end()
