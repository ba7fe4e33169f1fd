"""What can become of a task after a try, each end with its name, so that none is made up twice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from desktop_app.domain.attempt import Billed, Claim, Outcome
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.retry import Draw, backoff
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message

TIMEOUTS_MAX = 3
"""The third timeout of a task ends it."""

CRASHED = "crashed"
"""Failure code of an attempt that a dead process left behind."""

NOT_ARRIVED = "not_arrived"
"""Failure code of a call that the provider says it never received."""

UNANSWERED = "unanswered"
"""Failure code of a call that its provider was asked about in vain."""

KEY_EXPIRED = "key_expired"
"""Failure code of a call that may have been billed, and can no longer be repeated safely."""

POISON = "poison"
"""Failure code of a row that ends the program."""

_UNBILLED = frozenset(
    {
        FailureClass.THROTTLED,
        FailureClass.TRANSIENT,
        FailureClass.OFFLINE,
        FailureClass.INVALID,
        FailureClass.ACCOUNT,
        FailureClass.LOCAL,
    }
)


class Effect(StrEnum):
    """What a failure does beyond its own row."""

    NONE = "none"
    SLOW_DOWN = "slow_down"
    COUNT_TRANSIENT = "count_transient"
    GO_OFFLINE = "go_offline"
    PAUSE_ACCOUNT = "pause_account"
    PAUSE_ENGINE = "pause_engine"


@dataclass(frozen=True, slots=True)
class Counters:
    """What the task has used up before this try."""

    retries_spent: int = 0
    timeouts: int = 0
    throttled: int = 0

    @staticmethod
    def of(claim: Claim) -> Counters:
        """The counters a claim carries."""
        return Counters(claim.retries_spent, claim.timeouts, claim.throttled)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where the task goes, what it spends, and what else follows. ``delay_s`` counts from now."""

    to: TaskState
    outcome: Outcome
    failure: Failure | None = None
    spend_retry: bool = False
    spend_timeout: bool = False
    count_throttled: bool = False
    delay_s: float | None = None
    billed: Billed = Billed.NO
    new_key: bool = False
    effect: Effect = Effect.NONE


SUCCEEDED = Verdict(TaskState.SUCCESS, Outcome.SUCCESS, billed=Billed.YES)
"""The result is in its final place."""


def adopted() -> Verdict:
    """The verified file of a lost attempt was found."""
    return Verdict(TaskState.SUCCESS, Outcome.ADOPTED, billed=Billed.YES)


def not_sent(*, cancelled: bool = False, delay_s: float | None = None) -> Verdict:
    """No byte left: given back, or cancelled where that was asked for."""
    to = TaskState.CANCELLED if cancelled else TaskState.PENDING
    return Verdict(to, Outcome.NOT_SENT, delay_s=None if cancelled else delay_s)


def failed_free() -> Verdict:
    """A dead process had heard of a failure that cost nothing: another try is safe."""
    said = message("engine.crashed_after_failure")
    failure = Failure(FailureClass.TRANSIENT, CRASHED, said)
    return Verdict(TaskState.PENDING, Outcome.TRANSIENT, failure, new_key=True)


def poison() -> Verdict:
    """Processing its answer, and nothing else, ended the program: another try would do the same."""
    failure = Failure(FailureClass.UNKNOWN, POISON, message("engine.poison"), billed=True)
    return Verdict(TaskState.FAILED, Outcome.UNKNOWN, failure, billed=Billed.YES)


def not_arrived(failure: Failure, spent: Counters, draw: Draw) -> Verdict:
    """The provider was asked, and never received the call: given back like one that was not sent.
    The third time that it took until the deadline to know ends the task all the same."""
    said = message("engine.not_arrived")
    known = replace(
        failure, kind=FailureClass.OFFLINE, code=NOT_ARRIVED, said=said, sent=False, billed=False
    )
    ends = failure.timeout and spent.timeouts + 1 >= TIMEOUTS_MAX
    return Verdict(
        TaskState.DEAD if ends else TaskState.PENDING,
        Outcome.OFFLINE,
        known,
        spend_timeout=failure.timeout,
        delay_s=None if ends else backoff(spent.retries_spent, draw),
    )


def as_decided(failure: Failure, spent: Counters, draw: Draw) -> Verdict:
    """The provider was asked, and nobody knows more than when it was decided to send the row again:
    it is, and that spends nothing once more."""
    return Verdict(
        TaskState.PENDING,
        Outcome.UNKNOWN,
        failure,
        delay_s=backoff(spent.retries_spent, draw),
        billed=bill(failure),
    )


def key_expired() -> Verdict:
    """Nothing was sent: an earlier call may have been billed, and its key no longer protects."""
    said = message("engine.key_expired")
    failure = Failure(FailureClass.UNKNOWN, KEY_EXPIRED, said, sent=False, billed=False)
    return Verdict(TaskState.UNCERTAIN, Outcome.NOT_SENT, failure)


def bill(failure: Failure) -> Billed:
    """What is known of the bill of a failed call."""
    if failure.billed is not None:
        return Billed.YES if failure.billed else Billed.NO
    return Billed.NO if failure.kind in _UNBILLED else Billed.MAYBE


def held(failure: Failure) -> Verdict:
    """An unknown outcome that is a person's to decide, whatever the policy."""
    return Verdict(TaskState.UNCERTAIN, Outcome.UNKNOWN, failure, billed=bill(failure))


def job_cancelled(billed: bool | None) -> Verdict:
    """The job was cancelled at the provider because a person cancelled the row."""
    known = {None: Billed.MAYBE, True: Billed.YES, False: Billed.NO}
    return Verdict(TaskState.CANCELLED, Outcome.DISCARDED, billed=known[billed])


def without_retry(verdict: Verdict) -> Verdict:
    """The same try for a task that is to be cancelled: it comes to rest instead of waiting."""
    if verdict.to not in (TaskState.PENDING, TaskState.RETRYING):
        return verdict
    unknown = verdict.outcome is Outcome.UNKNOWN
    return replace(
        verdict,
        to=TaskState.UNCERTAIN if unknown else TaskState.CANCELLED,
        spend_retry=False,
        delay_s=None,
    )
