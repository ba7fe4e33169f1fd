"""Brings a file to this version, one frozen step after the other, with a copy before each."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path

from desktop_app.domain.text import OperatorError, message
from desktop_app.store import guards, quick_checks
from desktop_app.store.copying import copy

APPLICATION_ID = 0x42574254  # "BWBT"
_NAME = re.compile(r"(\d{4})_\w+\.sql")


def shipped() -> dict[int, str]:
    """Number -> SQL of every migration in the package."""
    folder = resources.files("desktop_app.store") / "migrations"
    return {
        int(match[1]): item.read_text(encoding="utf-8")
        for item in folder.iterdir()
        if (match := _NAME.fullmatch(item.name))
    }


def version_of(conn: sqlite3.Connection) -> int:
    """The file's version; 0 for an empty one. Raises OperatorError for another program's file."""
    (version,) = conn.execute("PRAGMA user_version").fetchone()
    (application,) = conn.execute("PRAGMA application_id").fetchone()
    (objects,) = conn.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if objects and application != APPLICATION_ID:
        raise OperatorError(message("store.not_ours"))
    return int(version)


def refuse_newer(version: int, latest: int) -> None:
    """Raise OperatorError for a file that a newer version of the program has written."""
    if version > latest:
        raise OperatorError(message("store.newer_file", found=version, known=latest))


def migrate(
    conn: sqlite3.Connection,
    path: Path | None,
    migrations: Mapping[int, str] | None = None,
) -> None:
    """Bring the file to the latest version. Raises OperatorError for a newer or foreign file.

    ``path`` is where the connection's file lies, and copies are made beside it; None: it is a
    copy itself, and needs none.
    """
    steps = shipped() if migrations is None else migrations
    latest = max(steps)
    start = version_of(conn)
    refuse_newer(start, latest)
    for number in range(start + 1, latest + 1):
        if start and path is not None:
            copy(path, path.with_name(f"{path.name}.v{version_of(conn)}.bak"))
        _step(conn, number, steps[number])
    conn.execute("BEGIN IMMEDIATE")
    guards.install(conn)
    quick_checks.install(conn)
    conn.execute("COMMIT")


def _step(conn: sqlite3.Connection, number: int, sql: str) -> None:
    conn.execute("BEGIN IMMEDIATE")
    try:
        if version_of(conn) < number:  # another process may have been quicker
            for statement in _statements(sql):
                conn.execute(statement)
            conn.execute(f"PRAGMA user_version = {number:d}")
            conn.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        raise


def _statements(sql: str) -> Iterator[str]:
    """Split a script; SQLite itself says where a statement (a trigger, too) is complete."""
    held = ""
    for line in sql.splitlines(keepends=True):
        held += line
        if sqlite3.complete_statement(held):
            yield held
            held = ""
