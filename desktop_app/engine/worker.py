"""Takes one claimed task to the provider and back, and knows at every step what has been sent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

from desktop_app.domain.attempt import Mark
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure, broken
from desktop_app.domain.ports import Answer, Call, EngineStore, Job, RawAnswer
from desktop_app.domain.text import message
from desktop_app.engine.admission import Admission
from desktop_app.engine.callbacks import Callbacks
from desktop_app.engine.deadlines import Deadlines
from desktop_app.engine.doubts import Doubts
from desktop_app.engine.jobs import Jobs
from desktop_app.engine.keeper import Keeper, is_safe
from desktop_app.engine.late_answers import LateAnswers
from desktop_app.engine.outcomes import Outcomes
from desktop_app.engine.pool import Flight, Leave
from desktop_app.engine.processing import Processing

_log = logging.getLogger(__name__)

BROKEN_DELAY_S = 30.0
SUSPECT_DELAY_S = 5.0
UNREAD_DELAY_S = 30.0

STUBBORN_S = 5.0


class Worker:
    """Runs flights. ``may_send`` looks at pause, breakers and faults at the last moment."""

    def __init__(
        self,
        *,
        store: EngineStore,
        outcomes: Outcomes,
        doubts: Doubts,
        jobs: Jobs,
        late_answers: LateAnswers,
        keeper: Keeper,
        processing: Processing,
        callbacks: Callbacks,
        admission: Admission,
        clock: Clock,
        may_send: Callable[[Flight], bool],
        on_broken: Callable[[Flight], None],
    ) -> None:
        self._store = store
        self._outcomes = outcomes
        self._doubts = doubts
        self._jobs = jobs
        self._late_answers = late_answers
        self._keeper = keeper
        self._processing = processing
        self._callbacks = callbacks
        self._admission = admission
        self._clock = clock
        self._may_send = may_send
        self._on_broken = on_broken
        self._deadlines = Deadlines(clock)

    def run(self, flight: Flight) -> Coroutine[Any, Any, None]:
        """From claim to committed outcome. A fault of our own blames no row and is not silent."""
        return self._guarded(flight, self._run)

    def take_up(self, flight: Flight, failure: Failure) -> Coroutine[Any, Any, None]:
        """To the committed outcome of what an earlier flight sent; ``failure`` is what it comes to
        where nobody can say more."""
        return self._guarded(flight, partial(self._take_up, failure=failure))

    async def _guarded(self, flight: Flight, work: Callable[[Flight], Awaitable[None]]) -> None:
        try:
            await work(flight)
        except Exception as error:
            _log.exception("attempt %d broke", flight.claim.attempt_pk)
            self._on_broken(flight)
            await self._broken(flight, error)
        finally:
            self._processing.gone(flight.claim)

    async def _run(self, flight: Flight) -> None:
        flight.cancel_requested |= await self._store.cancel_requested(flight.claim.task_pk)
        if flight.cancel_requested or flight.leave is not None or not self._may_send(flight):
            await self._outcomes.give_back(flight)
            return
        if self._processing.is_unread(flight.claim):
            await self._outcomes.give_back(flight, UNREAD_DELAY_S)
            return
        if not self._processing.may_go(flight.claim):
            await self._outcomes.give_back(flight, SUSPECT_DELAY_S)
            return
        if flight.waits is not None and not await self._admission.turn(flight):
            await self._outcomes.give_back(flight)
            return
        if not self._outcomes.judge.may_repeat(flight):
            await self._outcomes.unrepeatable(flight)
            return
        outcome = await self._send(flight)
        if isinstance(outcome, Answer | Job) and not flight.begun and flight.call is not None:
            flight.call.begin()
        if isinstance(outcome, Answer):
            await self._keeper.stage(flight, outcome)
            self._outcomes.landed(flight, outcome)
            await self._keeper.end(flight, outcome)
        elif isinstance(outcome, Job):
            await self._jobs.take(flight, outcome)
            await self._jobs.follow(flight, outcome)
        elif isinstance(outcome, Failure):
            with self._late_answers.given_up(flight):
                await self._doubts.settle(flight, outcome)
        elif not flight.begun:
            await self._outcomes.give_back(flight)

    async def _take_up(self, flight: Flight, failure: Failure) -> None:
        if flight.job is not None:
            await self._jobs.follow(flight, flight.job, at_once=True)
        else:
            await self._doubts.settle(flight, failure)

    async def _send(self, flight: Flight) -> Answer | Job | Failure | None:
        """The answer, what went wrong, or None where the flight was asked to leave."""
        claim, line = flight.claim, flight.line

        def begun() -> None:
            line.account.limiter.left()
            self._store.note(Mark.BEGUN, claim.attempt_pk)

        # What the call is handed must not hold its flight, which holds the call: in such a ring the
        # answer's megabytes would live until Python looks for garbage.
        aside = False

        def whole(raw: RawAnswer) -> None:
            nonlocal aside
            self._late_answers.comes(claim.attempt_pk)
            kept = self._store.keep_raw(claim, raw)
            # Whether it is a RereadingAdapter; asking the protocol itself costs as much as putting
            # the answer aside.
            aside = kept and hasattr(line.adapter, "reread")

        means = await self._callbacks.means(flight)
        if line.capabilities.calls_back and (flight.leave or not self._may_send(flight)):
            return None  # it may have waited to learn how its provider signs, also in vain
        received = False

        def decoding() -> None:
            nonlocal received
            received = True
            self._processing.begins(claim)
            self._late_answers.comes(claim.attempt_pk)

        flight.call = Call(
            request=claim.request,
            idempotency_key=claim.idempotency_key,
            timeout_s=line.timeout_s,
            on_begin=begun,
            on_receive=decoding,
            on_whole=whole,
            callback_url=means.url if means is not None else None,
            callback_secret=means.secret if means is not None else None,
        )
        flight.sent_at = line.account.limiter.sent(line.tokens(claim.request))
        flight.submit = asyncio.create_task(line.adapter.submit(flight.call))
        try:
            if not await self._deadlines.first(line.deadline_s, flight.submit):
                if not received:  # a whole answer that is being decoded came in time
                    flight.end_early(Leave.LATE)
                await asyncio.wait({flight.submit}, timeout=STUBBORN_S)
        finally:
            # Also when this coroutine itself is cancelled: no call may outlive its flight.
            flight.submit.cancel()
        flight.aside = aside
        outcome = self._result(flight, flight.submit)
        if not (isinstance(outcome, Answer) and is_safe(flight, outcome)):
            # What needs no staging is written next, with nothing between: one mark is enough.
            self._processing.ends(claim)
        return outcome

    def _result(
        self, flight: Flight, submit: asyncio.Task[Answer | Job]
    ) -> Answer | Job | Failure | None:
        if not submit.done() or submit.cancelled():
            return self._left(flight)
        error = submit.exception()
        if error is None:
            return submit.result()
        if isinstance(error, ProviderFailure):
            return error.failure
        if flight.leave is not None:
            return self._left(flight)
        raise error

    def _left(self, flight: Flight) -> Failure | None:
        if flight.leave is Leave.STOP or (flight.leave is Leave.GIVE_BACK and not flight.begun):
            return None
        late = flight.leave is Leave.LATE
        if flight.begun:
            code = "read_timeout" if late else "interrupted"
            said = message("engine.read_timeout", s=round(flight.line.timeout_s))
            if not late:
                said = message("engine.interrupted")
            so_far = flight.call.peek() if flight.call and flight.call.peek else None
            words = so_far.text or so_far.thinking if so_far else ""
            billed = True if words else None
            return Failure(
                FailureClass.UNKNOWN, code, said, body=words, timeout=late, billed=billed
            )
        said = message("engine.no_connect", host=flight.line.connection.host)
        return Failure(FailureClass.OFFLINE, "connect_timeout", said, sent=False)

    async def _broken(self, flight: Flight, error: Exception) -> None:
        if flight.landed:
            return  # its outcome was being committed; what is left open is settled at start
        if not flight.begun:
            await self._outcomes.give_back(flight, BROKEN_DELAY_S)
        elif flight.job is None:
            await self._doubts.settle(flight, broken(error))
        else:
            await self._outcomes.failed(flight, broken(error))
