"""Proof that the model can find: a program that is broken on purpose is caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.domain import judging, verdict
from desktop_app.domain.attempt import Billed, Kept, Orphan
from desktop_app.domain.errors import Failure
from desktop_app.domain.rules import Rules
from desktop_app.engine.callbacks import Callbacks
from desktop_app.engine.jobs import Jobs
from desktop_app.engine.orphans import Orphans
from desktop_app.engine.pool import Flight
from tests.model import faults
from tests.model.call_stories import CALLS, called, no_folder
from tests.model.conftest import Make
from tests.model.part_stories import SEVERAL
from tests.model.people_stories import caps
from tests.model.stories import Story, killed, plain
from tests.model.test_crash_points import Telling

pytestmark = pytest.mark.expect_log(f"{faults.EXPECTED}|Error")
Break = Callable[[pytest.MonkeyPatch], None]


def resends_what_may_be_billed(broken: pytest.MonkeyPatch) -> None:
    broken.setattr(Rules, "may_resend", lambda _rules, _age_s: True)


def releases_what_may_be_billed(broken: pytest.MonkeyPatch) -> None:
    def billed(_failure: Failure) -> Billed:
        return Billed.NO

    for module in (judging, verdict):
        broken.setattr(module, "bill", billed)


def takes_what_began_for_unsent(broken: pytest.MonkeyPatch) -> None:
    settle = Orphans._settle

    async def forgets(self: Orphans, orphan: Orphan) -> None:
        await settle(self, replace(orphan, begun=False))

    broken.setattr(Orphans, "_settle", forgets)


def does_not_look_for_files(broken: pytest.MonkeyPatch) -> None:
    async def nothing(_self: Orphans, *_: object) -> Kept | None:
        return None

    broken.setattr(Orphans, "_find", nothing)
    broken.setattr(Orphans, "_come_home", nothing)


def keeps_what_calls_name_in_memory_only(broken: pytest.MonkeyPatch) -> None:
    async def nothing(_self: Callbacks, _flight: Flight) -> None:
        pass

    broken.setattr(Callbacks, "_store_job", nothing)


def settles_rows_without_what_calls_named(broken: pytest.MonkeyPatch) -> None:
    broken.setattr(Callbacks, "named", lambda _self, _attempt_pk: None)


def lets_go_of_what_came_in_part(broken: pytest.MonkeyPatch) -> None:
    async def nothing(_self: Jobs, _flight: Flight, _parts: object) -> bool:
        return False

    broken.setattr(Jobs, "_kept_part", nothing)


@pytest.mark.parametrize(
    ("break_it", "story", "found"),
    [
        (resends_what_may_be_billed, Story(plain, ("lost",)), "paid twice"),
        (releases_what_may_be_billed, Story(caps, ("lost",), {"cap": 2}), "overshoots its cap"),
        (takes_what_began_for_unsent, Story(killed, ("ok", "lost")), "paid twice"),
        (does_not_look_for_files, Story(killed, ("ok", "ok")), "is called uncertain"),
        (
            keeps_what_calls_name_in_memory_only,
            Story(called, (), {**CALLS, "habits": ("instant",) * 6}),
            "knows of None",
        ),
        (
            settles_rows_without_what_calls_named,
            Story(no_folder, (), {**CALLS, "habits": ("instant",) * 6}),
            "is called uncertain",
        ),
        (
            lets_go_of_what_came_in_part,
            Story(called, ("one_gone",), {**SEVERAL, "jobs": True}),
            "is called uncertain",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_program_that(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, break_it: Break, story: Story, found: str
) -> None:
    Telling(story, tmp_path).live()
    break_it(monkeypatch)
    with pytest.raises(AssertionError, match=found):
        Telling(story, tmp_path).live()


def test_needless_doubt_is_seen(make: Make) -> None:
    world = make(rows=1, behaviours=["lost"])
    world.live(60)
    world.check()
    world.shop.sent[0].heard = "throttled"
    with pytest.raises(AssertionError, match="is called uncertain"):
        world.check()
