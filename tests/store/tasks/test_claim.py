"""Who may be claimed, in which order, and what is committed with it."""

from __future__ import annotations

import pytest

from desktop_app.domain.attempt import Outcome
from desktop_app.domain.batch import RunState
from desktop_app.domain.task import Request, TaskState
from desktop_app.domain.views import TaskFilter
from tests.store.store_kit import REASON, Kit, batch, draft, row_nos

S = TaskState


async def test_a_claim_carries_all_that_a_worker_needs(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    first, second = await kit.claim(batch_id)
    assert first.request == Request("prompt 2", {"size": "1024x1024"}, {"seed": 2})
    assert (first.row_no, first.attempt_no, first.edition, first.rev) == (2, 1, 1, 1)
    assert first.idempotency_key == f"{first.task_id}-1-0"
    assert (first.file_stem, first.out_dir) == ("0002_sku2", "/out")
    assert first.task_id != second.task_id
    assert first.attempt_pk != second.attempt_pk


async def test_the_attempt_is_committed_with_the_claim(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    assert kit.sql("SELECT id, task_pk, outcome, started_at, stem FROM attempt") == [
        (claim.attempt_pk, claim.task_pk, "open", 1_000.0, "0002_sku2")
    ]
    assert kit.sql("SELECT state, attempt_id, rev FROM task") == [(1, claim.attempt_pk, claim.rev)]
    assert kit.changes[-1] == (batch_id, (claim.task_pk,))


async def test_priority_goes_before_sheet_order(kit: Kit) -> None:
    rows = [draft(n, priority=n % 3) for n in range(2, 8)]
    batch_id = await kit.batch(rows)
    assert row_nos(await kit.claim(batch_id)) == [2, 5, 4, 7, 3, 6]


async def test_s17_two_callers_never_own_one_row(kit: Kit, opened: object) -> None:
    other = await opened(boot_id="boot-1")  # type: ignore[operator]
    batch_id = await kit.batch(40)
    mine: list[int] = []
    while True:
        found = await kit.claim(batch_id, 3)
        found += await other.engine.claim(batch_id, 2, 1_000.0)
        if not found:
            break
        mine += row_nos(found)
    assert sorted(mine) == list(range(2, 42))


@pytest.mark.parametrize("state", [RunState.IDLE, RunState.PAUSED])
async def test_only_a_running_batch_is_claimed_from(kit: Kit, state: RunState) -> None:
    batch_id = await kit.batch(2)
    await kit.store.engine.set_run_state(batch_id, state, REASON)
    assert await kit.claim(batch_id) == []
    await kit.store.engine.set_run_state(batch_id, RunState.RUNNING)
    assert row_nos(await kit.claim(batch_id)) == [2, 3]


async def test_an_unsealed_batch_is_never_claimed_from(kit: Kit) -> None:
    await kit.batch(1)
    (connection,) = await kit.store.connections.all()
    batch_id = await kit.store.imports.begin(batch(connection.id))
    await kit.store.imports.add(batch_id, [draft(2)])
    await kit.store.engine.set_run_state(batch_id, RunState.RUNNING)
    assert await kit.claim(batch_id) == []


async def test_a_trial_claims_up_to_its_gate_until_the_gate_opens(kit: Kit) -> None:
    batch_id = await kit.batch(6, row_gate=4)
    assert row_nos(await kit.claim(batch_id)) == [2, 3, 4]
    assert await kit.claim(batch_id) == []
    await kit.store.engine.open_gate(batch_id)
    assert row_nos(await kit.claim(batch_id)) == [5, 6, 7]


async def test_max_calls_counts_what_was_sent_or_may_have_been(kit: Kit) -> None:
    batch_id = await kit.batch(6, max_calls=3)
    first, second, third = await kit.claim(batch_id)
    assert await kit.claim(batch_id) == []
    await kit.end(first, S.PENDING, outcome=Outcome.NOT_SENT)
    (again,) = await kit.claim(batch_id)
    assert again.row_no == first.row_no
    await kit.end(second, S.SUCCESS)
    await kit.end(third, S.FAILED)
    assert await kit.claim(batch_id) == []


async def test_a_retry_waits_until_it_is_due(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    first, _ = await kit.claim(batch_id)
    await kit.end(first, S.RETRYING, due_at=1_010.0, delay_s=5.0, spend_retry=True)
    kit.clock.at = 1_009.9
    assert await kit.claim(batch_id) == []
    kit.clock.at = 1_010.0
    (again,) = await kit.claim(batch_id)
    assert (again.row_no, again.attempt_no, again.retries_spent) == (2, 2, 1)


async def test_a_row_given_back_with_a_wait_waits_too(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await kit.end(claim, S.PENDING, outcome=Outcome.THROTTLED, due_at=1_020.0)
    assert await kit.claim(batch_id) == []
    kit.clock.at = 1_020.0
    assert row_nos(await kit.claim(batch_id)) == [2]


async def test_what_is_due_takes_its_own_place_again(kit: Kit) -> None:
    batch_id = await kit.batch(4)
    first = await kit.claim_one(batch_id)
    await kit.end(first, S.RETRYING, due_at=1_010.0)
    kit.clock.at = 1_011.0
    assert row_nos(await kit.claim(batch_id)) == [2, 3, 4, 5]


async def test_finished_rows_are_not_claimed_again(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    for claim, state in zip(
        await kit.claim(batch_id), (S.SUCCESS, S.DEAD, S.UNCERTAIN), strict=True
    ):
        await kit.end(claim, state)
    assert await kit.claim(batch_id) == []
    assert (await kit.store.engine.running_batches()) == []


async def test_a_cancelled_row_is_not_claimed(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    await kit.store.actions.cancel(TaskFilter(batch_id=batch_id, text="#2"), 1.0)
    assert row_nos(await kit.claim(batch_id)) == [3]


async def test_batches_do_not_mix(kit: Kit) -> None:
    one, two = await kit.batch(2), await kit.batch(2)
    assert {claim.batch_id for claim in await kit.claim(two)} == {two}
    assert {claim.batch_id for claim in await kit.claim(one)} == {one}
