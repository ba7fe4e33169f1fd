"""A store that an earlier version left is opened by this one: nothing of it is lost, and a copy of
what it was stays."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.store import migrate
from desktop_app.store.store import Store

LEFT = Path(__file__).with_name("data") / "store-form-9.sql"
ROWS, WON, WAITING = 24, 19, 5
UNCHANGED = ("batch", "task", "payload", "attempt", "result", "connection")


def rows(path: Path, table: str) -> list[dict[str, object]]:
    with closing(sqlite3.connect(path)) as conn:
        conn.row_factory = sqlite3.Row
        found = conn.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
    return [dict(row) for row in found]


@pytest.fixture
def left(path: Path) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.executescript(LEFT.read_text(encoding="utf-8"))
        assert migrate.version_of(conn) == 9
    return path


async def test_its_rows_and_accounts_are_all_there(
    left: Path, opened: Callable[..., Awaitable[Store]]
) -> None:
    before = {table: rows(left, table) for table in UNCHANGED}
    store = await opened()
    for table, was in before.items():
        now = rows(left, table)
        kept = [{name: row[name] for name in was[0] if name in row} for row in now]
        assert kept == [{name: row[name] for name in row if name in now[0]} for row in was], table
    counts = await store.pages.count(TaskFilter(batch_id=1))
    assert counts == ROWS
    for state, count in ((TaskState.SUCCESS, WON), (TaskState.PENDING, WAITING)):
        found = await store.pages.count(TaskFilter(batch_id=1, states=frozenset({state})))
        assert found == count
    assert [c.name for c in await store.connections.all()] == ["店铺", "Practice server"]


async def test_a_copy_of_what_it_was_stays(
    left: Path, opened: Callable[..., Awaitable[Store]]
) -> None:
    before = rows(left, "task")
    await opened()
    copy = left.with_name(f"{left.name}.v9.bak")  # one is made before each step
    with closing(sqlite3.connect(copy)) as conn:
        assert migrate.version_of(conn) == 9
    assert rows(copy, "task") == before
