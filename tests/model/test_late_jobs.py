"""A row is not bought again beside a job that its provider has named, whenever the program is
killed or a commit refused from the moment of the naming on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.model import faults
from tests.model.late_stories import LATE_STORIES, NAMED_S
from tests.model.life import Plan
from tests.model.stories import Story
from tests.model.test_crash_points import ENDS, Moment, Telling, strike

pytestmark = pytest.mark.expect_log(faults.EXPECTED)

GIVEN_UP_S = 8.0
"""When the answer to a lost call is, counted from a row's first."""

IDLE = ("engine/upkeep.py", "engine/news.py", "engine/feeder.py Feeder.run:")
"""What goes on at all times: to be killed there is to be killed a moment before or after."""


ONE_OF_EACH = {story.act: story for story in reversed(LATE_STORIES)}.values()


def name_of(story: Story) -> str:
    """What tells it from the others."""
    return "-".join((story.name, *story.behaviours, *map(str, story.made_of.values())))


def few_of(moments: Iterable[Moment]) -> list[Moment]:
    """Every commit, and of the steps at one place the first."""
    steps: dict[frozenset[str], Moment] = {}
    for moment in moments:
        steps.setdefault(moment.at, moment)
    return [m for m in moments if m.kind == "commit" or steps[m.at] is m]


def moments_of(story: Story, base: Path) -> list[Moment]:
    """Those since the job of the row's first call becomes known, lived through undisturbed."""
    since_s = GIVEN_UP_S if "calls" in story.made_of else NAMED_S
    telling = Telling(story, base)
    telling.live()
    late = [moment for moment in telling.passed if moment.time >= since_s]
    return [m for m in late if not all(place.startswith(IDLE) for place in m.at)]


def plans_of(moment: Moment) -> list[Plan]:
    """Whatever can end there otherwise."""
    return [moment.killed()] if moment.kind == "step" else [moment.ends(how) for how in ENDS]


@pytest.mark.parametrize("story", ONE_OF_EACH, ids=name_of)
def test_killed_at_every_place_and_commit_since_its_job_was_named(
    story: Story, tmp_path: Path
) -> None:
    moments = few_of(moments_of(story, tmp_path))
    assert any(moment.kind == "commit" for moment in moments)
    for moment in moments:
        for plan in plans_of(moment):
            strike(moment, plan, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("story", LATE_STORIES, ids=name_of)
def test_killed_at_every_step_since_its_job_was_named(story: Story, tmp_path: Path) -> None:
    for moment in moments_of(story, tmp_path):
        for plan in plans_of(moment):
            strike(moment, plan, tmp_path)
