"""An answer that comes late is paid, so it is kept; and it wins while nothing newer has."""

from __future__ import annotations

import pytest

from desktop_app.domain.attempt import Billed, Claim, Outcome
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.verdict import POISON
from desktop_app.domain.views import TaskFilter
from desktop_app.store.tasks.finish import finish_all
from tests.store.store_kit import CENT, REASON, Kit, ending, failure

S = TaskState


async def given_up(kit: Kit, to: TaskState) -> tuple[int, Claim]:
    """A call whose outcome was called unknown though its answer is still to come."""
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await kit.end(claim, to, outcome=Outcome.UNKNOWN, failure=failure(), due_at=1_010.0)
    return batch_id, claim


@pytest.mark.parametrize("to", [S.RETRYING, S.UNCERTAIN, S.PENDING, S.DEAD])
async def test_it_wins_while_nothing_newer_was_sent(kit: Kit, to: TaskState) -> None:
    batch_id, claim = await given_up(kit, to)
    late = await kit.end(claim, S.SUCCESS, cost=CENT, currency="USD")
    assert (late.applied, late.state) == (True, S.SUCCESS)
    kit.clock.at = 2_000.0
    assert await kit.claim(batch_id) == []
    assert kit.sql("SELECT outcome, billed, error_code FROM attempt") == [("success", "yes", None)]
    assert kit.sql("SELECT nano FROM spent") == [(40_000_000,)]
    ledger = await kit.ledger(batch_id)
    assert (ledger.success, ledger.imported, ledger.attempts) == (1, 1, 1)


async def test_requeued_by_a_person_but_not_sent_it_wins_too(kit: Kit) -> None:
    batch_id, claim = await given_up(kit, S.UNCERTAIN)
    await kit.store.actions.requeue(TaskFilter(batch_id=batch_id), 1_020.0)
    assert (await kit.end(claim, S.SUCCESS)).applied
    assert (await kit.ledger(batch_id)).success == 1


async def test_when_the_newer_attempt_was_sent_both_are_kept_as_a_possible_double_charge(
    kit: Kit,
) -> None:
    batch_id, old = await given_up(kit, S.PENDING)
    kit.clock.at = 2_000.0
    new = await kit.claim_one(batch_id)
    assert not (await kit.end(old, S.SUCCESS)).applied
    assert (await kit.end(new, S.SUCCESS)).applied
    results = kit.sql("SELECT attempt_id FROM result ORDER BY attempt_id")
    assert results == [(old.attempt_pk,), (new.attempt_pk,)]
    [(winner,)] = kit.sql("SELECT r.attempt_id FROM task t JOIN result r ON r.id = t.result_id")
    assert winner == new.attempt_pk
    assert kit.sql("SELECT maybe_double FROM calls") == [(1,)]


@pytest.mark.parametrize(
    ("to", "outcome"),
    [
        (S.PENDING, Outcome.NOT_SENT),
        (S.RETRYING, Outcome.TRANSIENT),
        (S.UNCERTAIN, Outcome.UNKNOWN),
        (S.DEAD, Outcome.TRANSIENT),
        (S.FAILED, Outcome.REFUSED),
    ],
)
async def test_the_newer_attempt_that_brings_nothing_leaves_the_late_result(
    kit: Kit, to: TaskState, outcome: Outcome
) -> None:
    batch_id, old = await given_up(kit, S.PENDING)
    kit.clock.at = 2_000.0
    new = await kit.claim_one(batch_id)
    assert (await kit.end(old, S.SUCCESS)).state is S.RUNNING
    ended = await kit.end(new, to, outcome=outcome)
    assert (ended.applied, ended.state) == (True, S.SUCCESS)
    assert (await kit.ledger(batch_id)).success == 1


async def test_it_wins_though_the_row_was_refused_when_it_was_sent_once_more(kit: Kit) -> None:
    batch_id, old = await given_up(kit, S.PENDING)
    kit.clock.at = 2_000.0
    new = await kit.claim_one(batch_id)
    refused = failure(FailureClass.REFUSED, "moderated")
    await kit.end(new, S.FAILED, outcome=Outcome.REFUSED, failure=refused, billed=Billed.NO)
    late = await kit.end(old, S.SUCCESS)
    assert (late.applied, late.state) == (True, S.SUCCESS)
    assert (await kit.ledger(batch_id)).success == 1


async def test_it_is_history_where_a_person_has_decided_or_the_row_was_changed(kit: Kit) -> None:
    _, failed = await given_up(kit, S.UNCERTAIN)
    await kit.store.actions.settle_failed(failed.task_pk, REASON, 1_020.0)
    assert not (await kit.end(failed, S.SUCCESS)).applied
    assert kit.sql("SELECT count(*) FROM result") == [(1,)]
    batch_id, changed = await given_up(kit, S.UNCERTAIN)
    await kit.store.actions.edit_and_requeue(changed.task_pk, "another", 1_020.0)
    assert not (await kit.end(changed, S.SUCCESS)).applied
    again = await kit.claim_one(batch_id)
    ended = await kit.end(again, S.DEAD, failure=failure())
    assert ended.state is S.DEAD
    assert not (await kit.end(changed, S.SUCCESS)).applied


@pytest.mark.parametrize("to", [S.DEAD, S.FAILED])
async def test_rows_that_end_together_keep_what_came_late(kit: Kit, to: TaskState) -> None:
    batch_id = await kit.batch(2)
    olds = await kit.claim(batch_id)
    for old in olds:
        await kit.end(old, S.RETRYING, outcome=Outcome.UNKNOWN)
    kit.clock.at = 2_000.0
    news = await kit.claim(batch_id)
    assert not (await kit.end(olds[0], S.SUCCESS)).applied
    ends = [ending(new, to, failure=failure()) for new in news]
    together = await kit.store.engine._writer.do(  # type: ignore[attr-defined]
        lambda txn: finish_all(txn, ends)
    )
    assert [each.state for each in together] == [S.SUCCESS, to]


async def test_an_answer_to_a_call_that_was_said_never_to_have_arrived_is_paid_all_the_same(
    kit: Kit,
) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    never = failure(FailureClass.OFFLINE, "not_arrived", sent=False, billed=False)
    await kit.end(claim, S.PENDING, outcome=Outcome.OFFLINE, billed=Billed.NO, failure=never)
    assert (await kit.end(claim, S.SUCCESS, cost=CENT, currency="USD")).state is S.SUCCESS
    assert kit.sql("SELECT outcome, sent, billed FROM attempt") == [("success", 1, "yes")]
    assert kit.sql("SELECT attempts FROM calls") == [(1,)]


@pytest.mark.parametrize("to", [S.RETRYING, S.PENDING, S.UNCERTAIN])
async def test_one_that_ends_the_program_is_set_aside_and_not_bought_again(
    kit: Kit, to: TaskState
) -> None:
    batch_id, claim = await given_up(kit, to)
    said = message("engine.poison")
    poison = Failure(FailureClass.UNKNOWN, POISON, said, billed=True)
    await kit.end(claim, S.FAILED, outcome=Outcome.UNKNOWN, failure=poison, billed=Billed.YES)
    assert kit.sql("SELECT error_code, billed FROM attempt WHERE id = ?", claim.attempt_pk) == [
        (POISON, "yes")
    ]
    row = await kit.row(batch_id, 2)
    assert row.state is (S.UNCERTAIN if to is S.UNCERTAIN else S.FAILED)
    assert (row.note == said) is (to is not S.UNCERTAIN)
