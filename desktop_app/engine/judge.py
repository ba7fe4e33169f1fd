"""What a failure of a flight comes to depends on more than the failure: on the other rows of its
account, on how old its key is, on what is known of the call; here that is brought together."""

from __future__ import annotations

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.judging import Context, as_sent, judge, should_ask
from desktop_app.domain.retry import Draw
from desktop_app.domain.rules import Rules
from desktop_app.domain.task import TaskState
from desktop_app.domain.verdict import Counters, Verdict, held
from desktop_app.engine.pool import Flight

TO_NOTHING = frozenset({FailureClass.THROTTLED, FailureClass.TRANSIENT})
"""Failures of a call that its provider is said not to have worked on."""


class Judge:
    """Asks the rules of the domain about flights; changes nothing but an account's histories."""

    def __init__(self, clock: Clock, draw: Draw) -> None:
        self._clock = clock
        self._draw = draw
        self._began = clock.now() - clock.monotonic()

    def may_repeat(self, flight: Flight) -> bool:
        """Whether the row may be sent, if an earlier call with its key may have been billed: what
        made a resend safe when it was decided may have run out while the row waited."""
        doubt = flight.claim.key_since is not None and flight.claim.retries_spent > 0
        return not doubt or self._rules(flight).may_resend(self._key_age_s(flight))

    def should_ask(self, flight: Flight, failure: Failure) -> bool:
        """Whether the provider is asked before this failure decides anything. One that has called
        is where the call was given up, or is said to have come to nothing."""
        rules, spent = self._rules(flight), Counters.of(flight.claim)
        if flight.called and (flight.taken_up or failure.kind in TO_NOTHING):
            return rules.askable
        failure = as_sent(failure, begun=flight.begun)
        age_s, cancelled = self._key_age_s(flight), flight.cancel_requested
        return should_ask(failure, spent, rules, age_s, cancelled=cancelled)

    def of(self, flight: Flight, failure: Failure) -> Verdict:
        """What this failure comes to."""
        if flight.held and failure.kind is FailureClass.UNKNOWN:
            return held(failure)
        claim, line = flight.claim, flight.line
        account, now = line.account, self._clock.now()
        others, blamed, spared, at_least_s = 0, False, False, 0.0
        if failure.kind is FailureClass.THROTTLED:
            others = account.histories.throttled(claim.task_pk, self._clock.monotonic())
            at_least_s = account.limiter.turns_s()
        elif failure.kind is FailureClass.TRANSIENT:
            blamed = account.histories.transient(claim.task_pk)
            if account.breaker.is_probing and not blamed:
                spared, at_least_s = account.histories.probed(claim.task_pk)
        verdict = judge(
            failure,
            Counters.of(claim),
            self._rules(flight),
            Context(
                now=now,
                key_age_s=self._key_age_s(flight),
                others_succeeded=others,
                spared=spared,
                at_least_s=at_least_s,
                blamed=blamed,
                singled_out=account.breaker.singled_out(claim.task_pk),
                connection_stopped=line.stopped_code == failure.code,
            ),
            self._draw,
        )
        if verdict.to not in (TaskState.PENDING, TaskState.RETRYING):
            account.histories.forget(claim.task_pk)
        return verdict

    def _rules(self, flight: Flight) -> Rules:
        line = flight.line
        return Rules.of(line.connection, line.capabilities, flight.claim.request)

    def _key_age_s(self, flight: Flight) -> float:
        return flight.key_age_s(self._clock, self._began + self._clock.monotonic())
