"""Whatever happens in whatever order: nothing lost, nothing paid twice, and the books are right."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from desktop_app.domain.connection import OnUnknown
from tests.model.shop import BEHAVIOURS
from tests.model.world import World

ROWS = 4


def lives(machine: Machine) -> bool:
    return machine.world.program is not None


class Machine(RuleBasedStateMachine):
    """Starts, kills, pauses, requeues and waits as hypothesis likes."""

    base: Path

    @initialize(
        behaviours=st.lists(st.sampled_from(BEHAVIOURS), max_size=12),
        policy=st.sampled_from([OnUnknown.HOLD, OnUnknown.HOLD, OnUnknown.RESEND]),
        idempotent=st.sampled_from([False, False, True]),
        lanes=st.booleans(),
        concurrency=st.sampled_from([2, 1, 3]),
    )
    def _begin(
        self,
        behaviours: list[str],
        policy: OnUnknown,
        idempotent: bool,
        lanes: bool,
        concurrency: int,
    ) -> None:
        folder = Path(tempfile.mkdtemp(dir=self.base))
        self.world = World(
            folder,
            rows=ROWS,
            policy=policy,
            idempotent=idempotent,
            lanes=lanes,
            concurrency=concurrency,
            behaviours=behaviours,
        )
        self.ear = Faults(self.world.faults)
        logging.getLogger().addHandler(self.ear)
        self.world.begin()
        self.world.resume()

    @precondition(lambda self: not lives(self))
    @rule(resume=st.booleans())
    def start(self, resume: bool) -> None:
        self.world.begin()
        if resume and lives(self):
            self.world.resume()
        self.world.settle_death()

    @precondition(lives)
    @rule(seconds=st.sampled_from([0.05, 0.5, 2.0, 20.0, 140.0, 900.0]))
    def wait(self, seconds: float) -> None:
        assert self.world.program is not None
        self.world.program.loop.for_a_while(seconds)
        self.world.settle_death()

    @precondition(lives)
    @rule(steps=st.integers(0, 400), seconds=st.sampled_from([1.0, 20.0, 140.0]))
    def be_killed_at_a_step(self, steps: int, seconds: float) -> None:
        assert self.world.program is not None
        self.world.program.life.steps_left = steps
        self.world.program.loop.for_a_while(seconds)
        if self.world.program.life.dead:
            self.world.settle_death()
        else:
            self.world.program.life.steps_left = None

    @precondition(lives)
    @rule(
        commits=st.integers(0, 8), after=st.booleans(), seconds=st.sampled_from([1.0, 20.0, 140.0])
    )
    def be_killed_at_a_commit(self, commits: int, after: bool, seconds: float) -> None:
        assert self.world.program is not None
        life = self.world.program.life
        life.commits_left, life.kill_after_commit = commits, after
        self.world.program.loop.for_a_while(seconds)
        life.commits_left = None
        self.world.settle_death()

    @precondition(lives)
    @rule(steps=st.integers(0, 60), row=st.integers(1, ROWS), what=st.integers(0, 6))
    def be_killed_while_a_person_acts(self, steps: int, row: int, what: int) -> None:
        assert self.world.program is not None
        self.world.program.life.steps_left = steps
        world = self.world
        acts = (
            lambda: world.pause(now=True),
            world.resume,
            lambda: world.cancel(row),
            lambda: world.requeue(row),
            lambda: world.resend(row),
            lambda: world.say_failed(row),
            lambda: world.edit(row),
        )
        acts[what]()
        if world.program is not None and not world.program.life.dead:
            world.program.life.steps_left = None
        world.settle_death()

    @precondition(lives)
    @rule(gently=st.booleans())
    def stop(self, gently: bool) -> None:
        self.world.end(gently=gently)

    @precondition(lives)
    @rule(now=st.booleans())
    def pause(self, now: bool) -> None:
        self.world.pause(now=now)

    @precondition(lives)
    @rule()
    def resume(self) -> None:
        self.world.resume()

    @precondition(lives)
    @rule(row=st.integers(1, ROWS))
    def cancel(self, row: int) -> None:
        self.world.cancel(row)

    @precondition(lives)
    @rule(row=st.integers(1, ROWS))
    def requeue(self, row: int) -> None:
        self.world.requeue(row)

    @precondition(lives)
    @rule(row=st.integers(1, ROWS))
    def resend(self, row: int) -> None:
        self.world.resend(row)

    @precondition(lives)
    @rule()
    def try_again(self) -> None:
        self.world.try_again()

    @precondition(lives)
    @rule(seconds=st.sampled_from([3600.0, -3600.0, 86400.0, -86400.0]))
    def set_the_clock(self, seconds: float) -> None:
        self.world.jump(seconds)

    @precondition(lives)
    @rule(gone=st.booleans())
    def lose_the_folder(self, gone: bool) -> None:
        self.world.disk.gone = gone

    @invariant()
    def rules_hold(self) -> None:
        if hasattr(self, "world"):
            self.world.check()

    def teardown(self) -> None:
        if hasattr(self, "world"):
            try:
                if self.world.sound:
                    self.world.check_end()
            finally:
                logging.getLogger().removeHandler(self.ear)
                self.world.close()


class Faults(logging.Handler):
    """A fault of the program that was logged is a fault found."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        self._heard.append(logging.Formatter().format(record))


def explore(base: Path, examples: int, steps: int, *, anew: bool) -> None:
    """``anew``: other schedules each time; else the same ones, so that the quick run is calm."""

    class Explorer(Machine):
        pass

    Explorer.base = base
    run_state_machine_as_test(
        Explorer,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=not anew,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            print_blob=False,
        ),
    )


EXPECTED = pytest.mark.expect_log("waits for its folder|could not be removed")


@EXPECTED
def test_whatever_happens_nothing_is_lost_or_paid_twice(tmp_path: Path) -> None:
    explore(tmp_path, examples=40, steps=25, anew=False)


@EXPECTED
@pytest.mark.long
def test_whatever_happens_for_longer(tmp_path: Path) -> None:
    explore(tmp_path, examples=1_000, steps=40, anew=True)
