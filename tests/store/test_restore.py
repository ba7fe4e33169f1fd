"""A damaged list is set aside and its copy takes over; what was sent since is not sent again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.batch import RunState
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError
from desktop_app.store import backups
from desktop_app.store.damage import StoreDamaged
from desktop_app.store.restore import restore
from tests.store.store_kit import Kit

S = TaskState
NOON = 1_700_000_000.0


def damage(path: Path, table: str) -> None:
    """Overwrite the first page of a table or index."""
    with closing(sqlite3.connect(path)) as conn:
        sql = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (root,) = conn.execute(sql, (table,)).fetchone()
        (size,) = conn.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)


async def sent_after_the_copy(kit: Kit) -> tuple[int, int]:
    """Row 2 done, row 3 on its way, then a copy; then 3 and 4 come out, 5 is sent, and a batch
    is added. Returns both batches."""
    kit.clock.at = NOON
    batch_id = await kit.batch(6)
    two, three = await kit.claim(batch_id, 2)
    await kit.end(two, S.SUCCESS)
    backups.make(kit.path, NOON)
    await kit.end(three, S.SUCCESS)
    four, _five = await kit.claim(batch_id, 2)
    await kit.end(four, S.SUCCESS)
    later = await kit.batch(1, name="boots")
    await kit.store.close()
    return batch_id, later


async def test_what_was_sent_since_the_copy_is_set_aside(kit: Kit, opened: Any) -> None:
    batch_id, _ = await sent_after_the_copy(kit)
    damage(kit.path, "account_pause")
    with pytest.raises(StoreDamaged) as caught:
        await opened()
    assert caught.value.backup is not None
    assert caught.value.backup.made_at == NOON
    assert caught.value.message.code == "store.damaged_backup"
    assert str(kit.path.parent) in caught.value.message.values["folder"]
    done = restore(kit.path)
    assert (done.lost_attempts, done.lost_batches, done.uncertain) == (2, ("boots",), 2)
    assert done.damaged.name == "store.damaged-1.db"
    assert done.damaged.exists()
    kit.store = await opened()
    ledger = await kit.ledger(batch_id)
    assert (ledger.imported, ledger.success, ledger.uncertain) == (6, 1, 2)
    assert (ledger.running, ledger.pending) == (1, 2)
    assert (await kit.row(batch_id, 4)).state is S.UNCERTAIN
    note = (await kit.row(batch_id, 5)).note
    assert note is not None
    assert note.code == "store.sent_since"
    (batch,) = [s.batch for s in await kit.store.pages.batches()]
    assert batch.run_state is RunState.PAUSED
    assert batch.pause_reason is not None
    assert batch.pause_reason.code == "store.restored"
    # Row 3 was on its way when the copy was made: nobody may say that it never left.
    (orphan,) = await kit.store.engine.orphans()
    assert orphan.begun


async def test_a_file_that_tells_nothing_is_said_so(kit: Kit, opened: Any) -> None:
    batch_id, _ = await sent_after_the_copy(kit)
    kit.path.write_bytes(b"\xff" * 20_000)
    done = restore(kit.path)
    assert (done.lost_attempts, done.lost_batches) == (None, None)
    kit.store = await opened()
    (batch,) = [s.batch for s in await kit.store.pages.batches()]
    assert batch.pause_reason is not None
    assert batch.pause_reason.code == "store.restored_blind"
    assert await kit.claim(batch_id) == []


async def test_half_a_history_is_used_and_not_trusted(kit: Kit, opened: Any) -> None:
    await sent_after_the_copy(kit)
    damage(kit.path, "task")
    done = restore(kit.path)
    assert done.lost_attempts is None
    kit.store = await opened()
    (batch,) = [s.batch for s in await kit.store.pages.batches()]
    assert batch.pause_reason is not None
    assert batch.pause_reason.code == "store.restored_blind"


async def test_the_wal_goes_with_the_file_and_numbers_go_on(kit: Kit) -> None:
    await kit.batch(1)
    backups.make(kit.path, NOON)
    await kit.store.close()
    for n in (1, 2):
        kit.path.write_bytes(b"\xff" * 9_000)
        kit.path.with_name("store.db-wal").write_bytes(b"x")
        assert restore(kit.path).damaged.name == f"store.damaged-{n}.db"
        assert kit.path.with_name(f"store.damaged-{n}.db-wal").read_bytes() == b"x"
        assert not kit.path.with_name("store.db-wal").exists()


async def test_a_whole_list_is_not_replaced(kit: Kit) -> None:
    await kit.batch(1)
    backups.make(kit.path, NOON)
    await kit.store.close()
    with pytest.raises(OperatorError) as caught:
        restore(kit.path)
    assert caught.value.message.code == "store.not_damaged"


async def test_without_a_copy_only_an_explicit_word_starts_empty(kit: Kit, opened: Any) -> None:
    await kit.batch(1)
    await kit.store.close()
    kit.path.write_bytes(b"\xff" * 9_000)
    for read_only in (False, True):
        with pytest.raises(StoreDamaged) as caught:
            await opened(read_only=read_only)
        assert caught.value.message.code == "store.damaged_alone"
    with pytest.raises(OperatorError) as refused:
        restore(kit.path)
    assert refused.value.message.code == "store.no_backup"
    done = restore(kit.path, fresh=True)
    assert done.backup is None
    assert done.damaged.exists()
    kit.store = await opened()
    assert await kit.store.pages.batches() == []
