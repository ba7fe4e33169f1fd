"""What the newest call of a row came to stands, where an earlier one that is followed after all
brings nothing: a refusal is not sent again, and a call that may have been billed not forgotten."""

from __future__ import annotations

import pytest

from desktop_app.domain.attempt import Billed, Claim, Outcome
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import FinishResult
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from tests.store.store_kit import Kit, failure
from tests.store.tasks.test_jobs import JOB, in_doubt
from tests.store.tasks.test_named_jobs import REFUSED, ends_badly, sent_again

S = TaskState

TIMED_OUT = failure(FailureClass.UNKNOWN, "read_timeout")
LOST = failure(FailureClass.UNKNOWN, "job_lost")
BROKE = failure(FailureClass.TRANSIENT, "job_failed")
SLOW = failure(FailureClass.THROTTLED, "http_429")
BAD = failure(FailureClass.INVALID, "bad_prompt")


async def followed(kit: Kit, newest: S, *, named: str) -> Claim:
    """A row whose newest call came to this, and that follows the job of an earlier one."""
    old, new = await sent_again(kit, await kit.batch(1))
    if named == "before":
        await kit.store.engine.job_taken(old.attempt_pk, JOB)
    if newest is S.FAILED:
        done = await ends_badly(kit, new, REFUSED)
    else:
        outcome = Outcome.UNKNOWN if newest is S.UNCERTAIN else Outcome.TRANSIENT
        why = TIMED_OUT if newest is S.UNCERTAIN else BROKE
        done = await kit.end(new, newest, outcome=outcome, failure=why, spend_retry=True)
    orphan = done.goes_on
    if named == "after":
        orphan = await kit.store.engine.job_taken(old.attempt_pk, JOB)
    assert orphan.claim.attempt_pk == old.attempt_pk
    claim: Claim = orphan.claim
    return claim


async def cause(kit: Kit) -> tuple[S, str | None, str | None]:
    """Of the one row."""
    [(state, kind, code)] = kit.sql("SELECT state, error_class, error_code FROM task")
    return S(state), kind, code


@pytest.mark.parametrize("named", ["before", "after"])
@pytest.mark.parametrize("newest", [S.FAILED, S.UNCERTAIN, S.DEAD, S.RETRYING])
async def test_what_the_earlier_job_made_is_the_result(kit: Kit, newest: S, named: str) -> None:
    claim = await followed(kit, newest, named=named)
    assert (await kit.end(claim, S.SUCCESS)).state is S.SUCCESS
    assert await cause(kit) == (S.SUCCESS, None, None)


@pytest.mark.parametrize("named", ["before", "after"])
@pytest.mark.parametrize(
    ("to", "outcome", "why"),
    [
        (S.RETRYING, Outcome.TRANSIENT, BROKE),
        (S.PENDING, Outcome.THROTTLED, SLOW),
        (S.DEAD, Outcome.TRANSIENT, BROKE),
        (S.CANCELLED, Outcome.DISCARDED, None),
    ],
)
async def test_a_refused_row_is_not_sent_again_for_an_earlier_job_that_failed(
    kit: Kit, to: S, outcome: Outcome, why: object, named: str
) -> None:
    claim = await followed(kit, S.FAILED, named=named)
    done = await kit.end(claim, to, outcome=outcome, failure=why, billed=Billed.NO)
    assert (done.applied, done.state) == (True, S.FAILED)
    assert await cause(kit) == (S.FAILED, "refused", "moderated")
    kit.clock.at += 3600
    assert await kit.claim(claim.batch_id) == []


@pytest.mark.parametrize("named", ["before", "after"])
async def test_a_lost_job_leaves_a_refused_row_in_doubt(kit: Kit, named: str) -> None:
    claim = await followed(kit, S.FAILED, named=named)
    done = await kit.end(claim, S.RETRYING, outcome=Outcome.UNKNOWN, failure=LOST)
    assert done.state is S.UNCERTAIN
    assert await cause(kit) == (S.UNCERTAIN, "unknown", "job_lost")


@pytest.mark.parametrize("named", ["before", "after"])
@pytest.mark.parametrize(
    ("to", "outcome", "why"),
    [
        (S.RETRYING, Outcome.TRANSIENT, BROKE),
        (S.PENDING, Outcome.THROTTLED, SLOW),
        (S.DEAD, Outcome.TRANSIENT, BROKE),
        (S.FAILED, Outcome.INVALID, BAD),
        (S.CANCELLED, Outcome.DISCARDED, None),
    ],
)
async def test_the_doubt_of_the_newest_call_stays_whatever_the_earlier_job_came_to(
    kit: Kit, to: S, outcome: Outcome, why: object, named: str
) -> None:
    claim = await followed(kit, S.UNCERTAIN, named=named)
    done = await kit.end(claim, to, outcome=outcome, failure=why, billed=Billed.NO)
    assert (done.applied, done.state) == (True, S.UNCERTAIN)
    assert await cause(kit) == (S.UNCERTAIN, "unknown", "read_timeout")
    kit.clock.at += 3600
    assert await kit.claim(claim.batch_id) == []


@pytest.mark.parametrize("newest", [S.DEAD, S.RETRYING])
@pytest.mark.parametrize("to", [S.RETRYING, S.FAILED, S.UNCERTAIN])
async def test_a_row_that_would_only_have_been_sent_again_is_judged_by_the_earlier_job(
    kit: Kit, newest: S, to: S
) -> None:
    claim = await followed(kit, newest, named="before")
    outcome = Outcome.UNKNOWN if to is S.UNCERTAIN else Outcome.TRANSIENT
    assert (await kit.end(claim, to, outcome=outcome, failure=BROKE)).state is to


async def test_a_cancel_of_a_row_in_doubt_leaves_it_so(kit: Kit) -> None:
    claim = await followed(kit, S.UNCERTAIN, named="after")
    await kit.store.actions.cancel(TaskFilter(pks=(claim.task_pk,)), kit.clock.at)
    done: FinishResult = await kit.end(claim, S.RETRYING)
    assert done.state is S.UNCERTAIN


async def test_a_person_who_asks_about_the_earlier_call_sends_nothing_again_by_that(
    kit: Kit,
) -> None:
    old = await kit.claim_one(await kit.batch(1))
    await kit.store.engine.job_taken(old.attempt_pk, JOB)
    await in_doubt(kit, old)
    await kit.store.actions.settle_resend(old.task_pk, kit.clock.at)
    await in_doubt(kit, await kit.claim_one(old.batch_id))
    orphan = await kit.store.engine.reopen(old.task_pk)
    assert orphan is not None
    assert orphan.claim.attempt_pk == old.attempt_pk
    done = await kit.end(orphan.claim, S.PENDING, outcome=Outcome.THROTTLED, failure=SLOW)
    assert done.state is S.UNCERTAIN
    assert await cause(kit) == (S.UNCERTAIN, "unknown", "read_timeout")
    again = await kit.store.engine.reopen(old.task_pk)  # now the newest call can be asked about
    assert again is not None
    assert again.claim.attempt_pk != old.attempt_pk
    assert (await kit.end(again.claim, S.RETRYING)).state is S.RETRYING
