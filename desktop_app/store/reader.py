"""Reads on a connection that cannot write, in a thread of its own, so that pages never wait."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TypeVar

from desktop_app.store.sql_thread import Job, SqlThread
from desktop_app.store.trouble import trouble_of

T = TypeVar("T")

STEPS = 100_000
"""Steps of SQLite between two looks whether anybody still waits: some milliseconds."""


class Reader(SqlThread):
    """``await read(fn)``: ``fn`` sees one snapshot; a cancelled read that waits never starts, and
    one that has begun is left at its next step."""

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` on the read-only connection."""
        result: T = await self._submit(fn).future
        return result

    def _serve(self, connection: sqlite3.Connection, jobs: list[Job]) -> None:
        for job in jobs:
            if job.future.cancelled():
                continue
            try:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")  # an earlier one failed
                connection.execute("BEGIN")
                connection.set_progress_handler(job.future.cancelled, STEPS)
                try:
                    job.result = job.work(connection)
                finally:
                    connection.set_progress_handler(None, 0)
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
            except Exception as error:
                if not job.future.cancelled():
                    job.error = trouble_of(error)
