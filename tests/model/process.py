"""One life of the program in virtual time: it can be killed at any step and at any commit."""

from __future__ import annotations

import asyncio
import contextvars
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from desktop_app.domain.attempt import Mark
from desktop_app.domain.clock import Clock
from desktop_app.store.actions import Actions
from desktop_app.store.connect import open_reader, open_writer, raw
from desktop_app.store.connections import Connections
from desktop_app.store.engine_store import TaskStore
from desktop_app.store.imports import Imports
from desktop_app.store.reader import Reader
from desktop_app.store.sql_thread import Job
from desktop_app.store.wire_log import WireLog
from desktop_app.store.writer import Writer
from tests.engine.virtual import VirtualLoop

COMMIT_S = 0.004


class Life:
    """Whether the program lives, and when it shall die."""

    def __init__(self) -> None:
        self.dead = False
        self.steps_left: int | None = None
        self.commits_left: int | None = None
        self.kill_after_commit = False
        self.on_death: Callable[[], None] = lambda: None

    def die(self) -> None:
        if not self.dead:
            self.dead = True
            self.on_death()

    def step(self) -> None:
        if self.steps_left is not None and not self.dead:
            self.steps_left -= 1
            if self.steps_left < 0:
                self.die()


class MortalLoop(VirtualLoop):
    """Counts every step of every task; after death no step runs until the burial."""

    def __init__(self, life: Life, at: float) -> None:
        super().__init__()
        self.virtual = at
        self.life = life
        self.buried = False
        self._late: list[tuple[Any, tuple[Any, ...]]] = []
        life.on_death = lambda: self.stop() if self.is_running() else None

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        return super().call_soon(self._step, callback, args, context=context)

    def _step(self, callback: Any, args: tuple[Any, ...]) -> None:
        if not self.buried:
            self.life.step()
            if self.life.dead:
                self._late.append((callback, args))
                return
        callback(*args)

    def for_a_while(self, seconds: float) -> None:
        """Live on for some virtual seconds, or until death."""
        if self.life.dead:
            return
        timer = self.call_later(seconds, self.stop)
        self.run_forever()
        timer.cancel()

    def until_done(self, work: Any) -> Any:
        """Do one thing while all else goes on; None where death came first."""
        task = self.create_task(work)
        task.add_done_callback(lambda _done: self.buried or self.stop())
        if not self.life.dead:
            self.run_forever()
        return task.result() if task.done() and not self.life.dead else None

    def bury(self) -> None:
        """Take the dead program's tasks apart; nothing they still do reaches the world."""
        self.life.dead = True
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


class _Connection:
    """The writer's connection, which may take the program with it at a COMMIT."""

    def __init__(self, real: sqlite3.Connection, life: Life) -> None:
        self._real = real
        self._life = life

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        life = self._life
        if sql != "COMMIT" or life.commits_left is None:
            return self._real.execute(sql, *values)
        life.commits_left -= 1
        dies = life.commits_left < 0
        if dies and not life.kill_after_commit:
            life.die()
            return self._real.execute("ROLLBACK")
        done = self._real.execute(sql, *values)
        if dies:
            life.die()
        return done


class _OnLoop:
    """A store's thread without the thread: groups are served on the loop, real SQL and all."""

    life: Life
    delay_s = 0.0

    def start(self) -> None:
        self._database = self._connect()  # type: ignore[attr-defined]
        self._real = raw(self._database)
        self._waiting: list[Job] = []

    def stop(self) -> None:
        if self._real.in_transaction:
            self._real.execute("ROLLBACK")
        self._database.close()

    def _submit(self, work: Callable[..., Any]) -> Job:
        job = Job(work)
        if self.life.dead:
            return job  # nobody is there to do it
        self._waiting.append(job)
        if len(self._waiting) == 1:
            job.loop.call_later(self.delay_s, self._turn)
        return job

    def _turn(self) -> None:  # type: ignore[override]
        jobs, self._waiting = self._waiting, []
        if self.life.dead:
            return
        self._serve(_Connection(self._real, self.life), jobs)  # type: ignore[attr-defined]
        if not self.life.dead:
            jobs[0].loop.call_soon(self._tell, jobs)

    def _tell(self, jobs: list[Job]) -> None:
        self._settle(jobs)  # type: ignore[attr-defined]


class LoopWriter(_OnLoop, Writer):  # type: ignore[misc]
    delay_s = COMMIT_S


class LoopReader(_OnLoop, Reader):  # type: ignore[misc]
    pass


class MortalWire(WireLog):
    """The wire log, which a dead program no longer writes."""

    def __init__(self, path: Path, life: Life, noted: Callable[[int], None]) -> None:
        super().__init__(path, "boot")
        self._life = life
        self._noted = noted

    def note(self, mark: Mark, pk: int) -> None:
        if not self._life.dead:
            super().note(mark, pk)
            if mark is Mark.BEGUN:
                self._noted(pk)

    def restart(self) -> None:
        if not self._life.dead:
            super().restart()


class Rooms:
    """The store's real ports."""

    def __init__(self, writer: Writer, reader: Reader, wire: WireLog, clock: Clock) -> None:
        self.engine = TaskStore(writer, reader, wire, clock)
        self.actions = Actions(writer)
        self.connections = Connections(writer, reader)
        self.imports = Imports(writer, reader, clock)


def open_on_loop(path: Path, life: Life, clock: Clock, wire: WireLog) -> tuple[Rooms, Any]:
    """The real store on one file, without threads; and a way to let go of it."""

    def quick() -> Any:
        database = open_writer(path)
        raw(database).execute("PRAGMA synchronous = off")  # only the process dies here
        return database

    writer = LoopWriter(quick, lambda _batch, _pks: None)
    readers = [LoopReader(name, lambda: open_reader(path)) for name in ("quick", "slow")]
    threads = [writer, *readers]
    for thread in threads:
        thread.life = life
        thread.start()

    def let_go() -> None:
        for thread in reversed(threads):
            thread.stop()
        wire.close()

    return Rooms(writer, readers[0], wire, clock), let_go
