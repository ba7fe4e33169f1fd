"""A job's id outlasts the program; what may have been billed can be asked about again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from desktop_app.domain.attempt import Billed, Claim, Outcome
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.jobs import Job
from desktop_app.domain.ports.engine_store import Standing
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import TaskFilter
from desktop_app.store.store import Store
from tests.store.store_kit import CENT, Kit, failure

S = TaskState
JOB = Job("job-1", {"status_url": "https://fake.test/jobs/1", "n": 2}, hint_s=3.0)


async def in_doubt(kit: Kit, claim: Claim, to: TaskState = S.UNCERTAIN) -> None:
    why = failure(FailureClass.UNKNOWN, "read_timeout")
    await kit.end(claim, to, outcome=Outcome.UNKNOWN, failure=why)


async def test_a_job_is_found_again_with_all_that_its_adapter_needs(kit: Kit) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    await kit.store.engine.job_taken(claim.attempt_pk, JOB)
    [orphan] = await kit.store.engine.orphans()
    assert orphan.job == Job("job-1", JOB.context)
    assert orphan.claim == claim


async def test_a_running_row_says_that_the_provider_works_on_it(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    assert (await kit.row(batch_id, 2)).note is None
    kit.changes.clear()
    await kit.store.engine.job_taken(claim.attempt_pk, JOB)
    assert kit.changes == [(batch_id, (claim.task_pk,))]
    assert (await kit.row(batch_id, 2)).note == message("store.job_runs", job="job-1")
    await kit.end(claim, S.SUCCESS)
    assert (await kit.row(batch_id, 2)).note is None
    detail = await kit.store.pages.detail(claim.task_pk)
    assert detail is not None
    assert detail.attempts[0].job_id == "job-1"


async def test_a_job_of_a_batch_that_was_removed_is_no_trouble(kit: Kit) -> None:
    await kit.store.engine.job_taken(99, JOB)


async def test_an_attempt_stands_in_doubt_only_while_its_row_is_uncertain_for_it(kit: Kit) -> None:
    assert await kit.store.engine.standing(99) is None
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    key, connection_id = claim.idempotency_key, batch.connection_id
    going_on = Standing(claim.task_pk, key, connection_id, None, False, is_open=True)
    assert await kit.store.engine.standing(claim.attempt_pk) == going_on
    await kit.store.engine.job_taken(claim.attempt_pk, JOB)
    await in_doubt(kit, claim)
    in_question = Standing(claim.task_pk, key, connection_id, JOB.id, True)
    assert await kit.store.engine.standing(claim.attempt_pk) == in_question
    await kit.store.actions.edit_and_requeue(claim.task_pk, "another prompt", kit.clock.at)
    superseded = await kit.store.engine.standing(claim.attempt_pk)
    assert superseded is not None
    assert not superseded.is_in_doubt


async def test_what_a_call_says_of_a_job_does_not_replace_what_was_answered(kit: Kit) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    await kit.store.engine.job_taken(claim.attempt_pk, JOB)
    await kit.store.engine.job_taken(claim.attempt_pk, Job(JOB.id))
    [orphan] = await kit.store.engine.orphans()
    assert orphan.job == Job(JOB.id, JOB.context)
    await kit.store.engine.job_taken(claim.attempt_pk, Job("another"))
    [orphan] = await kit.store.engine.orphans()
    assert orphan.job == Job("another")


async def test_asked_again_it_runs_on_its_old_attempt_and_is_settled_like_any_other(
    kit: Kit,
) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await kit.store.engine.job_taken(claim.attempt_pk, JOB)
    await in_doubt(kit, claim)
    orphan = await kit.store.engine.reopen(claim.task_pk)
    assert orphan is not None
    assert (orphan.job, orphan.begun) == (Job("job-1", JOB.context), True)
    assert orphan.claim.attempt_pk == claim.attempt_pk
    row = await kit.row(batch_id, 2)
    assert (row.state, row.attempt_no) == (S.RUNNING, 1)
    assert not (await kit.end(claim, S.FAILED)).applied  # the old flight's word is history
    assert kit.sql("SELECT outcome FROM attempt") == [("transient",)]


async def test_what_it_costs_is_counted_once_and_the_ledger_adds_up(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await in_doubt(kit, claim)
    orphan = await kit.store.engine.reopen(claim.task_pk)
    assert orphan is not None
    done = await kit.end(orphan.claim, S.SUCCESS, cost=CENT, currency="USD")
    assert (done.applied, done.state) == (True, S.SUCCESS)
    assert kit.sql("SELECT nano FROM spent") == [(40_000_000,)]
    assert kit.sql("SELECT attempts, maybe_double FROM calls") == [(1, 0)]
    assert (await kit.ledger(batch_id)).success == 1


async def test_only_what_is_uncertain_and_in_doubt_can_be_asked_about(kit: Kit) -> None:
    engine = kit.store.engine
    batch_id = await kit.batch(2)
    first, second = await kit.claim(batch_id)
    assert await engine.reopen(first.task_pk) is None
    await kit.end(first, S.DEAD)
    assert await engine.reopen(first.task_pk) is None
    await kit.end(
        second, S.UNCERTAIN, outcome=Outcome.NOT_SENT, billed=Billed.NO, failure=failure()
    )
    assert await engine.reopen(second.task_pk) is None
    assert await engine.reopen(999) is None


async def test_the_attempt_with_a_job_is_asked_about_before_a_newer_one_without(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    old = await kit.claim_one(batch_id)
    await kit.store.engine.job_taken(old.attempt_pk, JOB)
    await in_doubt(kit, old)
    await kit.store.actions.settle_resend(old.task_pk, 1_010.0)
    new = await kit.claim_one(batch_id)
    await in_doubt(kit, new)
    orphan = await kit.store.engine.reopen(old.task_pk)
    assert orphan is not None
    assert orphan.claim.attempt_pk == old.attempt_pk


async def test_killed_while_asked_about_it_never_counts_as_unsent(
    kit: Kit, opened: Callable[..., Awaitable[Store]]
) -> None:
    assert await kit.store.engine.orphans() == []  # from here on a missing mark means unsent
    claim = await kit.claim_one(await kit.batch(1))
    await in_doubt(kit, claim)
    assert await kit.store.engine.reopen(claim.task_pk) is not None
    [orphan] = await (await opened(boot_id="boot-1")).engine.orphans()
    assert orphan.begun


async def test_a_job_done_after_a_person_gave_the_row_up_is_history(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await in_doubt(kit, claim)
    await kit.store.actions.settle_failed(claim.task_pk, message("fake.gone"), 1_010.0)
    late = await kit.end(claim, S.SUCCESS, cost=CENT, currency="USD")
    assert (late.applied, late.state) == (False, S.FAILED)
    assert kit.sql("SELECT count(*) FROM result") == [(1,)]
    assert kit.sql("SELECT nano FROM spent") == [(40_000_000,)]
    assert (await kit.ledger(batch_id)).failed == 1


async def test_a_claim_tells_since_when_its_key_is_known(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    first = await kit.claim_one(batch_id)
    assert first.key_since is None
    await in_doubt(kit, first, S.RETRYING)
    kit.clock.at = 2_000.0
    second = await kit.claim_one(batch_id)
    assert (second.idempotency_key, second.key_since) == (first.idempotency_key, 1_000.0)
    [orphan] = await kit.store.engine.orphans()
    assert orphan.claim == second
    await kit.end(second, S.PENDING, outcome=Outcome.NOT_SENT, billed=Billed.NO)
    kit.clock.at = 3_000.0
    assert (await kit.claim_one(batch_id)).key_since == 1_000.0


async def test_a_key_that_cost_nothing_or_is_new_is_known_to_nobody(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await kit.end(claim, S.PENDING, outcome=Outcome.THROTTLED, billed=Billed.NO)
    claim = await kit.claim_one(batch_id)
    assert claim.key_since is None
    await in_doubt(kit, claim)
    await kit.store.actions.edit_and_requeue(claim.task_pk, "another", 1_010.0)
    assert (await kit.claim_one(batch_id)).key_since is None
    assert await kit.store.pages.count(TaskFilter(batch_id=batch_id)) == 1
