"""What the model found, each as its smallest schedule; and proof that the model can find."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.task import TaskState
from tests.model.test_model import Faults
from tests.model.world import World

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
        worlds[-1].resume()
        return worlds[-1]

    yield new
    for world in worlds:
        world.close()


def live(world: World, seconds: float) -> None:
    assert world.program is not None
    world.program.loop.for_a_while(seconds)
    world.settle_death()


@pytest.mark.parametrize("behaviour", ["throttle", "fail", "invalid", "account"])
def test_killed_before_a_failure_without_a_bill_is_committed(make: Make, behaviour: str) -> None:
    world = make(rows=1, behaviours=[behaviour])
    assert world.program is not None
    world.program.life.commits_left = 0
    live(world, 5)
    assert world.program is None
    world.begin()
    world.check()
    assert world.states == {"row 1": S.PENDING}
    world.check_end()


def test_requeued_at_the_end_of_a_batch_after_a_restart_waits_for_resume(make: Make) -> None:
    world = make(rows=1, behaviours=["refuse"])
    live(world, 60)
    world.end()
    world.begin()
    world.requeue(1)
    live(world, 600)
    assert len(world.shop.sent) == 1
    assert world.states == {"row 1": S.FAILED}
    world.check_end()
    assert len(world.shop.sent) == 2


def test_the_model_sees_a_row_paid_twice(make: Make) -> None:
    world = make(rows=1, policy=OnUnknown.RESEND, behaviours=["lost"])
    world.policy = OnUnknown.HOLD
    ear = Faults(world.faults)
    logging.getLogger("desktop_app").addHandler(ear)
    logging.getLogger("desktop_app").propagate = False
    try:
        live(world, 600)
    finally:
        logging.getLogger("desktop_app").removeHandler(ear)
        logging.getLogger("desktop_app").propagate = True
    assert any("is paid twice" in fault for fault in world.faults)


def test_the_model_sees_needless_doubt(make: Make) -> None:
    world = make(rows=1, behaviours=["lost"])
    live(world, 60)
    world.check()
    world.shop.sent[0].heard = "throttled"
    with pytest.raises(AssertionError, match="is called uncertain"):
        world.check()
