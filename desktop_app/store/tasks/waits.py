"""Waits live in the store, so they outlast a restart and survive a clock that jumps."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from desktop_app.domain.text import Message
from desktop_app.store.writer import Txn

CLAMP = """
UPDATE task INDEXED BY task_due SET due_at = ? + delay_s
WHERE batch_id = ? AND ready = 0 AND state IN (0, 2) AND due_at > ? + delay_s"""

NEXT = """
SELECT min(due_at) FROM task INDEXED BY task_due
WHERE batch_id = ? AND ready = 0 AND state IN (0, 2) AND blocked = 0"""

REFUSED = """
SELECT due_at, note FROM task INDEXED BY task_due
WHERE batch_id = ? AND ready = 0 AND state IN (0, 2) AND due_at > ?
  AND error_class = 'throttled'
ORDER BY due_at LIMIT 2"""


def clamp(txn: Txn, now: float) -> None:
    """No wait is longer than it was meant to be: the clock may have been set back meanwhile."""
    for (batch_id,) in txn.execute("SELECT id FROM batch WHERE stage = 1").fetchall():
        txn.execute(CLAMP, (now, batch_id, now))


def next_due(conn: sqlite3.Connection, batch_ids: Sequence[int]) -> float | None:
    """When the next wait of these batches ends (epoch s), None if nobody waits."""
    found = (conn.execute(NEXT, (batch_id,)).fetchone()[0] for batch_id in batch_ids)
    return min((due for due in found if due is not None), default=None)


def held_back(
    conn: sqlite3.Connection, connection_id: int, now: float
) -> tuple[float, Message | None] | None:
    """See ``EngineStore.held_back``."""
    of_connection = "SELECT id FROM batch WHERE connection_id = ? AND stage = 1"
    found = [
        row
        for (batch_id,) in conn.execute(of_connection, (connection_id,)).fetchall()
        for row in conn.execute(REFUSED, (batch_id, now)).fetchall()
    ]
    if not found:
        return None
    due_at, note = min(found, key=lambda row: row[0])
    return due_at if len(found) > 1 else now, None if note is None else Message.load(note)
