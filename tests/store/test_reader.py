"""Reads never write, never wait for the writer, and stop mattering when nobody waits."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.domain.errors import LocalTrouble
from desktop_app.store.connect import open_reader
from desktop_app.store.reader import Reader


@pytest.fixture
def reader(path: Path) -> Iterator[Reader]:
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA journal_mode = wal")
        conn.execute("CREATE TABLE n (i INTEGER)")
        conn.commit()
    made = Reader("test-reader", lambda: open_reader(path))
    made.start()
    yield made
    made.stop()


async def test_it_cannot_write(reader: Reader) -> None:
    with pytest.raises(LocalTrouble) as caught:
        await reader.read(lambda conn: conn.execute("INSERT INTO n VALUES (1)"))
    assert caught.value.message.code == "store.cannot_write"


async def test_it_sees_each_commit_and_holds_no_snapshot(reader: Reader, path: Path) -> None:
    def count(conn: sqlite3.Connection) -> int:
        return int(conn.execute("SELECT count(*) FROM n").fetchone()[0])

    with closing(sqlite3.connect(path)) as other:
        for expected in range(3):
            assert await reader.read(count) == expected
            other.execute("INSERT INTO n VALUES (1)")
            other.commit()


async def test_a_cancelled_read_that_waits_never_starts(reader: Reader) -> None:
    gate = threading.Event()
    started: list[int] = []
    held = asyncio.ensure_future(reader.read(lambda conn: gate.wait(10)))
    dropped = asyncio.ensure_future(reader.read(lambda conn: started.append(1)))
    await asyncio.sleep(0)
    dropped.cancel()
    await asyncio.gather(dropped, return_exceptions=True)
    gate.set()
    await held
    await reader.read(lambda conn: None)
    assert started == []


async def test_a_failed_read_leaves_the_next_one_alone(reader: Reader) -> None:
    with pytest.raises(sqlite3.OperationalError):
        await reader.read(lambda conn: conn.execute("SELECT nothing"))
    assert await reader.read(lambda conn: conn.execute("SELECT 1").fetchone()) == (1,)
