"""A job that becomes known after its attempt was given up: its row follows it, in the very commit
that stores it or that ends a newer attempt, and is sent by nobody beside it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from desktop_app.domain.attempt import Billed, Claim, Orphan, Outcome
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.jobs import Job
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.text import message
from desktop_app.domain.verdict import POISON
from desktop_app.domain.views import TaskFilter
from tests.store.store_kit import CENT, Kit, ending, failure
from tests.store.tasks.test_jobs import JOB, in_doubt

S = TaskState
REFUSED = failure(FailureClass.REFUSED, "moderated")
INVALID = failure(FailureClass.INVALID, "bad_size")


async def ends_badly(kit: Kit, claim: Claim, why: Failure) -> Any:
    """The provider has said for certain that nothing comes of this call."""
    outcome = Outcome(why.kind.value)
    return await kit.end(claim, S.FAILED, outcome=outcome, failure=why, billed=Billed.NO)


async def sent_again(kit: Kit, batch_id: int) -> tuple[Claim, Claim]:
    """A row's attempt that was given up, and the newer one that is under way."""
    old = await kit.claim_one(batch_id)
    await in_doubt(kit, old, S.RETRYING)
    kit.clock.at += 3600
    return old, await kit.claim_one(batch_id)


async def follows(kit: Kit, orphan: Orphan | None, claim: Claim) -> None:
    """The row runs with this attempt and its job, and can't be claimed."""
    assert orphan is not None
    assert (orphan.job, orphan.claim.attempt_pk) == (Job(JOB.id, JOB.context), claim.attempt_pk)
    row = await kit.row(claim.batch_id, claim.row_no)
    assert row.state is S.RUNNING
    assert row.note == message("store.job_runs", job=JOB.id)
    kit.clock.at += 3600
    assert await kit.store.engine.claim(claim.batch_id, 1, kit.clock.at) == []
    assert kit.sql("SELECT id FROM attempt WHERE outcome = 'open'") == [(claim.attempt_pk,)]
    assert [found.claim for found in await kit.store.engine.orphans()] == [orphan.claim]


@pytest.mark.parametrize("waits", [S.PENDING, S.RETRYING, S.DEAD, S.UNCERTAIN])
async def test_the_row_follows_it_in_the_commit_that_stores_it(kit: Kit, waits: S) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    await in_doubt(kit, claim, waits)
    standing = await kit.store.engine.standing(claim.attempt_pk)
    assert standing is not None
    assert standing.is_in_doubt
    orphan = await kit.store.engine.job_taken(claim.attempt_pk, JOB)
    await follows(kit, orphan, claim)
    assert orphan is not None
    assert orphan.held is (waits in DEAD_LETTERS)
    assert await kit.store.engine.job_taken(claim.attempt_pk, JOB) is None  # it runs already
    await kit.end(orphan.claim, S.SUCCESS, cost=CENT, currency="USD")
    assert kit.sql("SELECT attempts, maybe_double FROM calls") == [(1, 0)]


@pytest.mark.parametrize("rests", [S.SUCCESS, S.CANCELLED])
async def test_a_row_that_is_settled_stays_as_it_is(kit: Kit, rests: S) -> None:
    old, new = await sent_again(kit, await kit.batch(1))
    await kit.end(new, rests)
    assert await kit.store.engine.job_taken(old.attempt_pk, JOB) is None
    assert (await kit.row(old.batch_id, 2)).state is rests
    standing = await kit.store.engine.standing(old.attempt_pk)
    assert standing is not None
    assert not standing.is_in_doubt
    assert not standing.is_overtaken


async def test_a_row_that_was_changed_since_is_another_request(kit: Kit) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    await in_doubt(kit, claim)
    await kit.store.actions.edit_and_requeue(claim.task_pk, "another prompt", kit.clock.at)
    assert await kit.store.engine.job_taken(claim.attempt_pk, JOB) is None
    assert (await kit.row(claim.batch_id, 2)).state is S.PENDING


async def test_a_job_that_was_followed_to_its_end_is_no_news(kit: Kit) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    await kit.store.engine.job_taken(claim.attempt_pk, JOB)
    why = failure(FailureClass.UNKNOWN, "job_lost")
    await kit.end(claim, S.RETRYING, outcome=Outcome.UNKNOWN, failure=why)
    assert await kit.store.engine.job_taken(claim.attempt_pk, JOB) is None
    assert (await kit.row(claim.batch_id, 2)).state is S.RETRYING
    # But who calls about it knows more than whoever lost it.
    assert await kit.store.engine.reopen(claim.task_pk) is not None


async def test_a_provider_that_named_a_job_has_received_the_call_whatever_it_said(kit: Kit) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    never = failure(FailureClass.OFFLINE, "not_arrived", sent=False, billed=False)
    await kit.end(claim, S.PENDING, outcome=Outcome.OFFLINE, billed=Billed.NO, failure=never)
    assert kit.sql("SELECT attempts FROM calls") == [(0,)]
    await follows(kit, await kit.store.engine.job_taken(claim.attempt_pk, JOB), claim)
    assert kit.sql("SELECT attempts FROM calls") == [(1,)]


@pytest.mark.parametrize("why", [REFUSED, INVALID])
async def test_the_job_of_an_earlier_call_is_followed_though_a_newer_one_was_refused(
    kit: Kit, why: Failure
) -> None:
    old, new = await sent_again(kit, await kit.batch(1))
    await ends_badly(kit, new, why)
    standing = await kit.store.engine.standing(old.attempt_pk)
    assert standing is not None
    assert standing.is_in_doubt
    orphan = await kit.store.engine.job_taken(old.attempt_pk, JOB)
    await follows(kit, orphan, old)
    assert orphan is not None
    assert (await kit.end(orphan.claim, S.SUCCESS)).state is S.SUCCESS


async def test_a_call_that_was_refused_is_followed_where_its_provider_names_a_job_for_it(
    kit: Kit,
) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    await ends_badly(kit, claim, INVALID)
    await follows(kit, await kit.store.engine.job_taken(claim.attempt_pk, JOB), claim)


async def test_what_a_person_has_called_failed_stays_so(kit: Kit) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    await in_doubt(kit, claim)
    await kit.store.actions.settle_failed(claim.task_pk, message("fake.gone"), kit.clock.at)
    standing = await kit.store.engine.standing(claim.attempt_pk)
    assert standing is not None
    assert not standing.is_in_doubt
    assert await kit.store.engine.job_taken(claim.attempt_pk, JOB) is None
    assert (await kit.row(claim.batch_id, 2)).state is S.FAILED


async def test_a_row_that_ended_the_program_is_not_looked_into_by_way_of_its_job(kit: Kit) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    why = failure(FailureClass.INVALID, POISON)
    await kit.end(claim, S.FAILED, outcome=Outcome.UNKNOWN, failure=why)
    assert await kit.store.engine.job_taken(claim.attempt_pk, JOB) is None
    assert (await kit.row(claim.batch_id, 2)).state is S.FAILED


@pytest.mark.parametrize("to", [S.PENDING, S.RETRYING, S.DEAD, S.UNCERTAIN, S.CANCELLED, S.FAILED])
async def test_it_waits_for_the_end_of_a_newer_attempt_which_decides_nothing(
    kit: Kit, to: S
) -> None:
    batch_id = await kit.batch(1)
    old, new = await sent_again(kit, batch_id)
    standing = await kit.store.engine.standing(old.attempt_pk)
    assert standing is not None
    assert standing.is_overtaken
    assert not standing.is_in_doubt
    assert await kit.store.engine.job_taken(old.attempt_pk, JOB) is None
    [said] = kit.sql("SELECT error_code, billed FROM attempt WHERE id = ?", old.attempt_pk)
    assert said == ("job_named", "maybe")
    unknown = Outcome.UNKNOWN if to is S.UNCERTAIN else Outcome.TRANSIENT
    why = REFUSED if to is S.FAILED else failure()
    done = await kit.end(new, to, outcome=unknown, failure=why, spend_retry=to is S.RETRYING)
    assert (done.applied, done.state) == (True, S.RUNNING)
    await follows(kit, done.goes_on, old)
    assert done.goes_on.claim.retries_spent == (to is S.RETRYING)
    assert (await kit.end(done.goes_on.claim, S.SUCCESS)).state is S.SUCCESS
    assert (await kit.ledger(batch_id)).success == 1


async def test_a_newer_attempt_that_brings_a_result_settles_the_row(kit: Kit) -> None:
    old, new = await sent_again(kit, await kit.batch(1))
    await kit.store.engine.job_taken(old.attempt_pk, JOB)
    done = await kit.end(new, S.SUCCESS)
    assert (done.state, done.goes_on) == (S.SUCCESS, None)
    # What it cost nobody knows: it is told as a second bill.
    assert kit.sql("SELECT maybe_double FROM calls") == [(1,)]


async def test_of_several_that_end_together_each_follows_its_earlier_job(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    olds = await kit.claim(batch_id)
    for old in olds:
        await in_doubt(kit, old, S.RETRYING)
    kit.clock.at += 3600
    news = await kit.claim(batch_id)
    await kit.store.engine.job_taken(olds[1].attempt_pk, JOB)
    ends = [
        ending(new, S.FAILED, Outcome.REFUSED, failure=REFUSED, billed=Billed.NO) for new in news
    ]
    results = await asyncio.gather(*(kit.store.engine.finish(end) for end in ends))
    assert [result.state for result in results] == [S.FAILED, S.RUNNING, S.FAILED]
    await follows(kit, results[1].goes_on, olds[1])


async def test_a_job_that_is_called_about_while_its_row_was_sent_again_is_asked_once_more(
    kit: Kit,
) -> None:
    old = await kit.claim_one(await kit.batch(1))
    await kit.store.engine.job_taken(old.attempt_pk, JOB)
    why = failure(FailureClass.UNKNOWN, "job_lost")
    await kit.end(old, S.RETRYING, outcome=Outcome.UNKNOWN, failure=why)
    kit.clock.at += 3600
    new = await kit.claim_one(old.batch_id)
    await kit.store.engine.called(old.attempt_pk)
    done = await ends_badly(kit, new, REFUSED)
    await follows(kit, done.goes_on, old)
    await kit.store.engine.called(old.attempt_pk)  # it is open again: nothing to do
    await follows(kit, done.goes_on, old)
    await kit.store.engine.called(99)


async def test_its_end_is_asked_for_once(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    old, new = await sent_again(kit, batch_id)
    await kit.store.engine.job_taken(old.attempt_pk, JOB)
    done = await kit.end(new, S.RETRYING)
    lost = failure(FailureClass.UNKNOWN, "job_lost")
    await kit.end(done.goes_on.claim, S.RETRYING, outcome=Outcome.UNKNOWN, failure=lost)
    third = await kit.claim_one(batch_id)
    assert (await kit.end(third, S.RETRYING)).state is S.RETRYING


async def test_two_attempts_that_are_one_job_are_asked_about_once(kit: Kit) -> None:
    old, new = await sent_again(kit, await kit.batch(1))
    await kit.store.engine.job_taken(old.attempt_pk, JOB)
    await kit.store.engine.job_taken(new.attempt_pk, JOB)  # its key is honoured
    assert (await kit.end(new, S.RETRYING)).state is S.RETRYING


async def test_a_cancel_of_the_newer_attempt_holds_for_the_job_too(kit: Kit) -> None:
    old, new = await sent_again(kit, await kit.batch(1))
    await kit.store.engine.job_taken(old.attempt_pk, JOB)
    await kit.store.actions.cancel(TaskFilter(pks=(old.task_pk,)), kit.clock.at)
    done = await kit.end(new, S.RETRYING)
    await follows(kit, done.goes_on, old)
    assert await kit.store.engine.cancel_requested(old.task_pk)
