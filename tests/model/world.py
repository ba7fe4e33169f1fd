"""The whole small world: a store that lasts, a provider that lasts, and lives of the program."""

from __future__ import annotations

import inspect
import math
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from desktop_app.domain.connection import callback_entry
from desktop_app.domain.task import UNFINISHED, TaskState
from desktop_app.store.store import Store
from desktop_app.wiring.opening import _void
from tests.model.bells import Bells
from tests.model.disk import Disk, Files
from tests.model.life import Life, Plan, Watch
from tests.model.people import People
from tests.model.program import Keyring, Program
from tests.model.registry import Adapters
from tests.model.rules import Rules
from tests.model.sheet import START, Spec, make_store
from tests.model.shop import Shop, Submission

S = TaskState
DEAD_S = 3.0


class Gone(Exception):
    """Something was asked of a program that does not run."""


class World:
    """``plans`` by life (the first is 1) say when a life ends early; ``watch`` is told of every
    step and commit on the way."""

    def __init__(
        self,
        folder: Path,
        spec: Spec | None = None,
        *,
        behaviours: Iterable[str] = (),
        idempotent_s: float | None = None,
        jobs: bool = False,
        askable: bool = False,
        keeps_s: float = math.inf,
        calls: str = "",
        habits: Iterable[str] = (),
        plans: dict[int, Plan] | None = None,
        watch: Callable[[int], Watch] | None = None,
        **spec_changes: Any,
    ) -> None:
        self.folder = folder
        self.spec = replace(spec or Spec(**spec_changes), callbacks=bool(calls))
        self.path = folder / "store.db"
        self.disk = Disk()
        self.shop = Shop(self.disk, idempotent_s, jobs, askable, iter(behaviours))
        self.shop.calls, self.shop.habits = calls, iter(habits)
        self.shop.several, self.shop.keeps_s = self.spec.several, keeps_s
        self.program: Program | None = None
        self.lives = 0
        self.struck: frozenset[str] = frozenset()  # the places at which a plan came true
        self.at = START
        self.keyring_s = 0.001
        self.jumped = False
        self.offset = 0.0
        self._plans = plans or {}
        self._watch = watch
        self._noted = 0
        make_store(self.spec, self.path, folder.parent)
        self.rules = Rules(self)
        self.people = People(self)
        self.bells = Bells(self)
        self.caps_stand = True
        self.shop.on_sent = self.rules.sent
        self.shop.on_heard = self._hear
        self.shop.on_taken = self.bells.taken
        self.shop.on_cancelled = self.bells.cancelled
        self.shop.on_polled = self.rules.jobs.polled

    @property
    def alive(self) -> Program:
        """The program. Raises Gone where none runs."""
        if self.program is None:
            raise Gone
        return self.program

    @property
    def states(self) -> dict[int, S]:
        """The rows' states at the last look."""
        return self.rules.states

    @property
    def batches(self) -> range:
        """The ids of all batches; those of their connections are the same."""
        return range(1, self.spec.batches + 1)

    # --- lives ---------------------------------------------------------------------------------

    def begin(self, *, start: bool = True) -> None:
        """The program starts, or with ``start`` False only its store and services, as for a verb
        in a terminal."""
        assert self.program is None
        self.lives += 1
        watch = None if self._watch is None else self._watch(self.lives)
        self.program = Program(
            self.path,
            Life(self._plans.pop(self.lives, None), watch),
            at=self.at,
            offset=self.offset,
            noted=self._note,
            adapters=lambda life: Adapters(self.shop, life, lambda: self._noted),
            files=lambda life: Files(self.disk, life),
            keyring=Keyring(self._secrets(), self.keyring_s),
        )
        self.do(_void(cast(Store, self.program.store)))
        if start:
            self._listen(self.program)
            started = self.do(self._start(self.program))
            if not started and not self.program.life.dead:
                self.end()  # what can't start says so, and is gone

    @staticmethod
    async def _start(program: Program) -> bool:
        await program.engine.start()
        return True

    def _listen(self, program: Program) -> None:
        """As the house does: before the engine starts."""
        if self.shop.calls and not program.life.dead:
            program.listening.open(program.engine)
            self.bells.begin(program)

    def _secrets(self) -> dict[str, str]:
        secrets = self.spec.secrets()
        if self.shop.calls == "entered":
            secrets |= {callback_entry(name): self.shop.signing_secret for name in self.spec.names}
        return secrets

    def end(self, *, gently: bool = False) -> None:
        """The program is killed, or quits."""
        program = self.alive
        if gently:
            program.listening.close()
            self.do(program.engine.stop())
        program.bury()
        self.at = program.loop.time() + DEAD_S
        self.offset = program.clock.offset
        self.program = None
        self.struck |= program.life.places
        self.rules.life_ended(program)
        self.check()

    def settle_death(self) -> None:
        """If the last step killed the program: bury it."""
        if self.program is not None and self.program.life.dead:
            self.end()

    def live(self, seconds: float) -> None:
        """Time passes."""
        self.alive.loop.for_a_while(seconds)
        self.settle_death()

    def until(self, came: Callable[[], bool], seconds: float = 60.0) -> None:
        """Time passes until it has come, to the step."""
        self.alive.loop.until(came, seconds)
        self.settle_death()

    def do(self, work: Any) -> Any:
        """One thing is asked of the living program; what an operator can mend is told, not
        raised."""
        try:
            return self.alive.loop.until_done(self.rules.mended(work))
        finally:
            if inspect.getcoroutinestate(work) is inspect.CORO_CREATED:
                work.close()  # the program died before it began

    def jump(self, seconds: float) -> None:
        """The clock on the wall is set, or the computer sleeps while its other clock stands."""
        self.jumped = True
        self.alive.clock.offset += seconds

    def sleep_through(self, seconds: float) -> None:
        """The computer sleeps, and all its clocks go on."""
        self.jumped = True
        self.alive.loop.sleep_through(seconds)

    def forget_answers(self) -> None:
        """What was put aside in memory only is gone, as after a power cut."""
        shutil.rmtree(self.path.with_name("store.db.answers"))
        for submission in self.shop.sent:
            if submission.attempt_pk not in self.disk.safe:
                submission.heard = "nothing"

    def _hear(self, submission: Submission) -> None:
        self.rules.wire.heard(submission)
        self.bells.heard(submission)

    def _note(self, attempt_pk: int) -> None:
        self._noted = attempt_pk

    # --- the end -------------------------------------------------------------------------------

    def check(self) -> None:
        """What must be true at every moment."""
        self.rules.check()

    def check_end(self) -> None:
        """After all trouble: the program runs on to the end, and nothing is stuck or lost."""
        self.shop.behaviours = iter(())
        self.shop.poison.clear()
        self.shop.polls_refused = []
        self.shop.asks_refused = self.shop.secrets_refused = 0
        self.disk.gone = False
        self._watch = None
        self._plans.clear()
        if self.program is None:
            self.begin()
        self.alive.life.spare()
        self._go_on()
        self.rules.check_caps()
        self.caps_stand = False
        self.people.mend_all()
        for _ in range(240):
            self._go_on()
            if not UNFINISHED & set(self.states.values()):
                break
            self.people.unblock_lanes()
        else:
            raise AssertionError(f"rows are stuck: {self.states}")
        self.end(gently=True)
        self.begin()  # to find what came in when nobody could use it
        self.end(gently=True)
        self.rules.check_results()

    def _go_on(self) -> None:
        for batch_id in self.batches:
            self.people.try_again(batch_id)
            self.people.resume(batch_id)
        self.alive.loop.for_a_while(30.0)
        self.check()

    def close(self) -> None:
        """Let go of everything, also in the middle of a failure."""
        self.rules.close()
        if self.program is not None:
            self.program.bury()
        shutil.rmtree(self.folder)
