"""How connections are opened: the pragmas are promises (a paid picture survives a power cut)."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

from peewee import SqliteDatabase

BUSY_S = 5.0
LOG_PAGES = 8_000
"""So long the log grows before it is copied back to the file, eight times what SQLite would let it:
pages that change with every commit are copied an eighth as often, and two syncs with them."""

PROVISIONAL_LOG_PAGES = 16_000
"""The same during an import, when it is copied beside the writer too (``log_copying``): 64 MB."""

_PREPARED = 512


def open_writer(path: Path) -> SqliteDatabase:
    """Open for writing; the file is made when missing. The connection belongs to this thread."""
    # Before journal_mode, which touches the file: a second process may be busy with it.
    pragmas: dict[str, object] = {
        "busy_timeout": int(BUSY_S * 1000),
        "journal_mode": "wal",
        "foreign_keys": 1,
        "cache_size": -32_000,
        "wal_autocheckpoint": LOG_PAGES,
        "temp_store": "memory",
    }
    pragmas |= lasting_pragmas()
    # Statements for many rows come in several widths: all that are in use stay prepared.
    return _open(
        SqliteDatabase(str(path), pragmas=pragmas, timeout=BUSY_S, cached_statements=_PREPARED)
    )


def lasting_pragmas() -> dict[str, object]:
    """What makes a commit, and the copying of the log, survive a power cut."""
    whole = {"fullfsync": 1, "checkpoint_fullfsync": 1} if sys.platform == "darwin" else {}
    return {"synchronous": "full", **whole}


def open_reader(path: Path, *, sorts: bool = False) -> SqliteDatabase:
    """Open without the power to write; works whether or not another process has the file open.
    ``sorts``: it may be asked for a million rows in the order of their prompts, which takes its
    room in a temporary file then (measured: 10 MB of memory instead of 140, 5% more time)."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    pragmas = {
        "busy_timeout": int(BUSY_S * 1000),
        "query_only": 1,
        # Pages on screen are read by key, walks read each page once, and all lie in the system's
        # cache: what each reader keeps besides is only memory.
        "cache_size": -2_000,
        "temp_store": "file" if sorts else "memory",
    }
    return _open(SqliteDatabase(uri, uri=True, pragmas=pragmas, timeout=BUSY_S))


def raw(database: SqliteDatabase) -> sqlite3.Connection:
    """SQLite's own connection of this thread."""
    connection: sqlite3.Connection = database.connection()  # type: ignore[no-untyped-call]
    return connection


def _open(database: SqliteDatabase) -> SqliteDatabase:
    try:
        database.connect()
    except BaseException:
        database.close()
        raise
    return database
