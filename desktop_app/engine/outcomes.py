"""Carries a verdict out: first on the account, so that the freed slot cannot repeat the mistake."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.domain.attempt import Billed, Kept, Mark
from desktop_app.domain.budget import results_asked
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.judging import Context, as_sent, judge, should_ask
from desktop_app.domain.ports import Answer, EngineStore, FinishResult, TaskActions
from desktop_app.domain.ports.answers import NO_NEWS
from desktop_app.domain.retry import Draw
from desktop_app.domain.rules import Rules
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.text import message
from desktop_app.domain.verdict import (
    SUCCEEDED,
    Counters,
    Effect,
    Verdict,
    adopted,
    held,
    job_cancelled,
    key_expired,
    not_arrived,
    not_sent,
    without_retry,
)
from desktop_app.domain.views import TaskFilter
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.completer import Completer
from desktop_app.engine.completions import completion
from desktop_app.engine.consequences import Consequences
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
        consequences: Consequences,
        accounts: Accounts,
        news: News,
        clock: Clock,
        draw: Draw,
        nudge: Callable[[], None],
        handed: Callable[[], None],
    ) -> None:
        self._store = store
        self._actions = actions
        self._completer = completer
        self._consequences = consequences
        self._accounts = accounts
        self._news = news
        self._clock = clock
        self._draw = draw
        self._nudge = nudge
        self._began = clock.now() - clock.monotonic()
        self._handed = handed

    async def give_back(self, flight: Flight, delay_s: float | None = None) -> None:
        """Nothing was sent."""
        flight.land(sent=False)
        self._nudge()
        verdict = not_sent(cancelled=flight.cancel_requested, delay_s=delay_s)
        await self._commit(flight, verdict)

    def may_repeat(self, flight: Flight) -> bool:
        """Whether the row may be sent, if an earlier call with its key may have been billed: what
        made a resend safe when it was decided may have run out while the row waited."""
        doubt = flight.claim.key_since is not None and flight.claim.retries_spent > 0
        return not doubt or self._rules(flight).may_resend(self._key_age_s(flight))

    async def unrepeatable(self, flight: Flight) -> None:
        """Nothing was sent, and nothing may be."""
        flight.land(sent=False)
        self._nudge()
        await self._settle(flight, key_expired())

    def accepted(self, flight: Flight) -> None:
        """The provider has taken the job: the line works. Its slot is held until it has ended."""
        account = flight.line.account
        if flight.sent_at is not None:
            account.limiter.succeeded(flight.sent_at, NO_NEWS)
        if account.breaker.answered(flight.claim.task_pk):
            self._news.connections_changed()
        flight.proved()
        self._nudge()

    def job_ended(self, flight: Flight) -> None:
        """The provider has finished the job: its slot is free though the result is not here yet."""
        flight.line.first.other()
        flight.land()
        self._nudge()

    async def job_cancelled(self, flight: Flight, billed: bool | None) -> None:
        """The job was cancelled at the provider: by our wish, or by somebody in its console."""
        if not flight.cancel_requested:
            said = message("engine.job_cancelled")
            failure = Failure(FailureClass.REFUSED, "job_cancelled", said, billed=billed)
            await self.failed(flight, failure)
            return
        flight.land()
        self._nudge()
        await self._commit(flight, job_cancelled(billed))

    async def not_arrived(self, flight: Flight, failure: Failure) -> None:
        """The provider was asked, and has never heard of the call."""
        self._store.note(Mark.UNBILLED, flight.claim.attempt_pk)
        flight.land()
        self._nudge()
        verdict = not_arrived(failure, Counters.of(flight.claim), self._draw)
        verdict = without_retry(verdict) if flight.cancel_requested else verdict
        await self._settle(flight, verdict)

    def should_ask(self, flight: Flight, failure: Failure) -> bool:
        """Whether the provider is asked before this failure decides anything."""
        rules, spent = self._rules(flight), Counters.of(flight.claim)
        failure = as_sent(failure, begun=flight.begun)
        age_s, cancelled = self._key_age_s(flight), flight.cancel_requested
        return should_ask(failure, spent, rules, age_s, cancelled=cancelled)

    def landed(self, flight: Flight, answer: Answer) -> None:
        """A positive answer is in: the slot is free before the file is written."""
        account, pk = flight.line.account, flight.claim.task_pk
        if flight.job is None:  # a job was counted when it was accepted
            told = answer.news if flight.line.capabilities.tells_limits else NO_NEWS
            account.limiter.succeeded(flight.sent_at or 0.0, told)
        if flight.weight is not None:
            account.limiter.allowances.answered(flight.weight, answer.tokens)
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
        await self._commit(flight, SUCCEEDED, answer, kept)

    async def adopted(self, flight: Flight, kept: Kept) -> None:
        """What an earlier process kept of the answer is all there will be: commit."""
        flight.land()
        self._nudge()
        await self._commit(flight, adopted(), kept=kept)

    async def failed(self, flight: Flight, failure: Failure, answer: Answer | None = None) -> None:
        """A failure is in."""
        failure = as_sent(failure, begun=flight.begun)
        failure, requeue = self._consequences.of_lost_folder(flight, failure)
        requeue += self._consequences.of_first_answers(flight, failure)
        verdict = self._judge(flight, failure)
        self._consequences.of(flight, verdict)
        if flight.begun and verdict.billed is Billed.NO:
            # Before its slot is free: whoever kills this program now leaves no doubt behind.
            self._store.note(Mark.UNBILLED, flight.claim.attempt_pk)
        flight.land()
        self._nudge()
        if flight.cancel_requested:
            verdict = without_retry(verdict)
        await self._settle(flight, verdict, answer)
        if verdict.effect is Effect.PAUSE_ACCOUNT:
            await self._accounts.persist(flight.line.account)
        if requeue:
            await self._actions.requeue(
                TaskFilter(states=frozenset({TaskState.FAILED}), pks=requeue), self._clock.now()
            )
            self._nudge()

    async def _settle(self, flight: Flight, verdict: Verdict, answer: Answer | None = None) -> None:
        result = await self._commit(flight, verdict, answer)
        if result.applied and result.state in DEAD_LETTERS:
            self._news.dead(flight.claim.batch_id)

    def _rules(self, flight: Flight) -> Rules:
        line = flight.line
        return Rules.of(line.connection, line.capabilities, flight.claim.request)

    def _key_age_s(self, flight: Flight) -> float:
        return flight.key_age_s(self._clock, self._began + self._clock.monotonic())

    def _judge(self, flight: Flight, failure: Failure) -> Verdict:
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

    async def _commit(
        self,
        flight: Flight,
        verdict: Verdict,
        answer: Answer | None = None,
        kept: Kept | None = None,
    ) -> FinishResult:
        sent_at = flight.sent_at
        connection = flight.line.connection
        done = completion(
            flight.claim,
            verdict,
            now=self._clock.now(),
            price=connection.price,
            asked=1 if answer else results_asked(connection, flight.claim.request),
            latency_s=None if sent_at is None else self._clock.monotonic() - sent_at,
            answer=answer,
            kept=kept,
        )
        flight.handed = True
        self._handed()
        result = await self._completer.finish(done)
        self._news.changed()
        return result
