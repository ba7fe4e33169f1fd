"""Waits are kept in the store and clamped when the clock was set back."""

from __future__ import annotations

from desktop_app.domain.attempt import Outcome
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import TaskFilter
from tests.store.store_kit import Kit, lane_rows, row_nos

S = TaskState


async def test_a_clock_set_back_makes_no_wait_longer_than_meant(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    first, second, _ = await kit.claim(batch_id)
    await kit.end(first, S.RETRYING, due_at=1_009.0, delay_s=4.0)
    await kit.end(second, S.PENDING, outcome=Outcome.THROTTLED, due_at=1_065.0)
    await kit.store.engine.spread_due(1_000.0)
    assert kit.sql("SELECT due_at FROM task WHERE ready = 0") == [(1_004.0,), (1_060.0,)]
    await kit.store.engine.spread_due(100.0)  # the clock went back a quarter of an hour
    assert kit.sql("SELECT due_at FROM task WHERE ready = 0") == [(104.0,), (160.0,)]
    await kit.store.engine.spread_due(130.0)  # what is over, or shorter, stays
    assert kit.sql("SELECT due_at FROM task WHERE ready = 0") == [(104.0,), (160.0,)]


async def test_the_next_wait_is_told_for_the_batches_asked_for(kit: Kit) -> None:
    one, two = await kit.batch(1), await kit.batch(1)
    await kit.end(await kit.claim_one(one), S.RETRYING, due_at=1_030.0)
    await kit.end(await kit.claim_one(two), S.RETRYING, due_at=1_020.0)
    engine = kit.store.engine
    assert await engine.next_due([one, two]) == 1_020.0
    assert await engine.next_due([one]) == 1_030.0
    assert await engine.next_due([]) is None


async def test_a_row_behind_its_lanes_head_is_not_waited_for(kit: Kit) -> None:
    batch_id = await kit.batch(lane_rows("a", "a"))
    head = await kit.claim_one(batch_id)
    await kit.end(head, S.DEAD)
    second = await kit.claim_one(batch_id)
    await kit.store.actions.requeue(TaskFilter(batch_id=batch_id), 1_001.0)
    await kit.end(second, S.RETRYING, due_at=1_030.0)
    assert await kit.store.engine.next_due([batch_id]) is None
    assert row_nos(await kit.claim(batch_id)) == [2]


async def test_an_account_is_held_back_by_the_rows_that_it_refused(kit: Kit) -> None:
    batch_id, other = await kit.batch(5), await kit.batch(1)
    said = message("providers.said", text="slow down")

    async def end(due_at: float, kind: FailureClass = FailureClass.THROTTLED) -> None:
        await kit.end(
            await kit.claim_one(batch_id),
            S.PENDING,
            outcome=Outcome.THROTTLED,
            due_at=due_at,
            failure=Failure(kind, "quota", said),
        )

    engine = kit.store.engine
    ((connection_id,),) = kit.sql("SELECT DISTINCT connection_id FROM batch")
    await end(1_060.0)
    await end(1_020.0, FailureClass.OFFLINE)
    assert await engine.held_back(connection_id, 1_000.0) == (1_000.0, said), "perhaps its own"
    await kit.end(await kit.claim_one(other), S.RETRYING, due_at=1_010.0)
    await end(1_050.0)
    await end(1_070.0)
    assert await engine.held_back(connection_id, 1_000.0) == (1_050.0, said)
    assert await engine.held_back(connection_id, 1_055.0) == (1_060.0, said)
    assert await engine.held_back(connection_id, 1_065.0) == (1_065.0, said)
    assert await engine.held_back(connection_id, 1_071.0) is None
    assert await engine.held_back(connection_id + 1, 1_000.0) is None
