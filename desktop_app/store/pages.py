"""Reads for window and verbs: by key or by index, never by OFFSET, never on the caller's thread."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from desktop_app.domain.clock import Clock
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import (
    BatchSummary,
    DeadGroup,
    DoubtfulRow,
    Sort,
    TaskDetail,
    TaskFilter,
    TaskRow,
)
from desktop_app.store import batches, dead_groups, in_doubt, page_ids, page_rows
from desktop_app.store.filters import conditions
from desktop_app.store.reader import Reader

if TYPE_CHECKING:
    from desktop_app.domain.ports import ExportRow

EXPORT_CHUNK = 1_000


class PageReader:
    """Implements Pages. ``quick`` serves what is on screen; ``slow`` walks whole batches.
    ``at_work``: an engine is, here or in another process, so that time passes for what runs."""

    def __init__(self, quick: Reader, slow: Reader, clock: Clock, *, at_work: bool) -> None:
        self._quick = quick
        self._slow = slow
        self._clock = clock
        self._at_work = at_work

    async def batches(self) -> list[BatchSummary]:
        """Every sealed batch, newest first."""
        now = self._now()
        return await self._quick.read(lambda conn: batches.summaries(conn, now))

    async def batch_summary(self, batch_id: int) -> BatchSummary | None:
        """One sealed batch."""
        now = self._now()
        found = await self._quick.read(lambda conn: batches.summaries(conn, now, batch_id=batch_id))
        return found[0] if found else None

    def _now(self) -> float | None:
        return self._clock.now() if self._at_work else None

    async def ledger(self, batch_id: int | None) -> Ledger:
        """The ledger of a batch, or of all."""
        return await self._quick.read(lambda conn: batches.ledger(conn, batch_id))

    async def ids(
        self, which: TaskFilter, sort: Sort = Sort.ROW, descending: bool = False
    ) -> Sequence[int]:
        """Every matching pk in order, as ``array('q')``."""
        found = array("q")
        async for chunk in self.id_chunks(which, sort, descending):
            found.extend(chunk)
        return found

    async def id_chunks(
        self, which: TaskFilter, sort: Sort = Sort.ROW, descending: bool = False
    ) -> AsyncGenerator[array[int], None]:
        """The same as they are found."""
        sealed = await self._quick.read(
            lambda conn: page_ids.batches(conn, which, sort, descending)
        )
        walk = page_ids.walk(self._slow, which, sealed, sort, descending, self._clock.now())
        async with aclosing(walk) as chunks:
            async for chunk in chunks:
                yield chunk

    async def several(self, which: TaskFilter) -> Mapping[int, int]:
        """The number of results by pk, where there are more than one."""
        return await self._slow.read(lambda conn: page_rows.several(conn, which))

    async def rows(self, pks: Sequence[int]) -> list[TaskRow]:
        """Grid rows in the order of ``pks``; a vanished one is left out."""
        return await self._quick.read(lambda conn: page_rows.rows(conn, pks))

    async def count(self, which: TaskFilter) -> int:
        """How many match."""
        plain = TaskFilter(batch_id=which.batch_id, states=which.states)
        if which == plain:
            ledger = await self.ledger(which.batch_id)
            return sum(ledger.count(state) for state in which.states or TaskState)
        where, values = conditions(which)
        sql = f"{page_ids.MATCHING.format('count(*)')} WHERE {where}"
        row = await self._slow.read(lambda conn: conn.execute(sql, values).fetchone())
        return int(row[0])

    async def detail(self, task_pk: int) -> TaskDetail | None:
        """Everything about one task."""
        return await self._quick.read(lambda conn: page_rows.detail(conn, task_pk))

    async def dead_groups(self, batch_id: int | None) -> list[DeadGroup]:
        """Dead letters by cause, largest first."""
        return await self._slow.read(lambda conn: dead_groups.find(conn, batch_id))

    async def in_doubt(self, which: TaskFilter) -> list[DoubtfulRow]:
        """The UNCERTAIN among those that match."""
        return await self._slow.read(lambda conn: in_doubt.find(conn, which))

    async def pk_of(self, task_id: str) -> int | None:
        """The pk of a task's UUID."""
        return await self._quick.read(lambda conn: _pk_of(conn, task_id))

    async def export_rows(self, which: TaskFilter) -> AsyncIterator[Sequence[ExportRow]]:
        """All that match in sheet order, a thousand at a time."""
        pks = await self.ids(which)
        for start in range(0, len(pks), EXPORT_CHUNK):
            part = pks[start : start + EXPORT_CHUNK]
            yield await self._slow.read(partial(page_rows.exports, pks=part))

    async def unfinished_newest(self) -> int | None:
        """The newest sealed batch with work to come."""
        sql = "SELECT max(id) FROM batch WHERE stage = 1 AND finished_at IS NULL"
        row = await self._quick.read(lambda conn: conn.execute(sql).fetchone())
        return None if row[0] is None else int(row[0])


def _pk_of(conn: sqlite3.Connection, task_id: str) -> int | None:
    row = conn.execute("SELECT id FROM task WHERE task_id = ?", (task_id,)).fetchone()
    return None if row is None else int(row[0])
