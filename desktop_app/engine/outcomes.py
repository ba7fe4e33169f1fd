"""Carries a verdict out: first on the account, so that the freed slot cannot repeat the mistake."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.domain.attempt import Billed, Kept, Mark
from desktop_app.domain.clock import Clock
from desktop_app.domain.connection import spoken_name
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.events import Alert, AlertKind
from desktop_app.domain.ports import Answer, EngineStore, FinishResult, TaskActions
from desktop_app.domain.retry import Draw
from desktop_app.domain.rules import Rules
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.text import message
from desktop_app.domain.verdict import (
    Context,
    Counters,
    Effect,
    Verdict,
    as_sent,
    judge,
    not_sent,
    succeeded,
    wait_s,
    without_retry,
)
from desktop_app.domain.views import TaskFilter
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.completer import Completer
from desktop_app.engine.completions import completion
from desktop_app.engine.local_trouble import LocalGuard
from desktop_app.engine.news import News
from desktop_app.engine.pool import Flight


class Outcomes:
    """Ends flights: account, slot, commit, and what follows a commit, in that order."""

    def __init__(
        self,
        *,
        store: EngineStore,
        actions: TaskActions,
        completer: Completer,
        guard: LocalGuard,
        accounts: Accounts,
        news: News,
        clock: Clock,
        draw: Draw,
        nudge: Callable[[], None],
    ) -> None:
        self._store = store
        self._actions = actions
        self._completer = completer
        self._guard = guard
        self._accounts = accounts
        self._news = news
        self._clock = clock
        self._draw = draw
        self._nudge = nudge

    async def give_back(self, flight: Flight, delay_s: float | None = None) -> None:
        """Nothing was sent."""
        flight.land(sent=False)
        self._nudge()
        verdict = not_sent(cancelled=flight.cancel_requested, delay_s=delay_s)
        await self._commit(flight, verdict)

    def landed(self, flight: Flight, answer: Answer) -> None:
        """A positive answer is in: the slot is free before the file is written."""
        account, pk = flight.line.account, flight.claim.task_pk
        account.limiter.succeeded(flight.sent_at or 0.0, answer.news)
        account.histories.succeeded(pk, flight.sent_at or 0.0)
        if flight.sent_at is not None:
            account.latencies.append(self._clock.monotonic() - flight.sent_at)
        if account.breaker.answered(pk):
            self._news.connections_changed()
        flight.line.first.other()
        flight.land()
        self._nudge()

    async def kept(self, flight: Flight, answer: Answer, kept: Kept) -> None:
        """The result is in its final place: commit."""
        await self._commit(flight, succeeded(), answer, kept)

    async def failed(self, flight: Flight, failure: Failure, answer: Answer | None = None) -> None:
        """A failure is in."""
        failure = as_sent(failure, begun=flight.begun)
        requeue = self._watch_first_answers(flight, failure)
        verdict = self._judge(flight, failure)
        self._affect(flight, verdict)
        if flight.begun and verdict.billed is Billed.NO:
            # Before its slot is free: whoever kills this program now leaves no doubt behind.
            self._store.note(Mark.UNBILLED, flight.claim.attempt_pk)
        flight.land()
        self._nudge()
        if flight.cancel_requested:
            verdict = without_retry(verdict)
        result = await self._commit(flight, verdict, answer)
        if result.applied and verdict.to in DEAD_LETTERS:
            self._news.dead(flight.claim.batch_id)
        if verdict.effect is Effect.PAUSE_ACCOUNT:
            await self._accounts.persist(flight.line.account)
        if requeue:
            await self._actions.requeue(
                TaskFilter(states=frozenset({TaskState.FAILED}), pks=requeue), self._clock.now()
            )
            self._nudge()

    def _judge(self, flight: Flight, failure: Failure) -> Verdict:
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
            Rules.of(line.connection, line.capabilities, claim.request),
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

    def _key_age_s(self, flight: Flight) -> float:
        """How long the provider may have known the key: one clock stands still in sleep, and the
        other can be set, so the longer time counts."""
        by_wall = self._clock.now() - flight.claimed_at
        sent_at = flight.sent_at
        return by_wall if sent_at is None else max(by_wall, self._clock.monotonic() - sent_at)

    def _watch_first_answers(self, flight: Flight, failure: Failure) -> tuple[int, ...]:
        line = flight.line
        if failure.kind in (FailureClass.REFUSED, FailureClass.UNKNOWN):
            line.first.other()
        if failure.kind is not FailureClass.INVALID:
            return ()
        rows = line.first.invalid(failure.code, flight.claim.task_pk, line.limits.concurrency)
        if rows:
            line.stopped = failure.said
            line.stopped_code = failure.code
            self._news.connections_changed()
            name = spoken_name(line.connection.name)
            self._news.alert(
                Alert(
                    message("engine.all_invalid", name=name, why=failure.said),
                    flight.claim.batch_id,
                    AlertKind.ACCOUNT,
                    f"connection:{line.connection.id}",
                    line.connection.id,
                )
            )
        return rows[:-1]

    def _affect(self, flight: Flight, verdict: Verdict) -> None:
        failure, line = verdict.failure, flight.line
        if failure is None:
            return
        breaker, pk = line.account.breaker, flight.claim.task_pk
        changed = False
        if verdict.effect is Effect.SLOW_DOWN:
            alone = line.account.histories.stands_out(pk)
            line.account.limiter.throttled(flight.sent_at or 0.0, failure, cut=not alone)
            changed = breaker.throttled()
        elif verdict.effect is Effect.COUNT_TRANSIENT:
            changed = breaker.transient(failure.said)
        elif verdict.effect is Effect.GO_OFFLINE:
            changed = breaker.offline(failure.said)
        elif verdict.effect is Effect.PAUSE_ENGINE:
            self._guard.report(flight.claim.out_dir, failure.said)
        elif verdict.effect is Effect.PAUSE_ACCOUNT:
            changed = self._pause_account(flight, failure)
        elif failure.kind in (FailureClass.UNKNOWN, FailureClass.TRANSIENT):
            changed = breaker.unclear()
        elif failure.kind in (FailureClass.REFUSED, FailureClass.INVALID):
            changed = breaker.answered(pk)
        if changed:
            self._news.connections_changed()

    def _pause_account(self, flight: Flight, failure: Failure) -> bool:
        now = self._clock.now()
        wait = wait_s(failure, now)
        changed = flight.line.account.breaker.pause(
            failure.said,
            task_pk=flight.claim.task_pk,
            until=None if wait is None else now + wait,
            no_key=failure.code == "no_key",
        )
        if changed:
            line = flight.line
            name = spoken_name(line.connection.name)
            self._news.alert(
                Alert(
                    message("engine.account_paused", name=name, why=failure.said),
                    flight.claim.batch_id,
                    AlertKind.ACCOUNT,
                    f"account:{line.account.key}",
                    line.connection.id,
                )
            )
        return changed

    async def _commit(
        self,
        flight: Flight,
        verdict: Verdict,
        answer: Answer | None = None,
        kept: Kept | None = None,
    ) -> FinishResult:
        sent_at = flight.sent_at
        done = completion(
            flight.claim,
            verdict,
            now=self._clock.now(),
            price=flight.line.connection.price,
            latency_s=None if sent_at is None else self._clock.monotonic() - sent_at,
            answer=answer,
            kept=kept,
        )
        result = await self._completer.finish(done)
        self._news.changed()
        return result
