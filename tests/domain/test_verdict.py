"""The endings that nobody has to judge."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.verdict import Counters, held, job_cancelled, key_expired, not_arrived

LOST = Failure(FailureClass.UNKNOWN, "dropped", message("x"))


def test_what_never_arrived_is_given_back_and_spends_nothing() -> None:
    verdict = not_arrived(LOST, Counters(retries_spent=1), lambda: 0.5)
    assert (verdict.to, verdict.outcome, verdict.billed) == (
        TaskState.PENDING,
        Outcome.OFFLINE,
        Billed.NO,
    )
    assert not verdict.spend_retry
    assert verdict.failure is not None
    assert not verdict.failure.sent


def test_the_third_timeout_ends_also_what_never_arrived() -> None:
    timeout = replace(LOST, timeout=True)
    assert not_arrived(timeout, Counters(timeouts=1), lambda: 0.5).to is TaskState.PENDING
    assert not_arrived(timeout, Counters(timeouts=2), lambda: 0.5).to is TaskState.DEAD


def test_a_person_keeps_what_nobody_can_say_with_what_is_known_of_its_bill() -> None:
    assert (held(LOST).to, held(LOST).billed) == (TaskState.UNCERTAIN, Billed.MAYBE)
    assert held(replace(LOST, billed=True)).billed is Billed.YES
    assert (key_expired().to, key_expired().outcome) == (TaskState.UNCERTAIN, Outcome.NOT_SENT)
    assert key_expired().billed is Billed.NO
    assert [job_cancelled(billed).billed for billed in (None, True, False)] == [
        Billed.MAYBE,
        Billed.YES,
        Billed.NO,
    ]
