"""A person brings rows back: all that match, each to its old place, nothing else."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from desktop_app.domain.attempt import Outcome
from desktop_app.domain.batch import RunState
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.task import REQUEUEABLE, TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import TaskFilter
from tests.store.store_kit import KEPT, REASON, Kit, draft, failure, row_nos

S = TaskState


async def spread(kit: Kit) -> int:
    """One row in every state, in the order of the states, from row 2 on."""
    batch_id = await kit.batch(8)
    claims = await kit.claim(batch_id)
    ends = {3: S.SUCCESS, 4: S.FAILED, 5: S.DEAD, 6: S.UNCERTAIN, 2: S.RETRYING}
    for index, state in ends.items():
        await kit.end(claims[index], state, spend_retry=True, failure=failure(code=f"c{index}"))
    await kit.end(claims[0], S.PENDING, outcome=Outcome.NOT_SENT)
    await kit.end(claims[7], S.PENDING, outcome=Outcome.NOT_SENT)
    await kit.store.actions.cancel(TaskFilter(pks=(claims[7].task_pk,)), 1_001.0)
    return batch_id


async def test_only_what_may_be_requeued_is_touched(kit: Kit) -> None:
    batch_id = await spread(kit)
    assert [s for (s,) in kit.sql("SELECT state FROM task ORDER BY id")] == list(range(8))
    assert await kit.store.actions.requeue(TaskFilter(batch_id=batch_id), 1_010.0) == 4
    states = [s for (s,) in kit.sql("SELECT state FROM task ORDER BY id")]
    assert states == [0, 1, 2, 3, 0, 0, 0, 0]
    assert kit.changes[-1] == (batch_id, ())


async def test_a_requeued_row_starts_afresh_and_keeps_its_history(kit: Kit) -> None:
    batch_id = await spread(kit)
    which = TaskFilter(batch_id=batch_id, states=frozenset({S.DEAD}))
    assert await kit.store.actions.requeue(which, 1_010.0) == 1
    row = await kit.row(batch_id, 7)
    assert (row.state, row.retries_spent, row.attempt_no, row.note) == (S.PENDING, 0, 1, None)
    assert [c.attempt_no for c in await kit.claim(batch_id) if c.row_no == 7] == [2]
    detail = await kit.store.pages.detail(row.pk)
    assert detail is not None
    assert [a.outcome for a in detail.attempts] == ["transient", "open"]


@pytest.mark.parametrize(
    ("which", "rows"),
    [
        (TaskFilter(states=frozenset({S.FAILED, S.SUCCESS})), [6]),
        (TaskFilter(cause="c5"), [7]),
        (TaskFilter(cause="c2"), []),  # that one is retrying
        (TaskFilter(cause_or_class="c5"), [7]),
        (TaskFilter(cause_or_class="transient"), [6, 7, 8]),
        (TaskFilter(text="prompt 8"), [8]),
        (TaskFilter(text="#9"), [9]),
        (TaskFilter(error_class="transient"), [6, 7, 8]),
        (TaskFilter(pks=(1, 2, 3, 4, 5, 6, 99)), [6, 7]),
        (TaskFilter(pks=()), []),
        (TaskFilter(states=frozenset({S.RUNNING})), []),
    ],
)
async def test_filters_choose(kit: Kit, which: TaskFilter, rows: list[int]) -> None:
    await spread(kit)
    before = {r for (r,) in kit.sql("SELECT row_no FROM task WHERE state = 0")}
    assert await kit.store.actions.requeue(which, 1_010.0) == len(rows)
    after = {r for (r,) in kit.sql("SELECT row_no FROM task WHERE state = 0")}
    assert sorted(after - before) == rows


async def test_s13_s21_twenty_thousand_at_once_and_every_one_that_matches(kit: Kit) -> None:
    rows = [draft(n, lane=f"l{n % 50}") for n in range(2, 30_002)]
    batch_id = await kit.batch(rows)
    with closing(sqlite3.connect(kit.path)) as conn:
        conn.execute("UPDATE task SET state = 1, attempt_id = 1 WHERE row_no % 3 <> 0")
        conn.execute(
            "UPDATE task SET state = 5, error_class = 'transient', error_code = 'x' WHERE state = 1"
        )
        conn.commit()
    assert (await kit.ledger(batch_id)).dead == 20_000
    await kit.store.engine.set_run_state(batch_id, RunState.PAUSED, REASON)
    assert await kit.store.actions.requeue(TaskFilter(batch_id=batch_id, cause="x"), 1.0) == 20_000
    ledger = await kit.ledger(batch_id)
    assert (ledger.pending, ledger.dead, ledger.imported) == (30_000, 0, 30_000)
    heads = "SELECT min(row_no) FROM task WHERE blocked = 0 AND state = 0 GROUP BY lane ORDER BY 1"
    assert [n for (n,) in kit.sql(heads)] == list(range(2, 52))
    assert kit.sql("SELECT count(*) FROM task WHERE blocked = 0") == [(50,)]


async def test_s22_vanished_and_moved_tasks_abort_nothing(kit: Kit) -> None:
    batch_id = await spread(kit)
    pks = (*await kit.pks(batch_id=batch_id), 777, 888)
    which = TaskFilter(pks=pks, states=REQUEUEABLE)
    assert await kit.store.actions.requeue(which, 1.0) == 4
    assert await kit.store.actions.requeue(which, 2.0) == 0


async def test_a_finished_batch_is_open_again(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    await kit.end(await kit.claim_one(batch_id), S.DEAD, ended_at=1_005.0)
    await kit.store.actions.requeue(TaskFilter(batch_id=batch_id), 1_100.0)
    (batch,) = await kit.store.engine.running_batches()
    assert batch.finished_at is None
    await kit.end(await kit.claim_one(batch_id), S.SUCCESS, ended_at=1_103.0)
    (summary,) = await kit.store.pages.batches()
    assert summary.elapsed_s == 8.0  # 5 before, 3 after; the rest between is nobody's


async def test_an_edit_is_a_new_edition_with_a_new_key(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    first, second = await kit.claim(batch_id)
    await kit.end(first, S.FAILED, failure=failure(FailureClass.REFUSED), new_key=True)
    assert await kit.store.actions.edit_and_requeue(first.task_pk, "kinder words", 1_010.0)
    assert not await kit.store.actions.edit_and_requeue(second.task_pk, "no", 1_010.0)
    assert not await kit.store.actions.edit_and_requeue(999, "no", 1_010.0)
    again = await kit.claim_one(batch_id)
    assert again.request.prompt == "kinder words"
    assert again.request.params == first.request.params
    assert (again.edition, again.idempotency_key) == (2, f"{first.task_id}-2-0")
    detail = await kit.store.pages.detail(first.task_pk)
    assert detail is not None
    assert dict(detail.cells)["prompt"] == "prompt 2"  # the sheet's own cell stays


async def test_an_uncertain_row_is_resent_with_its_key(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    first, second = await kit.claim(batch_id)
    await kit.end(first, S.UNCERTAIN)
    await kit.end(second, S.DEAD)
    assert await kit.store.actions.settle_resend(first.task_pk, 1.0)
    assert not await kit.store.actions.settle_resend(first.task_pk, 1.0)
    assert not await kit.store.actions.settle_resend(second.task_pk, 1.0)
    assert (await kit.claim_one(batch_id)).idempotency_key == first.idempotency_key


async def test_an_uncertain_row_is_settled_by_a_word_or_a_file(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    first, second = await kit.claim(batch_id)
    await kit.end(first, S.UNCERTAIN)
    await kit.end(second, S.UNCERTAIN)
    actions = kit.store.actions
    assert await actions.settle_failed(first.task_pk, REASON, 1_010.0)
    assert not await actions.settle_failed(first.task_pk, REASON, 1_010.0)
    assert not await actions.settle_attach(first.task_pk, KEPT, 1_010.0)
    assert await actions.settle_attach(second.task_pk, KEPT, 1_010.0)
    assert not await actions.settle_attach(second.task_pk, KEPT, 1_010.0)
    assert (await kit.row(batch_id, 2)).note == REASON
    assert (await kit.row(batch_id, 3)).output == "/out/0002_sku2.png"
    assert kit.sql("SELECT count(*) FROM result") == [(1,)]


async def test_cancel_ends_what_waits_and_asks_what_runs(kit: Kit) -> None:
    batch_id = await spread(kit)
    assert await kit.store.actions.cancel(TaskFilter(batch_id=batch_id), 1_010.0) == 3
    states = [s for (s,) in kit.sql("SELECT state FROM task ORDER BY id")]
    assert states == [7, 1, 7, 3, 4, 5, 6, 7]
    assert (await kit.row(batch_id, 3)).cancel_requested
    assert await kit.store.actions.cancel(TaskFilter(batch_id=batch_id), 1_011.0) == 0


async def test_a_waiting_row_is_set_aside_with_its_reason(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    claim = await kit.claim_one(batch_id)
    pk = (await kit.row(batch_id, 3)).pk
    assert await kit.store.engine.fail_pending(pk, REASON, "too_big")
    assert not await kit.store.engine.fail_pending(pk, REASON, "too_big")
    assert not await kit.store.engine.fail_pending(claim.task_pk, REASON, "too_big")
    row = await kit.row(batch_id, 3)
    assert (row.state, row.error_class, row.note) == (S.FAILED, "invalid", REASON)
    ledger = await kit.ledger(batch_id)
    assert (ledger.failed, ledger.attempts) == (1, 1)  # nothing was sent for it
    await kit.store.actions.requeue(TaskFilter(pks=(pk,)), 1_010.0)
    assert row_nos(await kit.claim(batch_id)) == [3]


async def test_pks_of_several_batches_are_one_request(kit: Kit) -> None:
    one, two = await kit.batch(1), await kit.batch(1)
    for batch_id in (one, two):
        await kit.end(await kit.claim_one(batch_id), S.DEAD)
    which = TaskFilter(pks=(*await kit.pks(batch_id=one), *await kit.pks(batch_id=two)))
    assert await kit.store.actions.requeue(which, 1.0) == 2
    assert kit.changes[-2:] == [(one, ()), (two, ())]


async def test_a_row_that_was_no_request_is_sent_only_with_another_prompt(kit: Kit) -> None:
    bad = draft(3, request=None, problem=message("ingest.no_prompt", row=3))
    batch_id = await kit.batch([draft(2), bad])
    which = TaskFilter(batch_id=batch_id)
    assert await kit.store.actions.requeue(which, 1_001.0) == 0
    (group,) = await kit.store.pages.dead_groups(batch_id)
    assert group.advice == message("store.advice_unusable")
    (pk,) = group.sample
    assert await kit.store.actions.edit_and_requeue(pk, "a red shoe", 1_002.0)
    claims = await kit.claim(batch_id)
    assert [claim.request.prompt for claim in claims] == ["prompt 2", "a red shoe"]
    await kit.end(claims[1], S.FAILED, failure=failure())
    assert await kit.store.actions.requeue(which, 1_003.0) == 1


async def test_a_new_cap_of_calls_is_stored(kit: Kit) -> None:
    batch_id = await kit.batch(3, max_calls=2)
    for most in (5, None):
        await kit.store.engine.set_max_calls(batch_id, most)
        batch = await kit.store.engine.batch(batch_id)
        assert batch is not None
        assert batch.max_calls == most
