"""Copies beside the store: whole, in time, few, and made while others write."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.store import backups
from tests.store.store_kit import Kit

DAY = 86_400.0
NOON = 1_700_000_000.0


async def test_a_copy_a_day_of_a_store_that_holds_something(kit: Kit) -> None:
    kit.clock.at = NOON
    assert not await kit.store.back_up_if_due()  # nothing in it yet
    await kit.batch(3)
    assert await kit.store.back_up_if_due()
    kit.clock.at += DAY - 60
    assert not await kit.store.back_up_if_due()
    kit.clock.at += 120
    assert not await kit.store.back_up_if_due(most_bytes=10)
    assert await kit.store.back_up_if_due()
    for copy in backups.rolling(kit.path):
        assert backups.is_whole(copy.path)
        with closing(sqlite3.connect(copy.path)) as conn:
            assert conn.execute("SELECT count(*) FROM task").fetchone() == (3,)


async def test_only_the_newest_copies_are_kept(kit: Kit) -> None:
    await kit.batch(1)
    for day in range(6):
        kit.clock.at = NOON + day * (DAY + 1)
        assert await kit.store.back_up_if_due()
    kept = backups.rolling(kit.path)
    assert [b.made_at for b in kept] == [NOON + day * (DAY + 1) for day in (5, 4, 3)]


async def test_a_clock_set_back_neither_stops_copies_nor_drops_the_new_one(kit: Kit) -> None:
    await kit.batch(1)
    for day in range(3):
        backups.make(kit.path, NOON + day * DAY)
    kit.clock.at = NOON - 30 * DAY
    assert await kit.store.back_up_if_due()
    kept = [b.made_at for b in backups.rolling(kit.path)]
    assert kept == [NOON + 2 * DAY, NOON + DAY, kit.clock.at]


async def test_a_copy_is_made_while_a_transaction_is_open(kit: Kit) -> None:
    await kit.batch(1)
    with closing(sqlite3.connect(kit.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE batch SET name = 'half way'")
        copy = backups.make(kit.path, NOON)
        other.execute("ROLLBACK")
    with closing(sqlite3.connect(copy.path)) as conn:
        assert conn.execute("SELECT name FROM batch").fetchall() == [("shoes",)]


async def test_a_damaged_copy_is_passed_over(kit: Kit) -> None:
    await kit.batch(1)
    old = backups.make(kit.path, NOON)
    new = backups.make(kit.path, NOON + DAY)
    assert backups.newest_whole(kit.path) == new
    new.path.write_bytes(b"\xff" * 8192)
    assert backups.newest_whole(kit.path) == old
    old.path.write_bytes(b"")
    assert backups.newest_whole(kit.path) is None


@pytest.mark.expect_log("daily copy")
async def test_a_copy_that_cannot_be_made_is_no_end(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    await kit.batch(1)

    def full(source: Path, target: Path) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(backups, "copy", full)
    assert not await kit.store.back_up_if_due()
    assert (await kit.ledger(1)).imported == 1
