"""Short lives in which a call is paid for several results, and some of them do not come."""

from __future__ import annotations

from tests.model import call_stories
from tests.model.job_stories import quit_while_jobs_run
from tests.model.people_stories import caps
from tests.model.stories import Story, away, doubts, full, killed, named
from tests.model.world import World


def rest_gone(world: World) -> None:
    """The program is killed while the results of a job are put away, and the rest of them has run
    out when it starts again."""
    world.until(lambda: any(None in slots and any(slots) for slots in world.disk.slots.values()))
    world.end()
    world.shop.keeps_s = 0.0
    world.begin()
    world.live(60)


SEVERAL = {"several": 3}
JOBS = {**SEVERAL, "jobs": True, "concurrency": 3}
FATES = ("in_turn", "one_gone", "some", "bad", "expired", "lost")

PART_STORIES = (
    Story(killed, ("ok", "torn", "some", "lost"), {**SEVERAL, "concurrency": 4}),
    Story(killed, ("torn", "ok", "some"), JOBS),
    Story(quit_while_jobs_run, ("in_turn", "one_gone", "expired"), {**SEVERAL, "jobs": True}),
    Story(named, (), {**SEVERAL, "rows": 1}),
    Story(rest_gone, (), {**JOBS, "rows": 1}),
    Story(away, ("ok", "some", "torn", "bad"), {**SEVERAL, "rows": 6, "concurrency": 3}),
    Story(full, ("torn", "slow", "some", "lost"), JOBS),
    Story(doubts, ("lost", "bad", "deaf", "some", "late"), {**SEVERAL, "rows": 5}),
    Story(caps, ("ok", "lost", "some", "torn"), {**SEVERAL, "rows": 6, "cap": 2, "day_cap": 3}),
    Story(
        call_stories.called,
        FATES,
        {**JOBS, "rows": 6, "calls": "own", "habits": call_stories.MANNERS},
    ),
    Story(call_stories.no_folder, FATES, {**JOBS, "rows": 6, "calls": "plain"}),
)
