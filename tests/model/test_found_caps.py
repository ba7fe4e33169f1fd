"""What the model found of caps on money, each as its smallest schedule."""

from __future__ import annotations

from collections import Counter

from desktop_app.domain.task import TaskState
from tests.model.conftest import Make

S = TaskState
DAY_S = 86_400.0


def test_a_batch_that_reached_its_days_cap_goes_on_the_day_after(make: Make) -> None:
    world = make(rows=4, day_cap=2)
    world.live(60)
    world.check()
    assert Counter(world.states.values()) == {S.SUCCESS: 2, S.PENDING: 2}
    world.jump(DAY_S)
    world.live(60)
    world.check()
    assert set(world.states.values()) == {S.SUCCESS}


def test_after_a_restart_the_day_after_waits_for_resume(make: Make) -> None:
    world = make(rows=4, day_cap=2)
    world.live(60)
    world.end()
    world.begin()
    world.jump(DAY_S)
    world.live(60)
    world.check()
    assert len(world.shop.sent) == 2
    assert "engine.restarted" in world.rules.sql("SELECT pause_reason FROM batch")[0][0]
    world.people.resume()
    world.live(60)
    world.check()
    assert set(world.states.values()) == {S.SUCCESS}


def test_paused_by_a_person_too_it_does_not_go_on_the_day_after(make: Make) -> None:
    world = make(rows=4, day_cap=2)
    world.live(60)
    world.people.pause(now=True)
    world.jump(DAY_S)
    world.live(60)
    world.check()
    assert len(world.shop.sent) == 2


def test_a_clock_that_was_set_back_gives_no_day_twice(make: Make) -> None:
    world = make(rows=4, day_cap=2)
    world.live(60)
    world.jump(-DAY_S)
    world.live(60)
    world.jump(DAY_S)
    world.live(60)
    world.check()
    assert len(world.shop.sent) == 2


def test_a_new_day_does_not_mend_a_cap_that_can_not_be_kept(make: Make) -> None:
    world = make(rows=4, cap=4, day_cap=2)
    world.live(60)
    world.people.set_currency("EUR")
    world.jump(DAY_S)
    world.people.resume()  # is refused
    world.live(60)
    world.check()
    world.rules.check_caps()
    assert len(world.shop.sent) == 2
    assert "budget_other_currency" in world.rules.sql("SELECT pause_reason FROM batch")[0][0]
    world.people.set_currency("USD")
    world.people.resume()
    world.live(60)
    world.check()
    assert set(world.states.values()) == {S.SUCCESS}


def test_nobody_resumes_under_a_cap_that_can_not_be_kept(make: Make) -> None:
    world = make(rows=4, cap=4, day_cap=2)
    world.live(60)
    world.people.set_currency("EUR")
    world.people.resume()  # is refused
    world.live(60)
    world.rules.check_caps()
    world.check_end()
