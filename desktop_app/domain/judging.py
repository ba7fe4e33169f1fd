"""What becomes of a task after a failed try: a pure decision, so every rule of it is a test."""

from __future__ import annotations

from dataclasses import dataclass, replace

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.errors import Failure, FailureClass, wait_s
from desktop_app.domain.retry import Draw, backoff
from desktop_app.domain.rules import Rules
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.verdict import TIMEOUTS_MAX, Counters, Effect, Verdict, bill

THROTTLED_MAX = 5
OTHERS_MIN = 20


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


def as_sent(failure: Failure, *, begun: bool) -> Failure:
    """Correct a class by what the engine saw: only an unsent request may be given back."""
    if begun and failure.kind in (FailureClass.OFFLINE, FailureClass.LOCAL):
        return replace(failure, kind=FailureClass.UNKNOWN, sent=True)
    if failure.kind is FailureClass.UNKNOWN and not begun and not failure.sent:
        return replace(failure, kind=FailureClass.OFFLINE)
    return failure


def judge(failure: Failure, spent: Counters, rules: Rules, at: Context, draw: Draw) -> Verdict:
    """The taxonomy of the design, as a function. ``draw`` is the random source of the backoff."""
    billed = bill(failure)
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
