"""What the model found of rows that are sent again, each as its smallest schedule."""

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


def test_refused_while_the_test_of_try_again_is_out_it_stays_paused(make: Make) -> None:
    world = make(rows=4, behaviours=["account", "ok"], concurrency=2)
    world.live(START + 1.45 - world.alive.loop.time())
    world.people.try_again()
    assert [s.heard for s in world.shop.sent] == ["account", "answer"]
    world.live(30)
    world.check()
    assert len(world.shop.sent) == 2


@pytest.mark.parametrize("several", [1, 3])
@pytest.mark.expect_log("attempt 1 broke")
def test_asked_about_though_its_adapter_breaks_over_the_answer(make: Make, several: int) -> None:
    world = make(rows=1, behaviours=["breaks"], jobs=True, askable=True, several=several)
    world.live(140)
    world.check()
    assert world.states == {1: S.SUCCESS}
    assert len(world.shop.sent) == 1
