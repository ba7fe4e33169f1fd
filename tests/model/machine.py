"""Everything that may happen to a small world, for hypothesis to put into any order."""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from desktop_app.domain.batch import LaneOnDead
from desktop_app.domain.connection import OnUnknown
from tests.model import faults
from tests.model.bells import HABITS, RULES
from tests.model.life import Plan
from tests.model.sheet import Spec
from tests.model.shop import JOB_BEHAVIOURS
from tests.model.world import World

ROWS = 4
row = st.integers(1, ROWS)
batch = st.sampled_from([1, 1, 2])
moment = st.sampled_from([1.0, 20.0, 140.0])
ACTS = (
    "pause", "resume", "cancel", "requeue", "resend", "say_failed", "edit", "attach", "ask",
    "change_sheet", "try_again", "cap",
)  # fmt: skip


KINDS_THAT_CALL = ("jobs plain", "jobs own", "jobs learned", "jobs entered", "jobs askable plain")


def lives(machine: Machine) -> bool:
    return machine.world.program is not None


def is_dead(machine: Machine) -> bool:
    return machine.world.program is None


class Machine(RuleBasedStateMachine):
    """Starts, kills, pauses, requeues and waits as hypothesis likes."""

    base: Path
    reached: Counter[str]

    @initialize(
        behaviours=st.lists(st.sampled_from(JOB_BEHAVIOURS), max_size=12),
        policy=st.sampled_from([OnUnknown.HOLD, OnUnknown.HOLD, OnUnknown.RESEND]),
        idempotent_s=st.sampled_from([None, None, 60.0, 1e9]),
        kind=st.sampled_from(["", "jobs", "askable", "jobs askable", *KINDS_THAT_CALL]),
        habits=st.lists(st.sampled_from(HABITS), max_size=8),
        several=st.sampled_from([1, 1, 3]),
        lanes=st.sampled_from([None, LaneOnDead.GO, LaneOnDead.STOP]),
        concurrency=st.sampled_from([2, 1, 3]),
        caps=st.sampled_from([(None, None), (2, None), (None, 3), (4, 2)]),
        batches=st.sampled_from([1, 2]),
        keys=st.sampled_from([("secret", "secret"), ("secret", "other")]),
    )
    def _begin(
        self,
        behaviours: list[str],
        policy: OnUnknown,
        idempotent_s: float | None,
        kind: str,
        habits: list[str],
        several: int,
        lanes: LaneOnDead | None,
        concurrency: int,
        caps: tuple[int | None, int | None],
        batches: int,
        keys: tuple[str, ...],
    ) -> None:
        spec = Spec(
            rows=ROWS,
            batches=batches,
            keys=keys,
            policy=policy,
            lanes=lanes,
            concurrency=concurrency,
            cap=caps[0],
            day_cap=caps[1],
            several=several,
        )
        folder = Path(tempfile.mkdtemp(dir=self.base))
        self.world = World(
            folder,
            spec,
            behaviours=behaviours,
            idempotent_s=idempotent_s,
            jobs="jobs" in kind,
            askable="askable" in kind,
            calls=next((how for how in RULES if how in kind), ""),
            habits=habits,
        )
        self.stack = contextlib.ExitStack()
        self.stack.callback(self.world.close)
        self.stack.enter_context(faults.heard(self.world.rules.faults))
        self.world.begin()
        self._resume_all()

    def _resume_all(self) -> None:
        for batch_id in self.world.batches:
            self.world.people.resume(batch_id)

    def _batch(self, wanted: int) -> int:
        return min(wanted, self.world.spec.batches)

    # --- time and death ------------------------------------------------------------------------

    @precondition(is_dead)
    @rule(resume=st.booleans())
    def start(self, resume: bool) -> None:
        self.world.begin()
        if resume:
            self._resume_all()

    @precondition(lives)
    @rule(seconds=st.sampled_from([0.02, 0.05, 0.5, 2.0, 20.0, 140.0, 900.0]))
    def wait(self, seconds: float) -> None:
        self.world.live(seconds)

    @precondition(lives)
    @rule(steps=st.integers(0, 400), seconds=moment)
    def be_killed_at_a_step(self, steps: int, seconds: float) -> None:
        self._under(Plan(steps_left=steps), seconds)

    @precondition(lives)
    @rule(commits=st.integers(0, 8), how=st.sampled_from(["before", "after"]), seconds=moment)
    def be_killed_at_a_commit(self, commits: int, how: str, seconds: float) -> None:
        self._under(Plan(commits_left=commits, how=how), seconds)

    @precondition(lives)
    @rule(
        commits=st.integers(0, 6),
        how=st.sampled_from(["full", "busy"]),
        refused=st.sampled_from([1, 2, 9]),
        seconds=moment,
    )
    def have_commits_refused(self, commits: int, how: str, refused: int, seconds: float) -> None:
        self._under(Plan(commits_left=commits, how=how, commits_refused=refused), seconds)

    @precondition(lives)
    @rule(
        plan=st.builds(Plan, steps_left=st.integers(0, 60))
        | st.builds(
            Plan, commits_left=st.integers(0, 2), how=st.sampled_from(["before", "after", "full"])
        ),
        row=row,
        act=st.sampled_from(ACTS),
    )
    def be_killed_while_a_person_acts(self, plan: Plan, row: int, act: str) -> None:
        people, batch_id = self.world.people, self.world.spec.batch_of(row)
        arguments: dict[str, tuple[Any, ...]] = {
            "pause": (batch_id,),
            "resume": (batch_id,),
            "try_again": (batch_id,),
            "change_sheet": ((row,),),
            "cap": (row, batch_id),
        }
        self.world.alive.life.plan = plan
        getattr(people, act)(*arguments.get(act, (row,)))
        self._spare()

    def _under(self, plan: Plan, seconds: float) -> None:
        self.world.alive.life.plan = plan
        self.world.alive.loop.for_a_while(seconds)
        self._spare()

    def _spare(self) -> None:
        life = self.world.alive.life
        life.spare()
        self.reached.update(life.places)

    @precondition(lives)
    @rule(gently=st.booleans())
    def stop(self, gently: bool) -> None:
        self.world.end(gently=gently)

    @precondition(lives)
    @rule(seconds=st.sampled_from([3600.0, -3600.0, 86400.0, -86400.0]))
    def set_the_clock(self, seconds: float) -> None:
        self.world.jump(seconds)

    @precondition(lives)
    @rule(seconds=st.sampled_from([40.0, 28_800.0]), clock_too=st.booleans())
    def sleep(self, seconds: float, clock_too: bool) -> None:
        if clock_too:
            self.world.sleep_through(seconds)
        else:
            self.world.jump(seconds)

    @precondition(lives)
    @rule(polls=st.lists(st.sampled_from(["account", "throttle", "fail"]), max_size=3))
    def have_polls_refused(self, polls: list[str]) -> None:
        self.world.shop.polls_refused = polls

    @precondition(lives)
    @rule(asks=st.sampled_from([0, 1, 8]))
    def have_questions_refused(self, asks: int) -> None:
        self.world.shop.asks_refused = asks

    @precondition(lives)
    @rule(refused=st.sampled_from([0, 2]), secret=st.sampled_from(["signs with this", "with that"]))
    def change_how_calls_are_signed(self, refused: int, secret: str) -> None:
        self.world.shop.secrets_refused, self.world.shop.signing_secret = refused, secret

    @precondition(lives)
    @rule(gone=st.booleans())
    def lose_the_folder(self, gone: bool) -> None:
        self.world.disk.gone = gone

    # --- judgement -----------------------------------------------------------------------------

    @invariant()
    def rules_hold(self) -> None:
        if hasattr(self, "world"):
            self.world.settle_death()
            self.world.check()

    def teardown(self) -> None:
        if hasattr(self, "stack"):
            with self.stack:
                if self.world.rules.sound:
                    self.world.check_end()
