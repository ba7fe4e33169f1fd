"""A large store is shown before it is known to be whole; it is not written before."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.domain.text import OperatorError
from desktop_app.domain.views import TaskFilter
from desktop_app.store import looking, migrate
from desktop_app.store.damage import StoreDamaged
from desktop_app.store.looking import look_through
from desktop_app.store.sql_thread import StoreClosed
from desktop_app.store.store import Store, open_store
from tests.store.store_kit import Kit, StillClock, connection

Look = Callable[[sqlite3.Connection], None]


@pytest.fixture
async def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with three rows that counts as large, closed well."""
    monkeypatch.setattr(looking, "LARGE_BYTES", 0)
    monkeypatch.setattr(looking, "FIRST_ROWS_S", 0.0)
    where = tmp_path / "store.db"
    clock = StillClock()
    kit = Kit(await open_store(where, clock=clock), clock, where, [])
    await kit.batch(3)
    await kit.store.close()
    return where


def hold(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """The look begins (first event), and waits for the second."""
    begun, go_on = threading.Event(), threading.Event()

    def look(conn: sqlite3.Connection) -> None:
        begun.set()
        go_on.wait(30)
        look_through(conn)

    monkeypatch.setattr(looking, "look_through", look)
    return begun, go_on


async def test_rows_are_read_while_the_look_goes_on_and_writes_wait_for_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = hold(monkeypatch)
    store = await open_store(path, look_later=True)
    assert not store.is_checked
    assert len(await store.pages.ids(TaskFilter())) == 3
    saved = asyncio.ensure_future(store.connections.save(connection("second")))
    await asyncio.to_thread(begun.wait, 30)
    assert len(await store.connections.all()) == 1
    assert not saved.done()
    go_on.set()
    await store.checked()
    assert (await saved).name == "second"
    assert store.is_checked
    await store.close()


async def test_damage_found_late_is_told_and_nothing_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = hold(monkeypatch)
    store = await open_store(path, look_later=True)
    saved = asyncio.ensure_future(store.connections.save(connection("second")))
    await asyncio.to_thread(begun.wait, 30)
    spoil(path)
    before = bytes_of(path)
    go_on.set()
    with pytest.raises(StoreDamaged):
        await store.checked()
    with pytest.raises(OperatorError):
        await saved
    await store.close()
    assert bytes_of(path) == before


def bytes_of(path: Path) -> bytes:
    return path.read_bytes()


def spoil(path: Path) -> None:
    """Overwrite the leaf pages of the index of row numbers."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as conn:
        (page,) = conn.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'task_row'"
        ).fetchone()
        (size,) = conn.execute("PRAGMA page_size").fetchone()
    conn.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


async def test_closing_ends_a_look_that_is_still_at_work(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    def look(conn: sqlite3.Connection) -> None:
        begun.set()
        forever = (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        )
        conn.execute(forever).fetchone()

    monkeypatch.setattr(looking, "look_through", look)
    store = await open_store(path, look_later=True)
    saved = asyncio.ensure_future(store.connections.save(connection("second")))
    await asyncio.to_thread(begun.wait, 30)
    await store.close()
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        await saved


async def test_closing_does_not_wait_for_a_look_that_has_not_begun(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "FIRST_ROWS_S", 3600.0)
    monkeypatch.setattr(looking, "look_through", lambda _conn: pytest.fail("it looked"))
    store = await open_store(path, look_later=True)
    saved = asyncio.ensure_future(store.connections.save(connection("second")))
    await asyncio.sleep(0)
    before = bytes_of(path)
    await asyncio.wait_for(store.close(), 60)
    with pytest.raises(StoreClosed):
        await saved
    assert bytes_of(path) == before


@pytest.mark.parametrize("why", ["small", "not closed", "older", "not asked for"])
async def test_the_look_comes_first_where_it_takes_a_moment_or_damage_is_likely(
    path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    if why == "small":
        monkeypatch.setattr(looking, "LARGE_BYTES", 1 << 30)
    elif why == "not closed":
        path.with_name(path.name + "-wal").write_bytes(b"something")
    elif why == "older":
        shipped = dict(migrate.shipped())
        shipped[max(shipped) + 1] = "CREATE TABLE newer (a);"
        monkeypatch.setattr(migrate, "shipped", lambda: shipped)
    store = await open_store(path, look_later=why != "not asked for")
    assert store.is_checked
    await store.close()


async def test_the_look_leaves_the_writers_cache_as_it_was(path: Path) -> None:
    def cache(conn: sqlite3.Connection) -> int:
        return int(conn.execute("PRAGMA cache_size").fetchone()[0])

    store: Store = await open_store(path, look_later=True)
    late = await store._threads[0].do(lambda txn: cache(txn.conn))
    await store.close()
    store = await open_store(path)
    assert late == await store._threads[0].do(lambda txn: cache(txn.conn))
    await store.close()
