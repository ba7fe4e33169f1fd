"""One conditional update ends an attempt; counters, waits, money and history go with it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.errors import FailureClass, WaitHint
from desktop_app.domain.money import Money
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from tests.store.store_kit import CENT, Kit, ending, failure

S = TaskState


async def test_a_success_keeps_its_result(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    done = await kit.end(claim, S.SUCCESS, cost=CENT, currency="USD", latency_s=4.5)
    assert (done.applied, done.state) == (True, S.SUCCESS)
    row = await kit.row(batch_id, 2)
    assert (row.output, row.cost, row.elapsed_s) == ("/out/0002_sku2.png", "0.04 USD", 4.5)
    assert kit.changes[-1] == (batch_id, (claim.task_pk,))


async def test_s17_a_doubled_result_changes_nothing(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await kit.end(claim, S.SUCCESS, cost=CENT, currency="USD")
    before = kit.sql("SELECT * FROM task"), kit.sql("SELECT * FROM attempt")
    again = await kit.end(claim, S.FAILED, failure=failure())
    assert (again.applied, again.state) == (False, S.SUCCESS)
    assert (kit.sql("SELECT * FROM task"), kit.sql("SELECT * FROM attempt")) == before
    assert kit.sql("SELECT nano FROM spent") == [(40_000_000,)]


@pytest.mark.parametrize("miss", ["rev", "attempt_pk"])
async def test_a_late_success_is_history_only(kit: Kit, miss: str) -> None:
    batch_id = await kit.batch(1)
    old = await kit.claim_one(batch_id)
    await kit.end(old, S.PENDING, outcome=Outcome.NOT_SENT)
    new = await kit.claim_one(batch_id)
    late = ending(new, S.SUCCESS)
    late = replace(late, **{miss: getattr(old, miss)})
    result = await kit.store.engine.finish(late)
    assert (result.applied, result.state) == (False, S.RUNNING)
    assert kit.sql("SELECT state, result_id, attempt_id FROM task") == [(1, None, new.attempt_pk)]
    assert kit.sql("SELECT attempt_id FROM result") == [(late.attempt_pk,)]
    expected = "success" if late.attempt_pk == new.attempt_pk else "not_sent"
    sql = "SELECT outcome FROM attempt WHERE id = ?"
    assert kit.sql(sql, late.attempt_pk) == [(expected,)]


async def test_counters_rise_as_told_and_the_wait_is_kept(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await kit.end(
        claim,
        S.RETRYING,
        spend_retry=True,
        spend_timeout=True,
        count_throttled=True,
        new_key=True,
        due_at=1_012.0,
        delay_s=7.0,
        failure=failure(wait=WaitHint(3.0)),
    )
    columns = "state, retries_spent, timeouts, throttled, key_seq, due_at, delay_s, error_code"
    assert kit.sql(f"SELECT {columns} FROM task") == [(2, 1, 1, 1, 1, 1_012.0, 7.0, "http_500")]
    kit.clock.at = 1_012.0
    again = await kit.claim_one(batch_id)
    assert again.idempotency_key == f"{claim.task_id}-1-1"
    assert (again.retries_spent, again.timeouts, again.throttled) == (1, 1, 1)


async def test_without_a_known_failure_the_key_stays(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await kit.end(claim, S.PENDING, outcome=Outcome.UNKNOWN)
    assert (await kit.claim_one(batch_id)).idempotency_key == claim.idempotency_key


@pytest.mark.parametrize("to", [S.PENDING, S.RETRYING])
async def test_a_cancelled_row_that_would_wait_ends_cancelled(kit: Kit, to: S) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    assert await kit.store.actions.cancel(TaskFilter(batch_id=batch_id), 1_001.0) == 1
    assert await kit.store.engine.cancel_requested(claim.task_pk)
    done = await kit.end(claim, to, outcome=Outcome.NOT_SENT)
    assert (done.applied, done.state, done.cancel_requested) == (True, S.CANCELLED, True)
    assert (await kit.ledger(batch_id)).cancelled == 1
    assert not await kit.store.engine.cancel_requested(claim.task_pk)


async def test_a_paid_result_is_kept_although_cancel_was_asked(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await kit.store.actions.cancel(TaskFilter(batch_id=batch_id), 1_001.0)
    done = await kit.end(claim, S.SUCCESS)
    assert (done.state, done.cancel_requested) == (S.SUCCESS, True)


async def test_the_last_row_finishes_the_batch_and_its_clock(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    first, second = await kit.claim(batch_id)
    await kit.end(first, S.SUCCESS, ended_at=1_004.0)
    summary = await kit.store.pages.batch_summary(batch_id)
    assert summary is not None
    assert summary.batch.finished_at is None
    await kit.end(second, S.DEAD, ended_at=1_009.0)
    kit.clock.at = 5_000.0
    summary = await kit.store.pages.batch_summary(batch_id)
    assert summary is not None
    assert (summary.batch.finished_at, summary.elapsed_s) == (1_009.0, 9.0)
    assert await kit.store.pages.unfinished_newest() is None


async def test_a_dead_letter_without_a_failure_still_has_a_cause(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    await kit.end(await kit.claim_one(batch_id), S.UNCERTAIN, outcome=Outcome.UNKNOWN)
    row = await kit.row(batch_id, 2)
    assert row.error_class == FailureClass.UNKNOWN
    assert row.note is not None


async def test_money_adds_up_exactly_per_currency(kit: Kit) -> None:
    batch_id = await kit.batch(5)
    costs = [("0.1", "USD"), ("0.2", "USD"), ("0.0000615", "USD"), ("1.30", "CNY"), (None, None)]
    for claim, (amount, currency) in zip(await kit.claim(batch_id), costs, strict=True):
        cost = None if amount is None else Decimal(amount)
        await kit.end(claim, S.SUCCESS, cost=cost, currency=currency)
    (summary,) = await kit.store.pages.batches()
    assert summary.spent == (
        Money(Decimal("1.3"), "CNY"),
        Money(Decimal("0.3000615"), "USD"),
    )
    assert summary.unpriced_calls == 1
    assert (await kit.row(batch_id, 6)).cost is None


async def test_what_was_known_not_billed_is_not_spent(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await kit.end(claim, S.FAILED, cost=CENT, currency="USD", billed=Billed.NO)
    (summary,) = await kit.store.pages.batches()
    assert summary.spent == ()
    assert (await kit.row(batch_id, 2)).cost is None


async def test_attempts_that_were_not_sent_are_not_counted(kit: Kit) -> None:
    batch_id = await kit.batch(4)
    ends = [
        (Outcome.NOT_SENT, None),
        (Outcome.OFFLINE, failure(FailureClass.OFFLINE, "dns", sent=False)),
        (Outcome.THROTTLED, failure(FailureClass.THROTTLED, "rate")),
        (Outcome.UNKNOWN, None),
    ]
    for claim, (outcome, why) in zip(await kit.claim(batch_id), ends, strict=True):
        await kit.end(claim, S.PENDING, outcome=outcome, failure=why)
    ledger = await kit.ledger(batch_id)
    assert (ledger.attempts, ledger.throttled, ledger.pending) == (2, 1, 4)


async def test_a_completion_that_ends_nothing_is_refused(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    with pytest.raises(ValueError, match="ends"):
        await kit.store.engine.finish(ending(claim, S.RUNNING))
    with pytest.raises(ValueError, match="keeps"):
        await kit.store.engine.finish(ending(claim, S.SUCCESS, kept=None))
    assert kit.sql("SELECT outcome FROM attempt") == [("open",)]
