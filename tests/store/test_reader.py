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
from desktop_app.store.connect import open_reader, raw
from desktop_app.store.reader import Reader

ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


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


async def test_a_read_that_nobody_waits_for_any_more_is_left_in_the_middle(reader: Reader) -> None:
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()
    left: list[BaseException] = []

    def endless(conn: sqlite3.Connection) -> None:
        loop.call_soon_threadsafe(begun.set)
        try:
            conn.execute(ENDLESS).fetchone()
        except BaseException as error:
            left.append(error)
            raise

    reading = asyncio.ensure_future(reader.read(endless))
    await begun.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert await reader.read(lambda conn: conn.execute("SELECT count(*) FROM n").fetchone()) == (0,)
    assert [type(error) for error in left] == [sqlite3.OperationalError]


async def test_a_large_sort_takes_its_room_in_a_file_and_not_in_memory(path: Path) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("CREATE TABLE n (i INTEGER)")
    for sorts, kept in ((True, 1), (False, 2)):
        database = open_reader(path, sorts=sorts)
        assert raw(database).execute("PRAGMA temp_store").fetchone() == (kept,)
        database.close()


async def test_a_failed_read_leaves_the_next_one_alone(reader: Reader) -> None:
    with pytest.raises(sqlite3.OperationalError):
        await reader.read(lambda conn: conn.execute("SELECT nothing"))
    assert await reader.read(lambda conn: conn.execute("SELECT 1").fetchone()) == (1,)
