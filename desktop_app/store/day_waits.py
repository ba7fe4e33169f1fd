"""A batch that only the cap of its day paused goes on the day after, without anybody there."""

from __future__ import annotations

import sqlite3

from desktop_app.domain.batch import RunState
from desktop_app.domain.text import Message
from desktop_app.store import batches
from desktop_app.store.writer import Txn

# Whoever pauses such a batch himself puts his reason in this one's place, and it waits for him.
_WAITS = """
SELECT id, pause_reason FROM batch
WHERE stage = 1 AND run_state = 2 AND finished_at IS NULL
  AND pause_reason LIKE '["store.budget_day",%' ORDER BY id"""


def over(conn: sqlite3.Connection, today: str) -> list[int]:
    """The batches that wait for a day which is here; ``today``: an ISO date."""
    return [pk for pk, day in _waits(conn) if day < today]


def go_on(txn: Txn, today: str, now: float) -> list[int]:
    """Let the engine claim from these again (``now``: epoch s); returns their ids."""
    found = over(txn.conn, today)
    for batch_id in found:
        batches.set_run_state(txn, batch_id, RunState.RUNNING, None, now)
    return found


def leave(txn: Txn, reason: Message, now: float) -> list[int]:
    """None of them goes on by itself any more (``now``: epoch s); returns their ids."""
    found = [pk for pk, _day in _waits(txn.conn)]
    for batch_id in found:
        batches.set_run_state(txn, batch_id, RunState.PAUSED, reason, now)
    return found


def _waits(conn: sqlite3.Connection) -> list[tuple[int, str]]:
    """(batch, the day whose cap it has reached). Before days were named, it is long over."""
    rows = conn.execute(_WAITS).fetchall()
    return [(pk, str(Message.load(said).values.get("day", ""))) for pk, said in rows]
