from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.store import quick_checks
from desktop_app.store.migrate import migrate, shipped
from desktop_app.store.quick_checks import QUICK, SLOW

_INSERT = """
INSERT INTO task (batch_id, row_no, state, error_class, attempt_id, due_at, result_id, task_id,
                  stem, stem_fold, updated_at)
VALUES (1, ?1, ?2, ?3, 1, 1, 1, ?1, ?1, ?1, 0)"""


def _as_of_old(path: Path) -> None:
    """A file as versions before left it, with rows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("PRAGMA journal_mode = wal")
        for number in sorted(shipped()):
            conn.executescript(shipped()[number])
        conn.execute(f"PRAGMA user_version = {max(shipped())}")
        conn.execute("PRAGMA application_id = 1113014868")
        conn.execute("INSERT INTO tally (batch_id, state) VALUES (1, 0)")
        for row_no in range(2, 100):
            conn.execute(_INSERT, (row_no, row_no % 8, "invalid" if 4 <= row_no % 8 <= 6 else None))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "store.db"
    _as_of_old(found)
    return found


@pytest.fixture
def conn(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as found:
        yield found


def words(conn: sqlite3.Connection) -> str:
    (sql,) = conn.execute("SELECT sql FROM sqlite_master WHERE name = 'task'").fetchone()
    return str(sql)


def accepted(conn: sqlite3.Connection) -> list[tuple[int, bool]]:
    """(state, with a class of failure) that the table takes."""
    taken = []
    for state in range(8):
        for error_class in (None, "invalid"):
            conn.execute("SAVEPOINT one")
            try:
                conn.execute(_INSERT, (1_000, state, error_class))
            except sqlite3.IntegrityError:
                pass
            else:
                taken.append((state, error_class is not None))
            conn.execute("ROLLBACK TO one")
            conn.execute("RELEASE one")
    return taken


def test_a_new_file_has_the_quick_words(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "new.db", isolation_level=None)) as conn:
        migrate(conn, None)
        assert QUICK in words(conn)
        assert SLOW not in words(conn)


def test_both_words_take_the_same_rows(conn: sqlite3.Connection) -> None:
    before = accepted(conn)
    assert (5, True) in before
    assert (5, False) not in before
    migrate(conn, None)
    assert QUICK in words(conn)
    assert accepted(conn) == before


def test_the_rows_of_an_old_file_are_as_they_were(path: Path, conn: sqlite3.Connection) -> None:
    before = conn.execute("SELECT * FROM task").fetchall()
    assert len(before) == 98
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        assert accepted(other) == accepted(conn)
        migrate(conn, path)
        # A connection that knew the old words learns of the new ones.
        other.execute("INSERT INTO tally (batch_id, state) VALUES (1, 1)")
        assert QUICK in words(other)
        assert accepted(other) == accepted(conn)
        assert other.execute("SELECT * FROM task").fetchall() == before
    assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert [found.name for found in path.parent.glob("*.bak")] == []


def test_it_is_done_once(conn: sqlite3.Connection) -> None:
    migrate(conn, None)
    version = conn.execute("PRAGMA schema_version").fetchone()
    migrate(conn, None)
    assert conn.execute("PRAGMA schema_version").fetchone() == version
    assert conn.execute("PRAGMA writable_schema").fetchone() == (0,)


def test_what_is_rolled_back_has_not_happened(conn: sqlite3.Connection) -> None:
    conn.execute("BEGIN IMMEDIATE")
    quick_checks.install(conn)
    assert QUICK in words(conn)
    conn.execute("ROLLBACK")
    assert SLOW in words(conn)
    assert (5, False) not in accepted(conn)


def test_a_library_that_refuses_leaves_the_old_words(conn: sqlite3.Connection) -> None:
    def refuse(action: int, table: str | None, *_: str | None) -> int:
        is_schema = action == sqlite3.SQLITE_UPDATE and table == "sqlite_master"
        return sqlite3.SQLITE_DENY if is_schema else sqlite3.SQLITE_OK

    conn.set_authorizer(refuse)
    migrate(conn, None)
    conn.set_authorizer(None)
    assert SLOW in words(conn)
    assert conn.execute("PRAGMA writable_schema").fetchone() == (0,)
    assert (5, True) in accepted(conn)
    assert (5, False) not in accepted(conn)
