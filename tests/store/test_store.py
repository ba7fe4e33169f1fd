"""Opening, reading beside others, closing, and the engine's view of batches."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.domain.batch import RunState
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError
from desktop_app.domain.wording import codes
from desktop_app.domain.wording.store import MESSAGES
from desktop_app.store.store import open_store
from tests.store.store_kit import REASON, Kit, draft

S = TaskState


async def test_reading_works_beside_a_writer_and_alone(kit: Kit, opened: Any) -> None:
    batch_id = await kit.batch(3)
    beside = await opened(read_only=True)
    assert (await beside.pages.ledger(batch_id)).pending == 3
    await kit.claim_one(batch_id)
    assert (await beside.pages.ledger(batch_id)).running == 1  # no stale snapshot
    await kit.store.close()
    alone = await opened(read_only=True)
    assert (await alone.pages.ledger(batch_id)).running == 1
    assert [c.name for c in await alone.connections.all()] == ["Fake"]
    with pytest.raises(LocalTrouble):
        await alone.engine.claim(batch_id, 1, 0.0)


async def test_reading_an_empty_folder_says_so(opened: Any) -> None:
    with pytest.raises(OperatorError) as caught:
        await opened(read_only=True)
    assert caught.value.message.code == "store.nothing_here"


async def test_what_was_stored_is_there_after_a_restart(kit: Kit, opened: Any) -> None:
    batch_id = await kit.batch(2)
    claim = await kit.claim_one(batch_id)
    await kit.end(claim, S.SUCCESS)
    before = await kit.store.pages.batches()
    await kit.store.close()
    kit.store = await opened()
    assert await kit.store.pages.batches() == before


async def test_at_start_everything_that_ran_is_paused(kit: Kit) -> None:
    running, paused, done = await kit.batch(1), await kit.batch(1), await kit.batch(1)
    idle = await kit.batch(1, run=False)
    await kit.store.engine.set_run_state(paused, RunState.PAUSED, None)
    await kit.end(await kit.claim_one(done), S.SUCCESS)
    assert await kit.store.engine.pause_all_unfinished(REASON) == [running]
    states = {s.batch.id: s.batch for s in await kit.store.pages.batches()}
    assert states[running].pause_reason == REASON
    assert states[running].run_state is RunState.PAUSED
    assert states[paused].pause_reason is None
    assert states[idle].run_state is RunState.IDLE
    assert await kit.store.engine.running_batches() == []
    # What is requeued in a batch that was done waits for a person as well.
    assert states[done].run_state is RunState.PAUSED
    await kit.store.engine.set_run_state(running, RunState.RUNNING)
    (batch,) = await kit.store.engine.running_batches()
    assert (batch.id, batch.pause_reason) == (running, None)


async def test_only_running_time_counts(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    kit.clock.at = 1_030.0
    await kit.store.engine.set_run_state(batch_id, RunState.PAUSED, REASON)
    kit.clock.at = 9_000.0
    await kit.store.engine.set_run_state(batch_id, RunState.RUNNING)
    kit.clock.at = 9_012.0
    (summary,) = await kit.store.pages.batches()
    assert summary.elapsed_s == 42.0
    assert summary.batch.started_at == 1_000.0


async def test_time_after_a_crash_counts_to_the_last_attempt(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    await kit.end(await kit.claim_one(batch_id), S.SUCCESS, ended_at=1_020.0)
    kit.clock.at = 99_000.0  # the machine was off since
    await kit.store.engine.pause_all_unfinished(REASON)
    (summary,) = await kit.store.pages.batches()
    assert summary.elapsed_s == 20.0


async def test_time_does_not_pass_for_a_batch_whose_engine_was_killed(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    await kit.end(await kit.claim_one(batch_id), S.SUCCESS, ended_at=1_020.0)
    kit.clock.at = 1_025.0
    await kit.claim_one(batch_id)
    for at in (1_030.0, 99_000.0):
        kit.clock.at = at
        reader = await open_store(kit.path, clock=kit.clock, read_only=True, at_work=False)
        (summary,) = await reader.pages.batches()
        await reader.close()
        assert summary.elapsed_s == 25.0
    (summary,) = await kit.store.pages.batches()
    assert summary.elapsed_s == 98_000.0


async def test_time_does_not_pass_for_a_batch_that_has_sent_nothing_yet(kit: Kit) -> None:
    await kit.batch(1)
    reader = await open_store(kit.path, clock=kit.clock, read_only=True, at_work=False)
    (summary,) = await reader.pages.batches()
    await reader.close()
    assert summary.elapsed_s == 0.0


async def test_the_ledger_of_all_is_the_sum_of_each(kit: Kit) -> None:
    one, two = await kit.batch(2), await kit.batch([draft(2)])
    await kit.end(await kit.claim_one(one), S.DEAD)
    both = (await kit.ledger(one)).plus(await kit.ledger(two))
    assert await kit.store.engine.ledger(None) == both
    assert both.imported == 3


async def test_close_leaves_one_whole_file(kit: Kit) -> None:
    await kit.batch(5)
    await kit.store.close()
    left = sorted(p.name for p in kit.path.parent.iterdir())
    assert left == ["store.db"]


def test_every_message_of_the_room_has_its_prefix() -> None:
    assert all(code.startswith("store.") for code in MESSAGES)
    assert set(MESSAGES) <= codes()
