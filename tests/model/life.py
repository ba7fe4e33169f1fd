"""One life of the program in virtual time: it can be killed at any step and at any commit."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.engine.virtual import EPOCH, VirtualLoop
from tests.model.places import awaited

Watch = Callable[[str, int, frozenset[str]], None]
"""Told of ``step`` or ``commit``, its number in this life, and the places it is at."""


@dataclass
class Plan:
    """What shall happen to one life. ``how`` a commit ends: ``before`` and ``after`` kill the
    program at it, ``full`` and ``busy`` make SQLite refuse ``commits_refused`` of them."""

    steps_left: int | None = None
    commits_left: int | None = None
    how: str = "before"
    commits_refused: int = 1


class Life:
    """Whether the program lives, and when it shall die."""

    def __init__(self, plan: Plan | None = None, watch: Watch | None = None) -> None:
        self.plan = plan or Plan()
        self.watch = watch
        self.dead = False
        self.died_at = 0.0
        self.steps = self.commits = 0
        self.places: frozenset[str] = frozenset()  # where it was killed, or refused a commit
        self.full = 0  # so many commits to come are refused for want of space
        self.on_death: Callable[[], float] = lambda: 0.0

    def die(self) -> None:
        if not self.dead:
            self.dead = True
            self.died_at = self.on_death()

    def spare(self) -> None:
        """Nothing planned happens any more."""
        self.plan = Plan()
        self.watch = None
        self.full = 0

    def step(self, callback: Any) -> None:
        if self.dead:
            return
        if self.watch is not None:
            self.watch("step", self.steps, awaited(callback))
        self.steps += 1
        plan = self.plan
        if plan.steps_left is not None:
            plan.steps_left -= 1
            if plan.steps_left < 0:
                self.places |= awaited(callback)
                self.die()

    def commit(self, names: frozenset[str]) -> str | None:
        """How this commit ends; None: as it should."""
        if self.watch is not None:
            self.watch("commit", self.commits, names)
        self.commits += 1
        planned = self._planned(names)  # also where it is refused anyway: it counts
        if self.full:
            self.full -= 1
            return planned or "full"
        return planned

    def _planned(self, names: frozenset[str]) -> str | None:
        plan = self.plan
        if plan.commits_left is None:
            return None
        plan.commits_left -= 1
        if plan.commits_left >= 0:
            return None
        self.places |= names
        if plan.how in ("before", "after"):
            return plan.how
        plan.commits_refused -= 1
        if plan.commits_refused <= 0:
            plan.commits_left = None
        return plan.how


class MortalLoop(VirtualLoop):
    """Counts every step of every task; after death no step runs until the burial."""

    def __init__(self, life: Life, at: float) -> None:
        super().__init__()
        self.virtual = at
        self.life = life
        self.buried = False
        self._came: Callable[[], bool] = lambda: False
        self._late: list[tuple[Any, tuple[Any, ...]]] = []
        life.on_death = self._stops

    def _stops(self) -> float:
        if self.is_running():
            self.stop()
        return self.virtual

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        return super().call_soon(self._step, callback, args, context=context)

    def _step(self, callback: Any, args: tuple[Any, ...]) -> None:
        if not self.buried:
            self.life.step(callback)
            if self.life.dead:
                self._late.append((callback, args))
                return
        callback(*args)
        if self._came():
            self.stop()

    def for_a_while(self, seconds: float) -> None:
        """Live on for some virtual seconds, or until death."""
        if self.life.dead:
            return
        timer = self.call_later(seconds, self.stop)
        self.run_forever()
        timer.cancel()

    def until(self, came: Callable[[], bool], seconds: float) -> None:
        """Live on to the very step after which it has come."""
        self._came = came
        try:
            self.for_a_while(seconds)
        finally:
            self._came = lambda: False

    def sleep_through(self, seconds: float) -> None:
        """The computer sleeps: all clocks go on, and nothing runs."""
        self.virtual += seconds

    def until_done(self, work: Any) -> Any:
        """Do one thing while all else goes on; None where death came first."""
        task = self.create_task(work)
        task.add_done_callback(self._done)
        if not self.life.dead:
            self.run_forever()
        return task.result() if task.done() and not self.life.dead else None

    def _done(self, _task: asyncio.Task[Any]) -> None:
        if not self.buried:
            self.stop()

    def bury(self) -> None:
        """Take the dead program's tasks apart; nothing they still do reaches the world."""
        self.life.die()
        self.buried = True
        for callback, args in self._late:
            self.call_soon(callback, *args)
        while tasks := asyncio.all_tasks(self):
            for task in tasks:
                task.cancel()
            self.run_until_complete(asyncio.wait(tasks, timeout=0.01))
            for task in tasks:
                if task.done() and not task.cancelled():
                    task.exception()
        self.run_until_complete(self.shutdown_asyncgens())
        self.close()


class LoopClock:
    """Time of the loop, and a wall clock that may be set."""

    def __init__(self, loop: MortalLoop, offset: float) -> None:
        self._loop = loop
        self.offset = offset

    def now(self) -> float:
        return EPOCH + self._loop.time() + self.offset

    def monotonic(self) -> float:
        return self._loop.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
