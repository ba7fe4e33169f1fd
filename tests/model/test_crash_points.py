"""The program is killed at every await and at every commit there is, and every commit is refused.

Each story is lived through once to learn where it can die; then again, dying there.
"""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from tests.model import faults
from tests.model.call_stories import CALL_STORIES
from tests.model.job_stories import JOB_STORIES
from tests.model.late_stories import LATE_STORIES
from tests.model.life import Plan, Watch
from tests.model.part_stories import PART_STORIES
from tests.model.people_stories import PEOPLE_STORIES
from tests.model.places import all_awaits, all_commits
from tests.model.sheet import START
from tests.model.stories import STORIES, Story
from tests.model.world import Gone, World

pytestmark = pytest.mark.expect_log(faults.EXPECTED)

EVERY_STORY = STORIES + PEOPLE_STORIES + JOB_STORIES + CALL_STORIES + PART_STORIES + LATE_STORIES

AWAITS = (
    "engine",
    "store/engine_store.py",
    "store/actions.py",
    "store/commands.py",
    "services/obey_commands.py",
    "services/dead_letters.py",
    "providers/callbacks/receiving.py",
)
COMMITS = ("store/engine_store.py", "store/actions.py", "store/commands.py")
ENDS = ("before", "after", "full", "busy")

NEVER = {
    "Commands.post": "another process does that, which may die as it likes",
    "Commands.result": "the same",
    "Commands.withdraw": "the same",
    "ObeyCommands._take_back": "the world has no sheets of failures",
    "ObeyCommands.do: return await self._take_back": "the same",
    "DeadLetters.groups": "it only reads",
    "DeadLetters.settle_attach_all: named[above]": "the world's rows have no subfolders",
    "LocalGuard.look_again: is_back": "the world's rows take no files",
    "is_there: return await": "the same",
    "TaskStore.fail_pending": "nobody calls it",
    "await self._store.cancel_requested": "it reads, and only where a cancel came since the claim",
    "Accounts.line: async with self._lock": "nobody else holds the lock by then",
    "Orphans._find: async with": "nothing else is processed at start",
    "Orphans._come_home: async with": "the same",
    "Poller._poll: await self._accounts.close_unused": "the job's flight is on that line as well",
    "Processing.enter: async with self._changed": "nobody awaits anything while holding it",
    "Processing.leave: async with self._changed": "the same",
    "Inside.__aexit__: await self._processing.leave": "the same",
    "Receiving._hear: async with": "a time limit is set at once",
    "Worker._broken: await self._outcomes.failed": "with a job known, only a fault of ours",
}
"""What is never waited for in the engine's process, and why: (a part of) its name."""


@dataclass(frozen=True)
class Moment:
    """A step or a commit of a life in a story, ``time`` after its beginning (virtual seconds)."""

    story: Story
    life: int
    kind: str
    number: int
    at: frozenset[str]
    time: float

    def killed(self) -> Plan:
        """To die here."""
        return Plan(steps_left=self.number)

    def ends(self, how: str) -> Plan:
        """To end this commit otherwise."""
        return Plan(commits_left=self.number, how=how)


@dataclass
class Telling:
    """One living through a story: what was passed, and where it was struck."""

    story: Story
    base: Path
    passed: list[Moment] = field(default_factory=list)
    _now: Callable[[], float] = lambda: 0.0

    def _watch(self, life: int) -> Watch:
        return partial(self._note, life)

    def _note(self, life: int, kind: str, number: int, at: frozenset[str]) -> None:
        if at:
            self.passed.append(Moment(self.story, life, kind, number, at, self._now()))

    def live(self, moment: Moment | None = None, plan: Plan | None = None) -> frozenset[str]:
        """Through the story; with a plan for the life of this moment to an early end, and then
        through all that is left to do. Returns the places at which the plan struck."""
        story = self.story
        with contextlib.ExitStack() as stack:
            world = World(
                Path(tempfile.mkdtemp(dir=self.base)),
                behaviours=story.behaviours,
                plans={} if moment is None or plan is None else {moment.life: plan},
                watch=self._watch if moment is None else None,
                **story.made_of,
            )
            self._now = lambda: world.alive.loop.time() - START
            stack.callback(world.close)
            stack.enter_context(faults.heard(world.rules.faults))
            with contextlib.suppress(Gone):
                world.begin()
                for batch_id in world.batches:
                    world.people.resume(batch_id)
                story.act(world)
            world.settle_death()
            world.check()
            if moment is not None:
                world.check_end()
        return world.struck


@pytest.fixture(scope="module")
def moments(tmp_path_factory: pytest.TempPathFactory) -> list[Moment]:
    """Every moment of every story, lived through undisturbed."""
    base = tmp_path_factory.mktemp("stories")
    found = []
    for story in EVERY_STORY:
        telling = Telling(story, base)
        telling.live()
        found += telling.passed
    return found


def few(moments: Iterable[Moment], wanted: set[str]) -> list[Moment]:
    """Moments that between them are at every wanted place that any is at."""
    by_places: dict[frozenset[str], Moment] = {}
    for moment in moments:
        by_places.setdefault(moment.at & wanted, moment)
    chosen, left = [], set().union(*by_places)
    while left:
        best = max(by_places, key=lambda places: len(places & left))
        chosen.append(by_places[best])
        left -= best
    return chosen


def missing(wanted: set[str], struck: set[str]) -> list[str]:
    return sorted(place for place in wanted - struck if not any(part in place for part in NEVER))


def strike(moment: Moment, plan: Plan, base: Path) -> frozenset[str]:
    """Live through the moment's story under the plan; a failure names both."""
    try:
        struck = Telling(moment.story, base).live(moment, plan)
        assert moment.at <= struck, "the story went another way this time"
        return struck
    except BaseException as error:
        error.add_note(f"{moment.story.name} in life {moment.life}: {plan} at {sorted(moment.at)}")
        raise


@pytest.mark.parametrize("story", ["full", "crossing"])
def test_a_plan_strikes_where_it_was_made_also_after_commits_were_refused(
    moments: list[Moment], tmp_path: Path, story: str
) -> None:
    commits = [m for m in moments if m.story.name == story and m.kind == "commit" and m.life == 1]
    last = max(commits, key=lambda moment: moment.number)
    assert last.at <= strike(last, last.ends("after"), tmp_path)


def test_killed_at_every_await(moments: list[Moment], tmp_path: Path) -> None:
    wanted = all_awaits(*AWAITS)
    steps = [moment for moment in moments if moment.kind == "step"]
    struck: set[str] = set()
    for moment in few(steps, wanted):
        struck |= strike(moment, moment.killed(), tmp_path)
    assert missing(wanted, struck) == []


@pytest.mark.parametrize("how", ENDS)
def test_every_commit_ends_otherwise(moments: list[Moment], tmp_path: Path, how: str) -> None:
    wanted = all_commits(*COMMITS)
    commits = [moment for moment in moments if moment.kind == "commit"]
    struck: set[str] = set()
    for moment in few(commits, wanted):
        struck |= strike(moment, moment.ends(how), tmp_path)
    assert missing(wanted, struck) == []


# In parts, so that a slow machine needs no more time for one than a test may take; some moments
# are in two of them.
@pytest.mark.long
@pytest.mark.parametrize("part", range(5))
def test_killed_at_many_more_moments(moments: list[Moment], tmp_path: Path, part: int) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    for moment in random.Random(seed).sample(moments, 220):
        if moment.kind == "step":
            strike(moment, moment.killed(), tmp_path)
        else:
            strike(moment, moment.ends(ENDS[moment.number % len(ENDS)]), tmp_path)
