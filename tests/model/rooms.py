"""The real store without its threads: served on the loop, where COMMIT may fail or kill."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any

from desktop_app.domain.attempt import Mark
from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import RawAnswer
from desktop_app.store.actions import Actions
from desktop_app.store.cancel_looks import Cancels
from desktop_app.store.commands import Commands
from desktop_app.store.connect import open_reader, open_writer, raw
from desktop_app.store.connections import Connections
from desktop_app.store.engine_store import TaskStore
from desktop_app.store.imports import Imports
from desktop_app.store.pages import PageReader
from desktop_app.store.raw_answers import RawAnswers
from desktop_app.store.reader import Reader
from desktop_app.store.sql_thread import Job
from desktop_app.store.wire_log import WireLog
from desktop_app.store.writer import Writer
from tests.model.life import Life
from tests.model.places import asked_by

COMMIT_S = 0.004


def refusal(how: str) -> sqlite3.OperationalError:
    """What SQLite raises when the disk is ``full`` or somebody keeps it ``busy``."""
    error = sqlite3.OperationalError("refused by the test")
    error.sqlite_errorcode = {"full": sqlite3.SQLITE_FULL, "busy": sqlite3.SQLITE_BUSY}[how]
    return error


class _Connection:
    """The writer's connection, which may take the program with it at a COMMIT, or refuse it."""

    def __init__(self, real: sqlite3.Connection, life: Life, names: frozenset[str]) -> None:
        self._real = real
        self._life = life
        self._names = names

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if sql.startswith("PRAGMA synchronous"):
            sql = "SELECT 1"  # only the process dies here
        how = self._life.commit(self._names) if sql == "COMMIT" else None
        if how is None:
            return self._real.execute(sql, *values)
        if how == "after":
            self._real.execute(sql, *values)
        if how in ("before", "after"):
            self._life.die()
            return self._real.execute("SELECT 1" if how == "after" else "ROLLBACK")
        if how == "full":
            self._real.execute("ROLLBACK")  # SQLite does so by itself
        raise refusal(how)


class _OnLoop:
    """A store's thread without the thread: groups are served on the loop, real SQL and all."""

    life: Life
    delay_s = 0.0

    def start(self) -> None:
        self._database = self._connect()  # type: ignore[attr-defined]
        self._real = raw(self._database)
        self._waiting: list[Job] = []
        self._names: set[str] = set()

    def stop(self) -> None:
        if self._real.in_transaction:
            self._real.execute("ROLLBACK")
        self._database.close()

    def _submit(self, work: Callable[..., Any], *more: Any, **how: Any) -> Job:
        job = Job(work, *more, **how)
        self._waiting.append(job)
        if self.life.dead:
            return job  # nobody is there to do it; but who waits for it is to be buried
        self._names.add(asked_by())
        if len(self._waiting) == 1:
            job.loop.call_later(self.delay_s, self._turn)
        return job

    def _turn(self) -> None:
        if self.life.dead:
            return
        jobs, self._waiting = self._waiting, []
        names, self._names = frozenset(self._names), set()
        self._serve(_Connection(self._real, self.life, names), jobs)  # type: ignore[attr-defined]
        if self.life.dead:
            self._waiting += jobs
        else:
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


class MortalAnswers(RawAnswers):
    """Answers put aside, which a dead program neither does nor undoes."""

    def __init__(self, folder: Path, life: Life) -> None:
        super().__init__(folder)
        self._life = life

    def keep(self, attempt_pk: int, key: str, raw: RawAnswer) -> bool:
        return not self._life.dead and super().keep(attempt_pk, key, raw)

    def drop(self, attempt_pk: int) -> None:
        if not self._life.dead:
            super().drop(attempt_pk)

    def open(self, attempt_pks: Set[int]) -> None:
        if not self._life.dead:
            super().open(attempt_pks)


class Rooms:
    """The store's real ports on one file."""

    def __init__(self, path: Path, life: Life, clock: Clock, wire: WireLog) -> None:
        def quick() -> Any:
            database = open_writer(path)
            raw(database).execute("PRAGMA synchronous = off")  # only the process dies here
            return database

        writer = LoopWriter(quick, lambda _batch, _pks: None)
        readers = [LoopReader(name, lambda: open_reader(path)) for name in ("quick", "slow")]
        answers = MortalAnswers(path.with_name(f"{path.name}.answers"), life)
        self._wire, self._answers = wire, answers
        self._threads = (writer, *readers)
        for thread in self._threads:
            thread.life = life
            thread.start()
        cancels = Cancels()
        self.engine = TaskStore(writer, readers[0], wire, answers, clock, cancels)
        self.actions = Actions(writer, cancels)
        self.connections = Connections(writer, readers[0])
        self.imports = Imports(writer, readers[0], clock)
        self.commands = Commands(writer, readers[0], clock)
        self.pages = PageReader(readers[0], readers[1], clock, at_work=True)

    async def is_commanded(self) -> bool:
        """A start always looks: what a look spares it is no matter of rules."""
        return True

    def close(self) -> None:
        """Let go of the file."""
        for thread in reversed(self._threads):
            thread.stop()
        self._wire.close()
        self._answers.close()
