"""The taxonomy's table, line by line."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.errors import Failure, FailureClass, WaitHint
from desktop_app.domain.judging import Context, as_sent, judge, should_ask
from desktop_app.domain.rules import Rules
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.transitions import is_legal
from desktop_app.domain.verdict import (
    CRASHED,
    Counters,
    Effect,
    Verdict,
    not_sent,
    without_retry,
)

NOW = 1000.0
FRESH = Counters()
HOLD = Rules()
RESEND = Rules(policy=OnUnknown.RESEND)


def fail(kind: FailureClass, **more: Any) -> Failure:
    return Failure(kind, more.pop("code", "x"), message("x"), **more)


def verdict(
    failure: Failure, spent: Counters = FRESH, rules: Rules = HOLD, **context: Any
) -> Verdict:
    return judge(failure, spent, rules, Context(now=NOW, **context), lambda: 0.5)


def test_throttled_spends_no_retry_and_waits_as_told() -> None:
    said = fail(FailureClass.THROTTLED, wait=WaitHint(seconds=7, until=NOW + 30))
    found = verdict(said, Counters(retries_spent=3))
    assert (found.to, found.outcome) == (TaskState.PENDING, Outcome.THROTTLED)
    assert not found.spend_retry
    assert found.count_throttled
    assert found.delay_s == 30.5
    assert found.effect is Effect.SLOW_DOWN
    assert found.billed is Billed.NO
    assert not found.new_key


def test_throttled_without_a_figure_backs_off() -> None:
    assert verdict(fail(FailureClass.THROTTLED), Counters(throttled=3)).delay_s == 4.0


def test_a_row_throttled_alone_five_times_is_invalid() -> None:
    said = fail(FailureClass.THROTTLED)
    assert verdict(said, Counters(throttled=4), others_succeeded=19).to is TaskState.PENDING
    assert verdict(said, Counters(throttled=3), others_succeeded=99).to is TaskState.PENDING
    found = verdict(said, Counters(throttled=4), others_succeeded=20)
    assert (found.to, found.outcome) == (TaskState.FAILED, Outcome.INVALID)
    assert found.failure is not None
    assert found.failure.kind is FailureClass.INVALID
    assert found.effect is Effect.NONE


def test_a_row_that_exceeds_the_limit_by_itself_is_invalid_at_once() -> None:
    said = fail(FailureClass.THROTTLED, limit_by_itself=True)
    found = verdict(said)
    assert (found.to, found.outcome) == (TaskState.FAILED, Outcome.INVALID)


@pytest.mark.parametrize(("spent", "delay"), [(0, 0.5), (1, 1.0), (2, 2.0)])
def test_transient_is_retried_with_growing_waits(spent: int, delay: float) -> None:
    found = verdict(fail(FailureClass.TRANSIENT), Counters(retries_spent=spent))
    assert (found.to, found.spend_retry, found.delay_s) == (TaskState.RETRYING, True, delay)
    assert found.new_key
    assert found.effect is Effect.COUNT_TRANSIENT


def test_transient_with_no_retry_left_is_dead() -> None:
    found = verdict(fail(FailureClass.TRANSIENT), Counters(retries_spent=3))
    assert (found.to, found.spend_retry) == (TaskState.DEAD, False)
    assert verdict(fail(FailureClass.TRANSIENT), rules=Rules(retries=0)).to is TaskState.DEAD


def test_transient_while_probing_spends_nothing() -> None:
    found = verdict(
        fail(FailureClass.TRANSIENT), Counters(retries_spent=3), spared=True, at_least_s=30.0
    )
    assert (found.to, found.spend_retry, found.delay_s) == (TaskState.PENDING, False, 30.0)
    assert verdict(fail(FailureClass.TRANSIENT), blamed=True).effect is Effect.NONE


def test_offline_never_spends() -> None:
    found = verdict(fail(FailureClass.OFFLINE, sent=False), Counters(retries_spent=3))
    assert (found.to, found.spend_retry) == (TaskState.PENDING, False)
    assert (found.effect, found.new_key) == (Effect.GO_OFFLINE, False)


def test_unknown_is_held_where_a_call_costs_money() -> None:
    found = verdict(fail(FailureClass.UNKNOWN))
    assert (found.to, found.billed, found.spend_retry) == (
        TaskState.UNCERTAIN,
        Billed.MAYBE,
        False,
    )
    assert not found.new_key


def test_unknown_under_resend_spends_a_retry_and_ends_uncertain() -> None:
    found = verdict(fail(FailureClass.UNKNOWN), rules=RESEND)
    assert (found.to, found.spend_retry, found.new_key) == (TaskState.RETRYING, True, False)
    used_up = verdict(fail(FailureClass.UNKNOWN), Counters(retries_spent=3), RESEND)
    assert used_up.to is TaskState.UNCERTAIN


def test_unknown_with_a_live_key_is_resent_even_under_hold() -> None:
    rules = Rules(idempotent_s=3600)
    assert verdict(fail(FailureClass.UNKNOWN), rules=rules, key_age_s=10).to is TaskState.RETRYING
    late = verdict(fail(FailureClass.UNKNOWN), rules=rules, key_age_s=3600)
    assert late.to is TaskState.UNCERTAIN


@pytest.mark.parametrize(
    ("cost", "to"),
    [("0.009", TaskState.RETRYING), ("0.01", TaskState.UNCERTAIN), (None, TaskState.UNCERTAIN)],
)
def test_resend_below_a_price(cost: str | None, to: TaskState) -> None:
    rules = Rules(
        policy=OnUnknown.RESEND_BELOW,
        resend_below=Decimal("0.01"),
        expected_cost=None if cost is None else Decimal(cost),
    )
    assert verdict(fail(FailureClass.UNKNOWN), rules=rules).to is to


def test_the_third_timeout_ends_the_task() -> None:
    late = fail(FailureClass.UNKNOWN, timeout=True)
    first = verdict(late, Counters(timeouts=1), RESEND)
    assert (first.to, first.spend_timeout) == (TaskState.RETRYING, True)
    assert verdict(late, Counters(timeouts=2), RESEND).to is TaskState.UNCERTAIN
    free = replace(RESEND, free=True)
    assert verdict(late, Counters(timeouts=2), free).to is TaskState.DEAD


def test_a_crash_is_no_timeout() -> None:
    crash = fail(FailureClass.UNKNOWN, code=CRASHED)
    again = verdict(crash, Counters(timeouts=2, retries_spent=1), RESEND)
    assert (again.to, again.spend_timeout) == (TaskState.RETRYING, False)
    assert verdict(crash, Counters(retries_spent=3), RESEND).to is TaskState.UNCERTAIN


def test_a_bad_result_was_billed() -> None:
    assert verdict(fail(FailureClass.UNKNOWN, billed=True)).billed is Billed.YES


@pytest.mark.parametrize("kind", [FailureClass.REFUSED, FailureClass.INVALID])
def test_deterministic_failures_are_never_resent(kind: FailureClass) -> None:
    found = verdict(fail(kind), rules=RESEND)
    assert (found.to, found.outcome.value, found.new_key) == (TaskState.FAILED, kind.value, True)
    assert found.delay_s is None


def test_invalid_on_a_stopped_connection_goes_back() -> None:
    found = verdict(fail(FailureClass.INVALID), connection_stopped=True)
    assert found.to is TaskState.PENDING


def test_account_trouble_pauses_the_account_and_keeps_the_row() -> None:
    found = verdict(fail(FailureClass.ACCOUNT), Counters(retries_spent=3))
    assert (found.to, found.effect) == (TaskState.PENDING, Effect.PAUSE_ACCOUNT)
    alone = verdict(fail(FailureClass.ACCOUNT), singled_out=True)
    assert (alone.to, alone.effect) == (TaskState.FAILED, Effect.NONE)


def test_local_trouble_pauses_the_engine() -> None:
    found = verdict(fail(FailureClass.LOCAL, sent=False))
    assert (found.to, found.effect) == (TaskState.PENDING, Effect.PAUSE_ENGINE)


def test_only_an_unsent_request_may_be_given_back() -> None:
    for kind in (FailureClass.OFFLINE, FailureClass.LOCAL):
        assert as_sent(fail(kind, sent=False), begun=True).kind is FailureClass.UNKNOWN
        assert as_sent(fail(kind, sent=False), begun=False).kind is kind
    unsent = fail(FailureClass.UNKNOWN, sent=False)
    assert as_sent(unsent, begun=False).kind is FailureClass.OFFLINE
    assert as_sent(unsent, begun=True).kind is FailureClass.UNKNOWN
    assert as_sent(fail(FailureClass.UNKNOWN), begun=False).kind is FailureClass.UNKNOWN


def test_a_cancelled_task_comes_to_rest() -> None:
    transient = verdict(fail(FailureClass.TRANSIENT))
    assert without_retry(transient).to is TaskState.CANCELLED
    resend = verdict(fail(FailureClass.UNKNOWN), rules=RESEND)
    assert without_retry(resend).to is TaskState.UNCERTAIN
    assert without_retry(verdict(fail(FailureClass.REFUSED))).to is TaskState.FAILED
    assert not_sent(cancelled=True).to is TaskState.CANCELLED


@given(
    st.sampled_from(FailureClass),
    st.builds(Counters, st.integers(0, 5), st.integers(0, 4), st.integers(0, 9)),
    st.builds(Rules, st.integers(0, 3), st.sampled_from(OnUnknown), st.booleans()),
    st.tuples(st.booleans(), st.booleans(), st.integers(0, 50)),
    st.booleans(),
)
def test_every_verdict_is_a_legal_move_and_spends_within_bounds(
    kind: FailureClass,
    spent: Counters,
    rules: Rules,
    flags: tuple[bool, bool, int],
    timeout: bool,
) -> None:
    spared, singled_out, others = flags
    found = verdict(
        fail(kind, timeout=timeout),
        spent,
        rules,
        spared=spared,
        singled_out=singled_out,
        others_succeeded=others,
    )
    assert is_legal(TaskState.RUNNING, found.to)
    assert found.spend_retry == (found.to is TaskState.RETRYING)
    if found.to is TaskState.RETRYING:
        assert spent.retries_spent < rules.retries
        assert found.delay_s is not None


ASKABLE = Rules(askable=True)
LOST = Failure(FailureClass.UNKNOWN, "dropped", message("x"))


@pytest.mark.parametrize(
    ("failure", "spent", "rules", "age_s", "asks"),
    [
        (LOST, Counters(), ASKABLE, 0.0, True),
        (LOST, Counters(), Rules(), 0.0, False),
        (LOST, Counters(), Rules(askable=True, idempotent_s=60.0), 59.0, False),
        (LOST, Counters(), Rules(askable=True, idempotent_s=60.0), 61.0, True),
        (LOST, Counters(retries_spent=3), Rules(askable=True, idempotent_s=60.0), 0.0, True),
        (replace(LOST, kind=FailureClass.TRANSIENT), Counters(), ASKABLE, 0.0, False),
        (
            replace(LOST, timeout=True),
            Counters(timeouts=2),
            Rules(askable=True, idempotent_s=60.0),
            0.0,
            True,
        ),
    ],
)
def test_a_provider_is_asked_where_a_resend_would_not_be_safe(
    failure: Failure, spent: Counters, rules: Rules, age_s: float, asks: bool
) -> None:
    assert should_ask(failure, spent, rules, age_s) is asks
