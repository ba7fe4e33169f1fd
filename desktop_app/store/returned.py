"""Rows of a failure sheet that a person mended: all of them back into the queue, or none."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from desktop_app.domain.ports.failure_store import KnownFailure, ReturnedRow
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.store import drafts, newer_sheet
from desktop_app.store.page_rows import UNSENT
from desktop_app.store.reader import Reader
from desktop_app.store.tasks import editions, requeue
from desktop_app.store.tasks.editions import Superseded
from desktop_app.store.writer import Txn, Writer

_FIND = f"""
SELECT t.id, t.task_id, t.batch_id, t.row_no, t.state, t.edition, t.attempt_no - {UNSENT},
       p.cells, p.prompt, {requeue.USABLE}
FROM task t JOIN payload p ON p.task_pk = t.id JOIN batch b ON b.id = t.batch_id AND b.stage = 1
WHERE t.task_id IN (SELECT value FROM json_each(?))"""  # noqa: S608 - constants


class Returned:
    """Implements FailureStore."""

    def __init__(self, writer: Writer, reader: Reader) -> None:
        self._writer = writer
        self._reader = reader

    async def failures(self, task_ids: Sequence[str]) -> list[KnownFailure]:
        """Those that are here."""
        return await self._reader.read(lambda conn: _find(conn, task_ids))

    async def take_back(self, rows: Sequence[ReturnedRow], now: float) -> frozenset[int]:
        """All in one commit."""
        return await self._writer.do(lambda txn: _take_back(txn, rows, now))


def _find(conn: sqlite3.Connection, task_ids: Iterable[str]) -> list[KnownFailure]:
    return [
        KnownFailure(
            pk=pk,
            task_id=task_id,
            batch_id=batch_id,
            row_no=row_no,
            state=TaskState(state),
            edition=edition,
            tries=tries,
            cells=tuple(json.loads(cells)),
            prompt=prompt or "",
            usable=bool(usable),
        )
        for (
            pk,
            task_id,
            batch_id,
            row_no,
            state,
            edition,
            tries,
            cells,
            prompt,
            usable,
        ) in conn.execute(_FIND, (json.dumps(list(task_ids)),))
    ]


def _take_back(txn: Txn, rows: Sequence[ReturnedRow], now: float) -> frozenset[int]:
    known = {found.pk: found for found in _find(txn.conn, (row.known.task_id for row in rows))}
    same = [row for row in rows if known.get(row.known.pk) == row.known]
    as_it_is = [row.known.pk for row in same if row.draft is None]
    back: set[int] = set()
    for row in same:
        if row.draft is None:
            continue
        became = editions.supersede(
            txn, row.known.pk, row.known.edition, newer_sheet.newer(row.draft), now
        )
        if became is Superseded.REFILED:
            as_it_is.append(row.known.pk)
        elif became is Superseded.AGAIN:
            back.add(row.known.pk)
    for batch_id in {row.known.batch_id for row in same}:
        drafts.lead_lanes(txn, batch_id)
    which = TaskFilter(pks=tuple(as_it_is), states=DEAD_LETTERS)
    requeue.requeue(txn, which, now)
    waiting = txn.execute(
        "SELECT id FROM task WHERE state = 0 AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(as_it_is),),
    )
    return frozenset(back) | {pk for (pk,) in waiting}
