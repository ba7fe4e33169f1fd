"""What a call that names no job makes of an attempt: it has arrived, and is to be asked about."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from desktop_app.domain.attempt import Billed, Mark, Outcome
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.store.store import Store
from tests.store.store_kit import Kit, failure
from tests.store.tasks.test_jobs import JOB, in_doubt
from tests.store.tasks.test_named_jobs import INVALID, REFUSED, ends_badly, sent_again

S = TaskState
UNANSWERED = failure(FailureClass.UNKNOWN, "unanswered")
BROKE = failure(FailureClass.TRANSIENT, "http_500")
SLOW = failure(FailureClass.THROTTLED, "http_429")
NEVER = failure(FailureClass.OFFLINE, "not_arrived", sent=False, billed=False)


@pytest.mark.parametrize(
    ("waits", "held", "decided"),
    [
        (S.PENDING, False, True),
        (S.RETRYING, False, True),
        (S.DEAD, True, False),
        (S.UNCERTAIN, True, False),
    ],
)
async def test_a_row_that_is_in_doubt_is_taken_up_to_be_asked_about(
    kit: Kit, waits: S, held: bool, decided: bool
) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    await in_doubt(kit, claim, waits)
    orphan = await kit.store.engine.called(claim.attempt_pk)
    assert orphan is not None
    assert (orphan.claim.attempt_pk, orphan.job, orphan.begun) == (claim.attempt_pk, None, True)
    assert (orphan.called, orphan.held, orphan.decided) == (True, held, decided)
    assert (await kit.row(claim.batch_id, 2)).state is S.RUNNING
    kit.clock.at += 3600
    assert await kit.claim(claim.batch_id) == []
    assert await kit.store.engine.called(claim.attempt_pk) is None  # it is under way


@pytest.mark.parametrize("why", [BROKE, SLOW, NEVER])
async def test_what_had_failed_for_certain_is_an_open_question_again(
    kit: Kit, why: Failure
) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    outcome = Outcome(why.kind.value)
    await kit.end(claim, S.PENDING, outcome=outcome, failure=why, billed=Billed.NO)
    orphan = await kit.store.engine.called(claim.attempt_pk)
    assert orphan is not None
    assert (orphan.called, orphan.held, orphan.decided) == (True, False, False)
    assert kit.sql("SELECT outcome, sent, billed FROM attempt") == [("open", 1, "maybe")]


@pytest.mark.parametrize("why", [REFUSED, INVALID])
async def test_who_refused_a_call_and_calls_about_it_has_said_all_there_is(
    kit: Kit, why: Failure
) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    await ends_badly(kit, claim, why)
    assert await kit.store.engine.called(claim.attempt_pk) is None
    assert (await kit.row(claim.batch_id, 2)).state is S.FAILED


@pytest.mark.parametrize("rests", [S.SUCCESS, S.CANCELLED])
async def test_a_row_that_is_settled_is_not_asked_about(kit: Kit, rests: S) -> None:
    old, new = await sent_again(kit, await kit.batch(1))
    await kit.end(new, rests)
    assert await kit.store.engine.called(old.attempt_pk) is None
    assert (await kit.row(old.batch_id, 2)).state is rests
    assert await kit.store.engine.called(99) is None


async def test_what_a_person_has_called_failed_or_changed_is_not_asked_about(kit: Kit) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    await in_doubt(kit, claim)
    await kit.store.actions.settle_failed(claim.task_pk, message("fake.gone"), kit.clock.at)
    assert await kit.store.engine.called(claim.attempt_pk) is None
    await kit.store.actions.edit_and_requeue(claim.task_pk, "another prompt", kit.clock.at)
    assert await kit.store.engine.called(claim.attempt_pk) is None


@pytest.mark.parametrize("to", [S.PENDING, S.RETRYING, S.DEAD, S.UNCERTAIN, S.FAILED])
async def test_a_row_that_was_sent_again_is_asked_about_once_that_has_come_to_nothing(
    kit: Kit, to: S
) -> None:
    old, new = await sent_again(kit, await kit.batch(1))
    assert await kit.store.engine.called(old.attempt_pk) is None
    assert kit.sql("SELECT said FROM attempt WHERE id = ?", old.attempt_pk) == [
        (message("store.called").dump(),)
    ]
    outcome = Outcome.UNKNOWN if to is S.UNCERTAIN else Outcome.TRANSIENT
    done = await kit.end(new, to, outcome=outcome, failure=REFUSED if to is S.FAILED else BROKE)
    orphan = done.goes_on
    assert (orphan.claim.attempt_pk, orphan.job, orphan.begun) == (old.attempt_pk, None, True)
    waits = to in (S.PENDING, S.RETRYING)
    assert (orphan.called, orphan.held, orphan.decided) == (True, not waits, waits)


async def test_who_was_sent_again_after_a_failure_for_certain_was_not_sent_again_in_doubt(
    kit: Kit,
) -> None:
    old = await kit.claim_one(await kit.batch(1))
    await kit.end(old, S.RETRYING, outcome=Outcome.TRANSIENT, failure=BROKE, billed=Billed.NO)
    kit.clock.at += 3600
    new = await kit.claim_one(old.batch_id)
    await kit.store.engine.called(old.attempt_pk)
    await kit.store.engine.called(old.attempt_pk)
    assert kit.sql("SELECT billed FROM attempt WHERE id = ?", old.attempt_pk) == [("maybe",)]
    done = await kit.end(new, S.RETRYING, outcome=Outcome.TRANSIENT, failure=BROKE)
    assert (done.goes_on.called, done.goes_on.held, done.goes_on.decided) == (True, False, False)


async def test_a_refused_row_stays_refused_where_its_earlier_call_was_asked_about_in_vain(
    kit: Kit,
) -> None:
    old, new = await sent_again(kit, await kit.batch(1))
    await ends_badly(kit, new, REFUSED)
    orphan = await kit.store.engine.called(old.attempt_pk)
    assert orphan is not None
    done = await kit.end(orphan.claim, S.UNCERTAIN, outcome=Outcome.UNKNOWN, failure=UNANSWERED)
    assert done.state is S.FAILED
    assert kit.sql("SELECT error_code FROM task") == [("moderated",)]


async def test_a_newer_call_that_brings_a_result_leaves_nothing_to_ask(kit: Kit) -> None:
    old, new = await sent_again(kit, await kit.batch(1))
    await kit.store.engine.called(old.attempt_pk)
    done = await kit.end(new, S.SUCCESS)
    assert (done.state, done.goes_on) == (S.SUCCESS, None)


async def test_a_job_that_is_named_after_all_is_followed_and_not_asked_for(kit: Kit) -> None:
    old, new = await sent_again(kit, await kit.batch(1))
    await kit.store.engine.called(old.attempt_pk)
    await kit.store.engine.job_taken(old.attempt_pk, JOB)
    done = await kit.end(new, S.RETRYING)
    assert done.goes_on.job is not None


@pytest.mark.parametrize("boot", ["boot-1", "boot-2"])
@pytest.mark.parametrize("when", ["while it runs", "in doubt", "after a failure without a bill"])
async def test_that_it_has_arrived_is_known_at_the_next_start(
    kit: Kit, opened: Callable[..., Awaitable[Store]], when: str, boot: str
) -> None:
    assert await kit.store.engine.orphans() == []  # from here on a missing mark means unsent
    claim = await kit.claim_one(await kit.batch(1))
    if when == "while it runs":
        kit.store.engine.note(Mark.BEGUN, claim.attempt_pk)
    if when == "in doubt":
        await in_doubt(kit, claim)
    if when == "after a failure without a bill":
        kit.store.engine.note(Mark.UNBILLED, claim.attempt_pk)
        await kit.end(claim, S.RETRYING, outcome=Outcome.TRANSIENT, failure=BROKE, billed=Billed.NO)
    await kit.store.engine.called(claim.attempt_pk)
    [orphan] = await (await opened(boot_id=boot)).engine.orphans()
    assert (orphan.called, orphan.begun, orphan.unbilled) == (True, True, False)


async def test_what_was_never_sent_can_not_have_been_called_about(kit: Kit) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    await kit.end(claim, S.PENDING, outcome=Outcome.NOT_SENT, billed=Billed.NO)
    assert await kit.store.engine.called(claim.attempt_pk) is None


async def test_of_two_jobs_the_one_that_is_called_about_is_asked_for(kit: Kit) -> None:
    old = await kit.claim_one(await kit.batch(1))
    await kit.store.engine.job_taken(old.attempt_pk, JOB)
    await in_doubt(kit, old, S.RETRYING)
    kit.clock.at += 3600
    new = await kit.claim_one(old.batch_id)
    await kit.store.engine.job_taken(new.attempt_pk, JOB)
    await in_doubt(kit, new)
    orphan = await kit.store.engine.called(old.attempt_pk)
    assert orphan is not None
    assert orphan.claim.attempt_pk == old.attempt_pk
