"""Puts what was read of a damaged file over its copy: the newer of two rows stays."""

from __future__ import annotations

import sqlite3

from desktop_app.store.salvage import KEYS

# Where the damaged file has lost its WAL it may be the older one.
_OLDER = {
    "task": "DELETE FROM saved.task "
    "WHERE rev < (SELECT rev FROM main.task t WHERE t.id = saved.task.id)",
    "attempt": "DELETE FROM saved.attempt WHERE outcome = 'open' AND EXISTS "
    "(SELECT 1 FROM main.attempt a WHERE a.id = saved.attempt.id AND a.outcome <> 'open')",
}

# An import that was under way has no row that anybody has seen.
_UNSEALED = (
    "DELETE FROM main.result WHERE task_pk IN (SELECT t.id FROM main.task t JOIN main.batch b "
    "ON b.id = t.batch_id WHERE b.stage = 0)",
    "DELETE FROM main.payload WHERE task_pk IN (SELECT t.id FROM main.task t JOIN main.batch b "
    "ON b.id = t.batch_id WHERE b.stage = 0)",
    "DELETE FROM main.task WHERE batch_id IN (SELECT id FROM main.batch WHERE stage = 0)",
    "DELETE FROM main.batch WHERE stage = 0",
    "DELETE FROM saved.task WHERE batch_id IN (SELECT id FROM saved.batch WHERE stage = 0)",
)

# What nothing leads to. Of what is lost here the caller counts what it must tell.
_STRAYS = (
    "DELETE FROM main.batch WHERE connection_id NOT IN (SELECT id FROM main.connection)",
    "DELETE FROM main.task WHERE batch_id NOT IN (SELECT id FROM main.batch)",
    *(
        f"DELETE FROM main.{name} WHERE task_pk NOT IN (SELECT id FROM main.task)"  # noqa: S608
        for name in ("payload", "attempt", "result")
    ),
)
_LATER_STRAYS = {
    "next_edition": "DELETE FROM main.next_edition WHERE task_pk NOT IN (SELECT id FROM main.task)",
    "more_result": "DELETE FROM main.more_result "
    "WHERE result_id NOT IN (SELECT id FROM main.result)",
}


def merge(conn: sqlite3.Connection, partly: set[str]) -> None:
    """In a transaction, without triggers and without the check of foreign keys. Leaves in the
    schema ``saved`` the copy's rows that gave way, as ``old_<table>``. Adds to ``partly`` what
    proves to be older than the copy."""
    for name, statement in _OLDER.items():
        if conn.execute(statement).rowcount:
            partly.add(name)
    for statement in _UNSEALED:
        conn.execute(statement)
    for name in _tables(conn):
        _lay_over(conn, name, KEYS[name])
    conn.execute("DELETE FROM main.batch WHERE stage = 0")


def drop_strays(conn: sqlite3.Connection, partly: set[str]) -> None:
    """After ``merge``: drop rows that nothing leads to. Leaves in the schema ``saved`` the table
    ``unread``: pks of rows that the copy alone has."""
    tables = _tables(conn)
    later = [statement for name, statement in _LATER_STRAYS.items() if name in tables]
    for statement in (*_STRAYS, *later):
        conn.execute(statement)
    if "next_edition" in tables and not partly & {"next_edition", "task"}:
        conn.execute(
            "DELETE FROM main.next_edition WHERE task_pk NOT IN "
            "(SELECT task_pk FROM saved.next_edition)"
        )
    conn.execute(
        "CREATE TABLE saved.unread AS SELECT id FROM main.task "
        "WHERE id NOT IN (SELECT id FROM saved.task)"
    )


def _tables(conn: sqlite3.Connection) -> list[str]:
    return [name for name in KEYS if _has(conn, name)]


def _has(conn: sqlite3.Connection, name: str) -> bool:
    sql = "SELECT 1 FROM saved.sqlite_master WHERE type = 'table' AND name = ?"
    return conn.execute(sql, (name,)).fetchone() is not None


def _lay_over(conn: sqlite3.Connection, name: str, key: str) -> None:
    # A row that breaks a rule of the schema was not read but guessed: what it came for stays.
    for sql in (
        "CREATE TABLE saved.old_{name} AS SELECT * FROM main.{name} "
        "WHERE {key} IN (SELECT {key} FROM saved.{name})",
        "DELETE FROM main.{name} WHERE {key} IN (SELECT {key} FROM saved.{name})",
        "INSERT OR IGNORE INTO main.{name} SELECT * FROM saved.{name}",
        "DELETE FROM saved.{name} WHERE {key} NOT IN (SELECT {key} FROM main.{name})",
        "INSERT OR IGNORE INTO main.{name} SELECT * FROM saved.old_{name}",
    ):
        conn.execute(sql.format(name=name, key=key))
