"""A check of the first migration in words that look nothing up: it holds for the same rows, and is
asked of every row that comes or changes (a thirteenth of what an import costs the writer)."""

from __future__ import annotations

import logging
import sqlite3

SLOW = "CHECK (state NOT IN (4, 5, 6) OR error_class IS NOT NULL)"
QUICK = "CHECK (state < 4 OR state > 6 OR error_class IS NOT NULL)"

_TABLE = "FROM sqlite_master WHERE type = 'table' AND name = 'task'"

_log = logging.getLogger(__name__)


def install(conn: sqlite3.Connection) -> None:
    """Word the file's check so; call inside a transaction. No row is read or written, however many
    there are, and any version of the program reads the file on."""
    found = conn.execute(f"SELECT sql {_TABLE}").fetchone()
    if found is None or SLOW not in found[0]:
        return
    (version,) = conn.execute("PRAGMA schema_version").fetchone()
    conn.execute("SAVEPOINT checks")
    try:
        # As SQLite's documentation has it for a change of a constraint that no content depends on.
        conn.execute("PRAGMA writable_schema = 1")
        conn.execute(
            "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = 'task'",
            (found[0].replace(SLOW, QUICK),),
        )
        conn.execute(f"PRAGMA schema_version = {version + 1:d}")
    except sqlite3.DatabaseError:
        # Some builds let nobody do that: then the check stays as it is.
        _log.info("a check keeps its slower words", exc_info=True)
        conn.execute("ROLLBACK TO checks")
    finally:
        conn.execute("PRAGMA writable_schema = RESET")
        conn.execute("RELEASE checks")
