"""Which batch goes first is kept with it, and told to nobody before it is committed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.batch import BatchPriority, RunState
from desktop_app.domain.task import TaskState
from desktop_app.exports.verified import read_noted
from desktop_app.store import migrate
from desktop_app.store.restore import restore
from tests.store.restore_kit import page, pages_of
from tests.store.store_kit import Kit, batch, connection, draft


@pytest.mark.parametrize("priority", list(BatchPriority))
async def test_it_is_kept_with_the_batch_and_told_wherever_a_batch_is(
    kit: Kit, opened: Any, priority: BatchPriority
) -> None:
    batch_id = await kit.batch()
    assert await kit.store.engine.set_priority(batch_id, priority)
    await kit.store.close()
    store = await opened()
    (running,) = await store.engine.running_batches()
    (summary,) = await store.pages.batches()
    one = await store.engine.batch(batch_id)
    assert one is not None
    assert {running.priority, summary.batch.priority, one.priority} == {priority}


async def test_a_batch_may_begin_with_one(kit: Kit) -> None:
    urgent = await kit.batch(priority=BatchPriority.HIGH)
    plain = await kit.batch()
    found = {batch.id: batch.priority for batch in await kit.store.engine.running_batches()}
    assert found == {urgent: BatchPriority.HIGH, plain: BatchPriority.NORMAL}


async def test_where_there_is_no_such_batch_nothing_is_changed(kit: Kit) -> None:
    half = await kit.store.imports.begin(batch((await kit.store.connections.save(connection())).id))
    assert not await kit.store.engine.set_priority(half, BatchPriority.HIGH)
    assert not await kit.store.engine.set_priority(99, BatchPriority.HIGH)
    assert kit.sql("SELECT priority FROM batch") == [(0,)]


def test_an_older_file_s_batches_take_turns(path: Path) -> None:
    data = Path(__file__).with_name("data") / "store-form-9.sql"
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.executescript(data.read_text(encoding="utf-8"))
        conn.execute("INSERT INTO command (verb, args, posted_at) VALUES ('pause', '{}', 1.0)")
        migrate.migrate(conn, None)
        assert set(conn.execute("SELECT priority FROM batch")) == {(0,)}
        left = conn.execute("SELECT verb, posted_at FROM command ORDER BY id").fetchall()
        assert left[-1] == ("pause", 1.0)
        conn.execute("INSERT INTO command (verb, args, posted_at) VALUES ('priority', '{}', 1.0)")
        for sql in (
            "UPDATE batch SET priority = 2",
            "UPDATE batch SET priority = NULL",
            "INSERT INTO command (verb, args, posted_at) VALUES ('hurry', '{}', 1.0)",
        ):
            with pytest.raises(sqlite3.IntegrityError):
                conn.execute(sql)


async def test_what_is_read_of_a_damaged_file_has_it(kit: Kit, opened: Any) -> None:
    ids = [await kit.batch(1) for _ in range(2)]
    await kit.store.engine.set_priority(ids[0], BatchPriority.LOW)
    await kit.store.close()
    for number in pages_of(kit.path, "task_row"):
        page(kit.path, number)
    restore(kit.path, read_noted)
    store = await opened()
    found = {s.batch.id: s.batch.priority for s in await store.pages.batches()}
    assert found == {ids[0]: BatchPriority.LOW, ids[1]: BatchPriority.NORMAL}


async def test_whether_a_row_could_be_claimed_is_what_a_claim_finds(kit: Kit) -> None:
    engine = kit.store.engine

    async def agrees(batch_id: int, *, is_there: bool) -> None:
        assert await engine.claimable(batch_id, kit.clock.at) is is_there
        assert bool(await kit.claim(batch_id, 1)) is is_there

    plain = await kit.batch(2)
    await agrees(plain, is_there=True)
    await engine.set_max_calls(plain, 1)
    await agrees(plain, is_there=False)
    await engine.set_max_calls(plain, None)
    await engine.set_run_state(plain, RunState.PAUSED)
    await agrees(plain, is_there=False)
    await agrees(await kit.batch(0), is_there=False)
    await agrees(await kit.batch(2, row_gate=1), is_there=False)
    laned = await kit.batch([draft(2, lane="x"), draft(3, lane="x")])
    await agrees(laned, is_there=True)
    await agrees(laned, is_there=False)
    waits = await kit.batch(1)
    claim = await kit.claim_one(waits)
    await kit.end(claim, TaskState.RETRYING, due_at=kit.clock.at + 5, delay_s=5.0)
    await agrees(waits, is_there=False)
    kit.clock.at += 5
    await agrees(waits, is_there=True)
