"""A large file is looked through while its rows are shown already; nothing is written before."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from desktop_app.store.copying import quick_check

LARGE_BYTES = 64 << 20
"""Up to this size the look takes a moment, and comes before everything else."""

FIRST_ROWS_S = 0.5
"""The look begins so much later: until then they are on the screen, and reading a whole file would
be in their way."""

_LITTLE = -2_000  # KiB: every page is read once


def may_wait(path: Path) -> bool:
    """Whether the look takes seconds and nothing speaks for damage: the file was closed well."""
    wal = path.with_name(path.name + "-wal")
    if wal.exists() and wal.stat().st_size:
        return False
    return path.exists() and path.stat().st_size > LARGE_BYTES


def look_through(conn: sqlite3.Connection) -> None:
    """Raise OperatorError if SQLite finds the file damaged. Takes no memory for good."""
    (usual,) = conn.execute("PRAGMA cache_size").fetchone()
    conn.execute(f"PRAGMA cache_size = {_LITTLE:d}")
    quick_check(conn)
    conn.execute("PRAGMA shrink_memory")
    conn.execute(f"PRAGMA cache_size = {usual:d}")
