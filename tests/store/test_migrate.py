"""Files of every age: fresh, older, newer, foreign, damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.domain.text import OperatorError
from desktop_app.store import migrate
from desktop_app.store.store import Store, open_store

ONE = {1: "CREATE TABLE a (x TEXT);\n-- a note;\nCREATE TABLE b (y);\n"}
TWO = {
    **ONE,
    2: "ALTER TABLE a ADD COLUMN z;\nCREATE TRIGGER t AFTER INSERT ON a BEGIN\n"
    "  INSERT INTO b VALUES (1);\n  INSERT INTO b VALUES (2);\nEND;\n",
}


@pytest.fixture(autouse=True)
def no_guards(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "conn" in request.fixturenames:
        monkeypatch.setattr(migrate.guards, "install", lambda conn: None)


@pytest.fixture
def conn(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as made:
        yield made


def content(path: Path) -> bytes:
    return path.read_bytes()


def overwrite(path: Path, start: int, count: int) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(b"\xff" * count)


def test_a_fresh_file_gets_every_step_and_no_backup(conn: sqlite3.Connection, path: Path) -> None:
    migrate.migrate(conn, path, TWO)
    assert migrate.version_of(conn) == 2
    conn.execute("INSERT INTO a VALUES ('x', 'z')")
    assert conn.execute("SELECT count(*) FROM b").fetchone() == (2,)
    assert list(path.parent.glob("*.bak")) == []


def test_an_older_file_is_copied_first_and_keeps_its_rows(
    conn: sqlite3.Connection, path: Path
) -> None:
    migrate.migrate(conn, path, ONE)
    conn.execute("INSERT INTO a VALUES ('kept')")
    migrate.migrate(conn, path, TWO)
    assert conn.execute("SELECT x, z FROM a").fetchall() == [("kept", None)]
    with closing(sqlite3.connect(path.with_name("store.db.v1.bak"))) as copy:
        assert copy.execute("SELECT * FROM a").fetchall() == [("kept",)]
        assert copy.execute("PRAGMA user_version").fetchone() == (1,)


def test_a_step_that_fails_leaves_the_file_as_it_was(conn: sqlite3.Connection, path: Path) -> None:
    migrate.migrate(conn, path, ONE)
    with pytest.raises(sqlite3.Error):
        migrate.migrate(conn, path, {**ONE, 2: "CREATE TABLE c (x);\nNONSENSE;\n"})
    assert migrate.version_of(conn) == 1
    found = conn.execute("SELECT name FROM sqlite_master WHERE name = 'c'").fetchall()
    assert found == []


def test_a_second_run_changes_nothing(conn: sqlite3.Connection, path: Path) -> None:
    migrate.migrate(conn, path, TWO)
    before = conn.execute("SELECT * FROM sqlite_master").fetchall()
    migrate.migrate(conn, path, TWO)
    assert conn.execute("SELECT * FROM sqlite_master").fetchall() == before


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_newer_file_is_refused_and_not_touched(path: Path, read_only: bool) -> None:
    await (await open_store(path)).close()
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA user_version = 99")
    before = content(path)
    with pytest.raises(OperatorError) as caught:
        await open_store(path, read_only=read_only)
    assert caught.value.message.code == "store.newer_file"
    assert caught.value.message.values == {"found": 99, "known": max(migrate.shipped())}
    assert content(path) == before


def test_another_programs_file_is_refused_and_not_touched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(OperatorError) as caught:
        Store.open(path)
    assert caught.value.message.code == "store.not_ours"
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_called_damaged(path: Path) -> None:
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(OperatorError) as caught:
        Store.open(path)
    assert caught.value.message.code == "store.damaged_alone"


async def test_damage_inside_is_found_at_start(path: Path) -> None:
    await (await open_store(path)).close()
    with closing(sqlite3.connect(path)) as conn:
        conn.executemany(
            "INSERT INTO account_pause VALUES (?, ?, 0)", [(f"a{i}", "x" * 200) for i in range(500)]
        )
        conn.commit()
        (root,) = conn.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'account_pause'"
        ).fetchone()
        (size,) = conn.execute("PRAGMA page_size").fetchone()
    overwrite(path, (root - 1) * size + 20, size - 20)
    with pytest.raises(OperatorError) as caught:
        await open_store(path)
    assert caught.value.message.code == "store.damaged_alone"


def test_a_folder_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(OperatorError) as caught:
        Store.open(tmp_path / "missing" / "store.db")
    assert caught.value.message.code == "store.cannot_write"


def test_every_migration_is_numbered_without_a_gap() -> None:
    assert sorted(migrate.shipped()) == list(range(1, len(migrate.shipped()) + 1))
