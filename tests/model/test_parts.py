"""Of several results that one call is paid for each one is kept, wherever the program ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.domain.task import TaskState
from tests.model.conftest import Make
from tests.model.part_stories import SEVERAL
from tests.model.stories import Story
from tests.model.test_crash_points import Moment, Telling, strike
from tests.model.world import World

S = TaskState


def drawn(world: World) -> None:
    """One row comes home."""
    world.live(60)


def every(story: Story, base: Path) -> list[Moment]:
    """Each step at which an answer is being kept."""
    telling = Telling(story, base)
    telling.live()
    return [
        moment
        for moment in telling.passed
        if moment.kind == "step" and any("Keeper" in place for place in moment.at)
    ]


@pytest.mark.parametrize("behaviour", ["ok", "torn", "some"])
@pytest.mark.parametrize("jobs", [False, True])
def test_killed_at_every_step_of_keeping_them(tmp_path: Path, behaviour: str, jobs: bool) -> None:
    story = Story(drawn, (behaviour,), {**SEVERAL, "rows": 1, "jobs": jobs})
    moments = every(story, tmp_path)
    assert len(moments) >= 10
    for moment in moments:
        strike(moment, moment.killed(), tmp_path)


@pytest.mark.parametrize(("fate", "collects", "kept"), [("in_turn", 2, 3), ("one_gone", 8, 2)])
def test_what_can_not_be_fetched_now_is_fetched_later(
    make: Make, fate: str, collects: int, kept: int
) -> None:
    world = make(rows=1, jobs=True, behaviours=[fate], **SEVERAL)
    world.live(300)
    world.check()
    assert world.states == {1: S.SUCCESS}
    assert len(world.disk.kept[1]) == kept
    assert world.shop.made["job-0"].collects == collects
    world.check_end()
    assert len(world.shop.sent) == 1


@pytest.mark.parametrize("staged", [1, 2])
def test_what_was_kept_before_a_kill_is_not_lost_with_the_rest(make: Make, staged: int) -> None:
    world = make(rows=1, jobs=True, **SEVERAL)
    world.until(lambda: sum(s is not None for s in world.disk.slots.get(1, ())) == staged)
    world.end()
    world.shop.keeps_s = 0.0
    world.begin()
    world.live(120)
    world.check()
    assert world.states == {1: S.SUCCESS}
    assert len(world.disk.kept[1]) == staged
    [(flags, billed)] = world.rules.sql(
        "SELECT r.flags, a.billed FROM result r JOIN attempt a ON a.id = r.attempt_id"
    )
    assert ("partial" in flags, billed) == (True, "yes")
    world.check_end()
    assert len(world.shop.sent) == 1


@pytest.mark.parametrize("behaviour", ["torn", "some"])
def test_what_came_in_part_is_told_and_not_bought_again(make: Make, behaviour: str) -> None:
    world = make(rows=1, jobs=True, behaviours=[behaviour], **SEVERAL)
    world.live(60)
    world.check()
    assert world.states == {1: S.SUCCESS}
    assert len(world.disk.kept[1]) == 2
    [(flags,)] = world.rules.sql("SELECT flags FROM result")
    assert "partial" in flags
    world.check_end()
    assert len(world.shop.sent) == 1
