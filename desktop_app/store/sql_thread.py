"""A thread that owns one SQLite connection, so that no caller's thread ever waits for the disk."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future as ThreadFuture
from queue import Empty, SimpleQueue
from typing import Any

from peewee import SqliteDatabase

from desktop_app.store.connect import raw
from desktop_app.store.trouble import trouble_of

_log = logging.getLogger(__name__)


class StoreClosed(RuntimeError):
    """The store was used after its close: always a programming error."""

    def __init__(self) -> None:
        super().__init__("the store is closed")


class Job:
    """One piece of work on its way to the thread and back to the loop that asked for it."""

    __slots__ = ("error", "future", "item", "loop", "provisional", "result", "touched", "work")

    def __init__(
        self, work: Callable[..., Any], item: Any = None, *, provisional: bool = False
    ) -> None:
        self.work = work
        self.item = item
        self.provisional = provisional
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.result: Any = None
        self.error: BaseException | None = None
        self.touched: dict[int, set[int]] = {}

    def settle(self) -> None:
        """Hand the outcome over, on the loop's own thread. A cancelled caller left its future
        cancelled; its work was done all the same."""
        if self.future.cancelled():
            if self.error is not None:
                _log.error("an operation whose caller had gone failed", exc_info=self.error)
        elif self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


class SqlThread:
    """Runs jobs in order on one connection. ``connect`` is called in the thread."""

    group_limit = 1

    def __init__(self, name: str, connect: Callable[[], SqliteDatabase]) -> None:
        self._connect = connect
        self._queue: SimpleQueue[list[Job] | None] = SimpleQueue()
        self._closed = False
        # Whoever asks and whoever closes may be on different threads: nothing may be handed over
        # behind the last word, where nobody would ever take it.
        self._handing = threading.RLock()
        self._opened: ThreadFuture[None] = ThreadFuture()
        self._ended: ThreadFuture[None] = ThreadFuture()
        # A daemon, so that a program that forgets to close can still end; SQLite survives that.
        self._thread = threading.Thread(target=self._main, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread and wait until its connection is open; raises what opening raised."""
        self._thread.start()
        self._opened.result()

    def stop(self) -> None:
        """Finish what is queued, close, and wait for it. Blocks."""
        self._end()
        self._thread.join()

    async def close(self) -> None:
        """Finish what is queued and close, without blocking the loop."""
        self._end()
        await asyncio.wrap_future(self._ended)
        self._thread.join()

    def _end(self) -> None:
        with self._handing:
            if not self._closed:
                self._closed = True
                self._queue.put(None)

    def _submit(
        self, work: Callable[..., Any], item: Any = None, *, provisional: bool = False
    ) -> Job:
        job = Job(work, item, provisional=provisional)
        with self._handing:
            if self._closed:
                raise StoreClosed
            self._send(job)
        return job

    def _send(self, job: Job) -> None:
        self._queue.put([job])

    def _main(self) -> None:
        try:
            database = self._connect()
        except BaseException as error:
            self._opened.set_exception(error)
            self._ended.set_result(None)
            return
        self._opened.set_result(None)
        try:
            connection = raw(database)
            self._begin(connection)
            while self._turn(connection):
                pass
            self._before_close(connection)
        except Exception:
            _log.exception("the store's thread ended with trouble")
        finally:
            self._refuse_rest()
            database.close()
            self._ended.set_result(None)

    def _refuse_rest(self) -> None:
        """Where the thread ended by itself, whoever waits for it would wait for ever."""
        self._end()
        while True:
            try:
                jobs = self._queue.get_nowait()
            except Empty:
                return
            for job in jobs or ():
                job.error = StoreClosed()
            self._deliver(jobs or [])

    def _turn(self, connection: sqlite3.Connection) -> bool:
        """Serve one group; False when the end was asked for."""
        jobs: list[Job] = []
        item = self._queue.get()
        if item is not None:
            self._before_group()
        while item is not None:
            jobs += item
            if len(jobs) >= self.group_limit:
                break
            try:
                item = self._queue.get_nowait()
            except Empty:
                break
        if jobs:
            try:
                self._serve(connection, jobs)
            except Exception as error:
                # Whatever SQLite does to us, whoever waits is told, and the next group is served.
                _log.exception("a group of the store's thread failed")
                for job in jobs:
                    job.touched.clear()
                    job.error = trouble_of(error)
            self._deliver(jobs)
        return item is not None

    def _deliver(self, jobs: list[Job]) -> None:
        by_loop: dict[int, list[Job]] = {}
        for job in jobs:
            by_loop.setdefault(id(job.loop), []).append(job)
        for group in by_loop.values():
            try:
                group[0].loop.call_soon_threadsafe(self._settle, group)
            except RuntimeError:
                # The loop is closed: the commit stands, and nobody is left to be told.
                _log.debug("%d outcomes came after the loop had closed", len(group))

    def _serve(self, connection: sqlite3.Connection, jobs: list[Job]) -> None:
        raise NotImplementedError

    def _settle(self, jobs: list[Job]) -> None:
        for job in jobs:
            job.settle()

    def _begin(self, connection: sqlite3.Connection) -> None:
        """First words on the connection, before any job; whoever opens does not wait for them."""

    def _before_group(self) -> None:
        """There is work: the last moment to wait for more that shares its commit."""

    def _before_close(self, connection: sqlite3.Connection) -> None:
        """Last words on the connection."""
