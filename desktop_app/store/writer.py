"""One writer with group commit: an fsync costs milliseconds, so all that wait share one."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future as ThreadFuture
from itertools import groupby
from typing import Any, TypeVar

from peewee import SqliteDatabase

from desktop_app.store.connect import LOG_PAGES, PROVISIONAL_LOG_PAGES
from desktop_app.store.loop_turn import LoopTurn
from desktop_app.store.sql_thread import Job, SqlThread, StoreClosed
from desktop_app.store.trouble import trouble_of

_log = logging.getLogger(__name__)

Item = TypeVar("Item")
T = TypeVar("T")
OnChange = Callable[[int, tuple[int, ...]], None]
MANY = 1_000
INTERRUPT_S = 0.1


def nobody_listens(_batch_id: int, _pks: tuple[int, ...]) -> None:
    """The default for ``on_change``."""


class Txn:
    """What an operation works on: the writer's connection inside its transaction.

    ``touched`` notes tasks to be published after the commit; none named means the whole batch.
    """

    __slots__ = ("_touched", "conn")

    def __init__(self, conn: sqlite3.Connection, touched: dict[int, set[int]]) -> None:
        self.conn = conn
        self._touched = touched

    def execute(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> sqlite3.Cursor:
        """Run one statement."""
        return self.conn.execute(sql, values)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> sqlite3.Cursor:
        """Run one statement for many rows."""
        return self.conn.executemany(sql, rows)

    def one(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> Any:
        """The first row, or None."""
        return self.conn.execute(sql, values).fetchone()

    def touch(self, batch_id: int, pks: Iterable[int] = ()) -> None:
        """Publish these tasks of the batch after the commit; more than a thousand count as all."""
        self._touched.setdefault(batch_id, set()).update(pks)


class Writer(SqlThread):
    """``await do(op)``: everything queued at one moment shares one commit.

    An operation's own failure is rolled back to its savepoint and raised to its caller alone; a
    failed COMMIT fails all of its group (LocalTrouble where the machine is to blame). Results are
    delivered, and ``on_change(batch_id, pks)`` called on the loop's thread, only after the commit.

    ``check`` looks at the file before anything is written: whatever it raises is raised to all who
    write, and to those who wait for ``checked``. It begins after ``check_after_s``. Closing ends a
    check that still runs, and leaves out one that has not begun.
    """

    group_limit = 512

    def __init__(
        self,
        connect: Callable[[], SqliteDatabase],
        on_change: OnChange,
        check: Callable[[sqlite3.Connection], None] | None = None,
        check_after_s: float = 0.0,
    ) -> None:
        super().__init__("store-writer", connect)
        self._on_change = on_change
        self._gathered: deque[Job] = deque()
        self._gathering: set[asyncio.AbstractEventLoop] = set()
        self._check = check
        self._check_after_s = check_after_s
        self._ending = threading.Event()
        self._checking: sqlite3.Connection | None = None
        self._refusal: BaseException | None = None
        self._is_provisional = False
        self._loop_turn = LoopTurn()
        self.checked: ThreadFuture[None] = ThreadFuture()
        if check is None:
            self.checked.set_result(None)

    async def do(self, op: Callable[[Txn], T]) -> T:
        """Run ``op`` in the writer; a cancelled caller's operation still completes."""
        result: T = await self._submit(op).future
        return result

    async def do_provisionally(self, op: Callable[[Txn], T]) -> T:
        """Like ``do``, for what a start would throw away anyway: a power cut may undo it until the
        next commit that is not provisional."""
        result: T = await self._submit(op, provisional=True).future
        return result

    def do_with_others(
        self, op: Callable[[Txn, Sequence[Item]], list[T]], item: Item
    ) -> asyncio.Future[T]:
        """Like ``do``, but items that wait for the same ``op`` are handed to it together, for as
        many outcomes in their order; where that fails, one by one."""
        return self._submit(op, item).future

    def _send(self, job: Job) -> None:
        # What is asked for in one turn of the loop, and by whom that wakes, is handed over as one:
        # else the thread takes the first of it for a group, and commits that alone.
        self._gathered.append(job)
        if job.loop not in self._gathering:
            self._gathering.add(job.loop)
            job.loop.call_soon(self._hand_over, job.loop)

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._handing:
            self._gathering.discard(loop)
            self._flush()

    def _flush(self) -> None:
        jobs = [self._gathered.popleft() for _ in range(len(self._gathered))]
        for start in range(0, len(jobs), self.group_limit):
            self._queue.put(jobs[start : start + self.group_limit])

    def _end(self) -> None:
        self._ending.set()
        with self._handing:
            if not self._closed:
                self._flush()
            super()._end()

    async def close(self) -> None:
        """Finish what is queued and close, without blocking the loop."""
        self._end()
        if not self.checked.done():
            await self._end_check()
        await super().close()

    async def _end_check(self) -> None:
        looked = asyncio.wrap_future(self.checked)
        while not looked.done():
            # Again and again: an interrupt that comes before the check has begun is not heard.
            if self._checking is not None:
                self._checking.interrupt()
            await asyncio.wait({looked}, timeout=INTERRUPT_S)
        looked.exception()  # whoever wanted it has asked for it

    def _begin(self, connection: sqlite3.Connection) -> None:
        if self._check is None:
            return
        try:
            if self._ending.wait(self._check_after_s):
                raise StoreClosed
            self._checking = connection
            self._check(connection)
        except Exception as error:
            self._refusal = trouble_of(error)
            self.checked.set_exception(error)
        else:
            self.checked.set_result(None)

    def _before_group(self) -> None:
        if not self._is_provisional:
            self._loop_turn.wait()

    def _serve(self, connection: sqlite3.Connection, jobs: list[Job]) -> None:
        if self._refusal is not None:
            for job in jobs:
                job.error = self._refusal
            return
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")  # an earlier one failed: the disk was away
            self._sync_as_for(connection, jobs)
            connection.execute("BEGIN IMMEDIATE")
            for alike in _together(jobs):
                self._run(connection, alike)
            began = time.monotonic()
            connection.execute("COMMIT")
            self._loop_turn.committed(time.monotonic() - began)
        except Exception as error:
            for job in jobs:
                job.touched.clear()
                job.error = trouble_of(error)
            if connection.in_transaction:
                try:
                    connection.execute("ROLLBACK")
                except sqlite3.Error:
                    _log.exception("a failed group could not be rolled back yet")

    def _sync_as_for(self, connection: sqlite3.Connection, jobs: Sequence[Job]) -> None:
        """In a log of the same file, what a lasting commit syncs is all that came before it."""
        provisional = all(job.provisional for job in jobs)
        if provisional is not self._is_provisional:
            connection.execute(f"PRAGMA synchronous = {'normal' if provisional else 'full'}")
            pages = PROVISIONAL_LOG_PAGES if provisional else LOG_PAGES
            connection.execute(f"PRAGMA wal_autocheckpoint = {pages}")
            self._is_provisional = provisional

    def _run(self, connection: sqlite3.Connection, jobs: Sequence[Job]) -> None:
        connection.execute("SAVEPOINT op")
        first = jobs[0]
        txn = Txn(connection, first.touched)
        try:
            if first.item is None:
                first.result = first.work(txn)
            else:
                results = first.work(txn, [job.item for job in jobs])
                for job, result in zip(jobs, results, strict=True):
                    job.result = result
        except Exception as error:
            if not connection.in_transaction:
                raise  # SQLite itself gave up the whole transaction (disk full, I/O error)
            connection.execute("ROLLBACK TO op")
            first.touched.clear()
            if len(jobs) == 1:
                first.error = trouble_of(error)
            else:
                for job in jobs:
                    self._run(connection, [job])
        connection.execute("RELEASE op")

    def _settle(self, jobs: list[Job]) -> None:
        touched: dict[int, set[int]] = {}
        whole: set[int] = set()
        for job in jobs:
            for batch_id, pks in job.touched.items():
                if not pks or len(pks) > MANY:
                    whole.add(batch_id)
                touched.setdefault(batch_id, set()).update(pks)
        for batch_id, pks in touched.items():
            try:
                self._on_change(batch_id, () if batch_id in whole else tuple(sorted(pks)))
            except Exception:
                _log.exception("a listener failed on a change of batch %d", batch_id)
        super()._settle(jobs)
        self._loop_turn.handed(jobs[0].loop)

    def _before_close(self, connection: sqlite3.Connection) -> None:
        if self._refusal is not None:
            return  # what is damaged is left as it is
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _together(jobs: Sequence[Job]) -> Iterator[Sequence[Job]]:
    """Neighbours that one call can serve; the order stays."""
    for _, alike in groupby(jobs, key=lambda job: job if job.item is None else job.work):
        yield list(alike)
