"""What rows of earlier runs ask for, so that a sheet under another name is known by its rows."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from desktop_app.domain.ports import AskedRow
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import BatchSummary
from desktop_app.store.newer_sheet import reading

MOST_BATCHES = 50
MOST_ROWS = 1_000_000
"""How far back is looked; one batch is always, however long it is."""

OTHERWISE = "asked_otherwise"
"""The option of batches from before their connection began to ask for something else."""

ASKED = """
SELECT coalesce(n.digest, p.digest), iif(n.stem IS NULL, t.key, n.key), t.state
FROM task t JOIN payload p ON p.task_pk = t.id LEFT JOIN next_edition n ON n.task_pk = t.id
WHERE t.batch_id = ?"""

ASKS_OTHERWISE = f"""
UPDATE batch SET options = json_set(options, '$.{OTHERWISE}', json('true'))
WHERE connection_id = ?"""  # noqa: S608 - a constant


def candidates(found: Iterable[BatchSummary], connection_id: int) -> list[BatchSummary]:
    """Those of the connection to be looked through, of all batches, newest first: what waits in one
    would be paid for twice as well."""
    taken: list[BatchSummary] = []
    rows = 0
    for run in found:
        ledger = run.ledger
        if run.batch.connection_id != connection_id or run.batch.options.get(OTHERWISE):
            continue
        if not ledger.success + ledger.uncertain + ledger.unfinished:
            continue
        rows += ledger.imported
        if taken and (rows > MOST_ROWS or len(taken) >= MOST_BATCHES):
            break
        taken.append(run)
    return taken


@dataclass(frozen=True, slots=True)
class AskedRows:
    """The rows of the batches, in their order, on a connection of its own, in any thread or
    process. Blocks. Raises OperatorError."""

    path: str
    batch_ids: tuple[int, ...]

    def __call__(self) -> Iterator[AskedRow]:
        """Every row of each."""
        with reading(self.path) as conn:
            for batch_id in self.batch_ids:
                yield from _rows(conn, batch_id)


def _rows(conn: sqlite3.Connection, batch_id: int) -> Iterator[AskedRow]:
    states = {int(state): state for state in TaskState}
    with contextlib.closing(conn.execute(ASKED, (batch_id,))) as rows:
        for digest, key, state in rows:
            yield AskedRow(batch_id, digest, key, states[state])
