"""Carries a verdict out: first on the account, so that the freed slot cannot repeat the mistake."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.domain.attempt import Billed, Kept, Mark
from desktop_app.domain.budget import results_asked
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.judging import as_sent
from desktop_app.domain.ports import Answer, EngineStore, FinishResult, TaskActions
from desktop_app.domain.ports.answers import NO_NEWS
from desktop_app.domain.retry import Draw
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.text import message
from desktop_app.domain.verdict import (
    SUCCEEDED,
    Counters,
    Effect,
    Verdict,
    adopted,
    as_decided,
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
from desktop_app.engine.judge import Judge
from desktop_app.engine.news import News
from desktop_app.engine.pool import Flight


class Outcomes:
    """Ends flights: account, slot, commit, and what follows a commit, in that order, as ``judge``
    says."""

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
        self.judge = Judge(clock, draw)
        self._consequences = consequences
        self._accounts = accounts
        self._news = news
        self._clock = clock
        self._draw = draw
        self._nudge = nudge
        self._handed = handed

    async def give_back(self, flight: Flight, delay_s: float | None = None) -> None:
        """Nothing was sent."""
        flight.land(sent=False)
        self._nudge()
        verdict = not_sent(cancelled=flight.cancel_requested, delay_s=delay_s)
        await self._commit(flight, verdict)

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

    async def as_decided(self, flight: Flight, failure: Failure) -> None:
        """The provider was asked since it had called about a row that waited to be sent again, and
        could not say more."""
        flight.land()
        self._nudge()
        verdict = as_decided(failure, Counters.of(flight.claim), self._draw)
        verdict = without_retry(verdict) if flight.cancel_requested else verdict
        await self._settle(flight, verdict)

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
        verdict = self.judge.of(flight, failure)
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
