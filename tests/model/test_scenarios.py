"""Scenarios that need the real store under the real engine, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from tests.model.world import BATCH, World

S = TaskState
Make = Callable[..., World]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    worlds: list[World] = []

    def new(**more: Any) -> World:
        folder = tmp_path / str(len(worlds))
        folder.mkdir()
        worlds.append(World(folder, **more))
        worlds[-1].begin()
        return worlds[-1]

    yield new
    for world in worlds:
        world.close()


def live(world: World, seconds: float) -> None:
    assert world.program is not None
    world.program.loop.for_a_while(seconds)


def requeue(world: World, which: TaskFilter) -> int:
    program = world.program
    assert program is not None
    done = program.loop.until_done(program.store.actions.requeue(which, program.clock.now()))
    program.engine.wake()
    return int(done)


def test_s13_twenty_thousand_requeued_twice_go_once_and_through_the_bucket(make: Make) -> None:
    rate = 5.0
    world = make(rows=20_000, concurrency=50, rate=rate)
    dead = "UPDATE task SET state = ?, attempt_id = 1, error_class = 'transient'"
    for state in (S.RUNNING, S.DEAD):
        world._sql(dead, int(state))
    world.resume()
    live(world, 1)
    assert requeue(world, TaskFilter(batch_id=BATCH)) == 20_000
    assert requeue(world, TaskFilter(batch_id=BATCH)) == 0  # a double click
    for _ in range(4):
        before = len(world.shop.sent)
        live(world, 10)
        assert len(world.shop.sent) - before <= 10 * rate + 2
    assert len(world.shop.sent) >= 40 * rate * 0.9
    assert max(len(world.shop.of(s.row)) for s in world.shop.sent) == 1
    world.check()


def test_s22_rows_that_vanish_or_change_stop_neither_requeue_nor_engine(make: Make) -> None:
    world = make(rows=6, concurrency=3, behaviours=["refuse"] * 3 + ["slow"] * 3)
    world.resume()
    live(world, 5)  # three are refused, three are on the wire
    world._sql("PRAGMA foreign_keys = on")  # as the program has it: all of a row goes
    world._sql("DELETE FROM task WHERE id IN (1, 4)")
    assert requeue(world, TaskFilter(pks=(1, 2, 3, 4, 5))) == 2
    live(world, 60)
    rows = world._sql("SELECT id, state FROM task ORDER BY id")
    assert rows == [(pk, int(S.SUCCESS)) for pk in (2, 3, 5, 6)]
    assert [len(world.shop.of(f"row {n}")) for n in range(1, 7)] == [1, 2, 2, 1, 1, 1]
    assert world.program is not None
    assert world.program.engine.trouble() is None


@pytest.mark.parametrize("seconds", [86_400.0, -86_400.0, 400 * 86_400.0, -400 * 86_400.0])
def test_a_jump_of_the_clock_makes_no_wait_longer(make: Make, seconds: float) -> None:
    world = make(rows=4, concurrency=4, behaviours=["fail"] * 4)
    world.resume()
    live(world, 1.2)
    assert S.RETRYING in world._read_states().values()
    world.jump(seconds)
    live(world, 60)
    world.check()
    assert set(world.states.values()) == {S.SUCCESS}


@pytest.mark.parametrize("seconds", [86_400.0, -86_400.0])
def test_a_clock_set_while_the_program_was_closed_makes_no_wait_longer(
    make: Make, seconds: float
) -> None:
    world = make(rows=2, behaviours=["throttle"] * 2)
    world.resume()
    live(world, 1.2)
    world.end()
    world.offset += seconds
    world.begin()
    world.resume()
    live(world, 60)
    world.check()
    assert set(world.states.values()) == {S.SUCCESS}


def test_rows_due_after_a_sleep_are_no_burst(make: Make) -> None:
    world = make(rows=40, concurrency=40, rate=2.0, behaviours=["throttle"] * 8)
    world.resume()
    live(world, 10)
    before = len(world.shop.sent)
    world.jump(8 * 3600.0)
    live(world, 10)
    assert len(world.shop.sent) - before <= 10 * 2.0 + 2
