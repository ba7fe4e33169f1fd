"""What becomes of a task after a try: one pure decision, so that every rule of it is a test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from desktop_app.domain.attempt import Billed, Claim, Outcome
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.retry import Draw, backoff
from desktop_app.domain.rules import Rules
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message

TIMEOUTS_MAX = 3
"""The third timeout of a task ends it."""

THROTTLED_MAX = 5
OTHERS_MIN = 20
CRASHED = "crashed"
"""Failure code of an attempt that a dead process left behind."""

NOT_ARRIVED = "not_arrived"
"""Failure code of a call that the provider says it never received."""

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
class Context:
    """What the engine knows at the moment of judging. ``now`` is epoch seconds.

    ``others_succeeded``: rows that succeeded while this one alone kept being throttled;
    ``at_least_s``: wait before the next try, so that other rows have their turn;
    ``spared``: the account is probing, so a transient failure spends nothing;
    ``blamed``: others succeed, so it is the row that fails;
    ``singled_out``: the account was proved to work and refused this row again;
    ``connection_stopped``: the connection paused because every first answer was ``invalid``.
    """

    now: float
    key_age_s: float = 0.0
    others_succeeded: int = 0
    spared: bool = False
    at_least_s: float = 0.0
    blamed: bool = False
    singled_out: bool = False
    connection_stopped: bool = False


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


def succeeded() -> Verdict:
    """The result is in its final place."""
    return Verdict(TaskState.SUCCESS, Outcome.SUCCESS, billed=Billed.YES)


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


def key_expired() -> Verdict:
    """Nothing was sent: an earlier call may have been billed, and its key no longer protects."""
    said = message("engine.key_expired")
    failure = Failure(FailureClass.UNKNOWN, KEY_EXPIRED, said, sent=False, billed=False)
    return Verdict(TaskState.UNCERTAIN, Outcome.NOT_SENT, failure)


def held(failure: Failure) -> Verdict:
    """An unknown outcome that is a person's to decide, whatever the policy."""
    return Verdict(TaskState.UNCERTAIN, Outcome.UNKNOWN, failure, billed=_billed(failure))


def job_cancelled(billed: bool | None) -> Verdict:
    """The job was cancelled at the provider because a person cancelled the row."""
    known = {None: Billed.MAYBE, True: Billed.YES, False: Billed.NO}
    return Verdict(TaskState.CANCELLED, Outcome.DISCARDED, billed=known[billed])


def as_sent(failure: Failure, *, begun: bool) -> Failure:
    """Correct a class by what the engine saw: only an unsent request may be given back."""
    if begun and failure.kind in (FailureClass.OFFLINE, FailureClass.LOCAL):
        return replace(failure, kind=FailureClass.UNKNOWN, sent=True)
    if failure.kind is FailureClass.UNKNOWN and not begun and not failure.sent:
        return replace(failure, kind=FailureClass.OFFLINE)
    return failure


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


def judge(failure: Failure, spent: Counters, rules: Rules, at: Context, draw: Draw) -> Verdict:
    """The taxonomy of the design, as a function. ``draw`` is the random source of the backoff."""
    billed = _billed(failure)
    if failure.kind is FailureClass.THROTTLED:
        return _throttled(failure, spent, at, draw, billed)
    if failure.kind is FailureClass.TRANSIENT:
        return _transient(failure, spent, rules, at, draw, billed)
    if failure.kind is FailureClass.OFFLINE:
        return Verdict(
            TaskState.PENDING, Outcome.OFFLINE, failure, billed=billed, effect=Effect.GO_OFFLINE
        )
    if failure.kind is FailureClass.UNKNOWN:
        return _unknown(failure, spent, rules, at, draw, billed)
    if failure.kind is FailureClass.REFUSED:
        return Verdict(TaskState.FAILED, Outcome.REFUSED, failure, billed=billed, new_key=True)
    if failure.kind is FailureClass.INVALID:
        to = TaskState.PENDING if at.connection_stopped else TaskState.FAILED
        return Verdict(to, Outcome.INVALID, failure, billed=billed, new_key=True)
    if failure.kind is FailureClass.ACCOUNT:
        if at.singled_out:
            return Verdict(TaskState.FAILED, Outcome.ACCOUNT, failure, billed=billed, new_key=True)
        return Verdict(
            TaskState.PENDING, Outcome.ACCOUNT, failure, billed=billed, effect=Effect.PAUSE_ACCOUNT
        )
    return Verdict(
        TaskState.PENDING, Outcome.LOCAL, failure, billed=billed, effect=Effect.PAUSE_ENGINE
    )


def should_ask(
    failure: Failure, spent: Counters, rules: Rules, key_age_s: float, *, cancelled: bool = False
) -> bool:
    """Whether the provider is asked what became of a call before anything is decided: it can be
    asked, and a resend with the same key would not be safe or is not to be had, or not wanted
    because the row is ``cancelled``."""
    if failure.kind is not FailureClass.UNKNOWN or not rules.askable:
        return False
    ends = failure.timeout and spent.timeouts + 1 >= TIMEOUTS_MAX
    resends = rules.key_lives(key_age_s) and spent.retries_spent < rules.retries
    return ends or cancelled or not resends


def wait_s(failure: Failure, now: float) -> float | None:
    """The longest wait the provider named, in seconds; None where it named none."""
    hints = []
    if failure.wait.seconds is not None:
        hints.append(failure.wait.seconds)
    if failure.wait.until is not None:
        hints.append(failure.wait.until - now)
    return max(0.0, *hints) if hints else None


def _throttled(
    failure: Failure, spent: Counters, at: Context, draw: Draw, billed: Billed
) -> Verdict:
    alone = spent.throttled + 1 >= THROTTLED_MAX and at.others_succeeded >= OTHERS_MIN
    if failure.limit_by_itself or alone:
        said = failure.said
        if not failure.limit_by_itself:
            said = message("engine.throttled_alone", n=THROTTLED_MAX)
        return Verdict(
            TaskState.FAILED,
            Outcome.INVALID,
            replace(failure, kind=FailureClass.INVALID, said=said),
            count_throttled=True,
            billed=billed,
            new_key=True,
        )
    # Longer than the account's own wait, or a row that is too big would always go first.
    return Verdict(
        TaskState.PENDING,
        Outcome.THROTTLED,
        failure,
        count_throttled=True,
        delay_s=(wait_s(failure, at.now) or 0.0)
        + max(backoff(spent.throttled, draw), at.at_least_s),
        billed=billed,
        effect=Effect.SLOW_DOWN,
    )


def _transient(
    failure: Failure, spent: Counters, rules: Rules, at: Context, draw: Draw, billed: Billed
) -> Verdict:
    hinted = wait_s(failure, at.now) or 0.0
    delay_s = max(backoff(spent.retries_spent, draw), hinted, at.at_least_s)
    verdict = Verdict(
        TaskState.RETRYING,
        Outcome.TRANSIENT,
        failure,
        spend_retry=True,
        spend_timeout=failure.timeout,
        delay_s=delay_s,
        billed=billed,
        new_key=True,
        effect=Effect.NONE if at.blamed else Effect.COUNT_TRANSIENT,
    )
    if failure.timeout and spent.timeouts + 1 >= TIMEOUTS_MAX:
        return replace(verdict, to=TaskState.DEAD, spend_retry=False, delay_s=None)
    if at.spared:
        return replace(verdict, to=TaskState.PENDING, spend_retry=False)
    if spent.retries_spent >= rules.retries:
        return replace(verdict, to=TaskState.DEAD, spend_retry=False, delay_s=None)
    return verdict


def _unknown(
    failure: Failure, spent: Counters, rules: Rules, at: Context, draw: Draw, billed: Billed
) -> Verdict:
    verdict = Verdict(
        TaskState.UNCERTAIN, Outcome.UNKNOWN, failure, spend_timeout=failure.timeout, billed=billed
    )
    if failure.timeout and spent.timeouts + 1 >= TIMEOUTS_MAX:
        # Where a call costs nothing there is no bill to be uncertain about.
        return replace(verdict, to=TaskState.DEAD) if rules.free else verdict
    if not rules.may_resend(at.key_age_s) or spent.retries_spent >= rules.retries:
        return verdict
    return replace(
        verdict,
        to=TaskState.RETRYING,
        spend_retry=True,
        delay_s=backoff(spent.retries_spent, draw),
    )


def _billed(failure: Failure) -> Billed:
    if failure.billed is not None:
        return Billed.YES if failure.billed else Billed.NO
    return Billed.NO if failure.kind in _UNBILLED else Billed.MAYBE
