"""Scenarios that need the real store under the real engine, in virtual time."""

from __future__ import annotations

import pytest

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from tests.model.conftest import Make
from tests.model.world import World

S = TaskState


def requeue(world: World, which: TaskFilter) -> int:
    program = world.alive
    done = program.loop.until_done(program.store.actions.requeue(which, program.clock.now()))
    program.engine.wake()
    return int(done)


def test_s13_twenty_thousand_requeued_twice_go_once_and_through_the_bucket(make: Make) -> None:
    rate = 5.0
    world = make(resume=False, rows=20_000, concurrency=50, rate=rate)
    dead = "UPDATE task SET state = ?, attempt_id = 1, error_class = 'transient'"
    for state in (S.RUNNING, S.DEAD):
        world.rules.sql(dead, int(state))
    world.rules.sql("DELETE FROM model_move")
    assert requeue(world, TaskFilter(batch_id=1)) == 20_000
    assert requeue(world, TaskFilter(batch_id=1)) == 0  # a double click
    world.people.resume()
    for _ in range(4):
        before = len(world.shop.sent)
        world.live(10)
        assert len(world.shop.sent) - before <= 10 * rate + 2
    assert len(world.shop.sent) >= 40 * rate * 0.9
    assert max(len(world.shop.of(s.row)) for s in world.shop.sent) == 1
    world.check()


def test_s22_rows_that_vanish_or_change_stop_neither_requeue_nor_engine(make: Make) -> None:
    world = make(rows=6, concurrency=3, behaviours=["refuse"] * 3 + ["slow"] * 3)
    world.live(5)  # three are refused, three are on the wire
    world.rules.sql("PRAGMA foreign_keys = on")  # as the program has it: all of a row goes
    world.rules.sql("DELETE FROM task WHERE id IN (1, 4)")
    assert requeue(world, TaskFilter(pks=(1, 2, 3, 4, 5))) == 2
    world.live(60)
    rows = world.rules.sql("SELECT id, state FROM task ORDER BY id")
    assert rows == [(pk, int(S.SUCCESS)) for pk in (2, 3, 5, 6)]
    assert [len(world.shop.of(n)) for n in range(1, 7)] == [1, 2, 2, 1, 1, 1]
    assert world.alive.engine.trouble() is None


@pytest.mark.parametrize("seconds", [86_400.0, -86_400.0, 400 * 86_400.0, -400 * 86_400.0])
def test_a_jump_of_the_clock_makes_no_wait_longer(make: Make, seconds: float) -> None:
    world = make(rows=4, concurrency=4, behaviours=["fail"] * 4)
    world.live(1.7)
    world.check()
    assert S.RETRYING in world.states.values()
    world.jump(seconds)
    world.live(60)
    world.check()
    assert set(world.states.values()) == {S.SUCCESS}


@pytest.mark.parametrize("seconds", [86_400.0, -86_400.0])
def test_a_clock_set_while_the_program_was_closed_makes_no_wait_longer(
    make: Make, seconds: float
) -> None:
    world = make(rows=2, behaviours=["throttle"] * 2)
    world.live(1.7)
    world.end()
    world.offset += seconds
    world.begin()
    world.people.resume()
    world.live(60)
    world.check()
    assert set(world.states.values()) == {S.SUCCESS}


def test_rows_due_after_a_sleep_are_no_burst(make: Make) -> None:
    world = make(rows=40, concurrency=40, rate=2.0, behaviours=["throttle"] * 8)
    world.live(10)
    before = len(world.shop.sent)
    world.jump(8 * 3600.0)
    world.live(10)
    assert len(world.shop.sent) - before <= 10 * 2.0 + 2
