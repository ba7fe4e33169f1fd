"""What a process that is gone has left half-made, put away at the start and so before the first
rows are shown: with no more than that takes."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop_app.store.writer import Txn


def discard_unsealed(txn: Txn) -> int:
    """Remove half an import; returns how many there were."""
    return txn.execute("DELETE FROM batch WHERE stage = 0").rowcount


def is_commanded(conn: sqlite3.Connection) -> bool:
    """Whether a command waits that nobody took."""
    sql = "SELECT EXISTS (SELECT 1 FROM command WHERE taken_at IS NULL)"
    return bool(conn.execute(sql).fetchone()[0])
