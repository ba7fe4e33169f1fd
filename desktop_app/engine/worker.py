"""Takes one claimed task to the provider and back, and knows at every step what has been sent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from desktop_app.domain.attempt import Kept, Mark
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import (
    BadResult,
    Failure,
    FailureClass,
    LocalTrouble,
    ProviderFailure,
)
from desktop_app.domain.ports import Answer, Call, EngineStore, Job, ResultFiles
from desktop_app.domain.text import message
from desktop_app.engine.deadlines import Deadlines
from desktop_app.engine.local_trouble import LocalGuard
from desktop_app.engine.outcomes import Outcomes
from desktop_app.engine.pool import Flight, Leave
from desktop_app.engine.processing import Processing
from desktop_app.engine.waits import first

_log = logging.getLogger(__name__)

BROKEN_DELAY_S = 30.0
SUSPECT_DELAY_S = 5.0

LISTEN_S = 600.0
"""How long a call is listened to that went on after it was given up. An adapter that closes its
socket when it is cancelled, as ours do, leaves nothing to listen to."""
STUBBORN_S = 5.0


class Worker:
    """Runs flights. ``may_send`` looks at pause, breakers and faults at the last moment."""

    def __init__(
        self,
        *,
        store: EngineStore,
        files: ResultFiles,
        outcomes: Outcomes,
        guard: LocalGuard,
        processing: Processing,
        clock: Clock,
        may_send: Callable[[Flight], bool],
        on_broken: Callable[[Flight], None],
        on_late: Callable[[Flight], None],
    ) -> None:
        self._store = store
        self._files = files
        self._outcomes = outcomes
        self._guard = guard
        self._processing = processing
        self._clock = clock
        self._may_send = may_send
        self._on_broken = on_broken
        self._on_late = on_late
        self._deadlines = Deadlines(clock)
        self._listening: set[asyncio.Task[None]] = set()

    async def run(self, flight: Flight) -> None:
        """From claim to committed outcome. A fault of our own blames no row and is not silent."""
        try:
            await self._run(flight)
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
        if not self._processing.may_go(flight.claim):
            await self._outcomes.give_back(flight, SUSPECT_DELAY_S)
            return
        outcome = await self._send(flight)
        if isinstance(outcome, Answer):
            if not flight.begun and flight.call is not None:
                flight.call.begin()
            await self._stage(flight, outcome)
            self._outcomes.landed(flight, outcome)
            await self._keep(flight, outcome)
        elif isinstance(outcome, Failure):
            await self._outcomes.failed(flight, outcome)
            self._listen(flight)
        elif not flight.begun:
            await self._outcomes.give_back(flight)

    async def stop_listening(self) -> None:
        """Let go of calls that were given up."""
        for task in self._listening:
            task.cancel()
        if self._listening:
            await asyncio.wait(self._listening)

    def _listen(self, flight: Flight) -> None:
        """The adapter does not hear that its call was given up: its answer may still come."""
        if flight.submit is not None and not flight.submit.done():
            task = asyncio.ensure_future(self._late(flight, flight.submit))
            self._listening.add(task)
            task.add_done_callback(self._listening.discard)

    async def _late(self, flight: Flight, submit: asyncio.Task[Answer | Job]) -> None:
        await first(self._clock, LISTEN_S, submit)
        if not submit.done() or submit.cancelled() or submit.exception() is not None:
            return
        answer = submit.result()
        if isinstance(answer, Job):
            return
        try:
            await self._stage(flight, answer)
            await self._keep(flight, answer)
            self._on_late(flight)
        except Exception:
            _log.exception("a late answer of attempt %d was lost", flight.claim.attempt_pk)

    async def _send(self, flight: Flight) -> Answer | Job | Failure | None:
        """The answer, what went wrong, or None where the flight was asked to leave."""
        claim, line = flight.claim, flight.line

        def begun() -> None:
            line.account.limiter.left()
            self._store.note(Mark.BEGUN, claim.attempt_pk)

        received = False

        def decoding() -> None:
            nonlocal received
            received = True
            self._processing.begins(claim)

        flight.call = Call(
            request=claim.request,
            idempotency_key=claim.idempotency_key,
            timeout_s=line.timeout_s,
            on_begin=begun,
            on_receive=decoding,
        )
        flight.sent_at = line.account.limiter.sent()
        flight.submit = asyncio.ensure_future(line.adapter.submit(flight.call))
        try:
            if not await self._deadlines.first(line.deadline_s, flight.submit):
                flight.end_early(Leave.LATE)
                await asyncio.wait({flight.submit}, timeout=STUBBORN_S)
        finally:
            # Also when this coroutine itself is cancelled: no call may outlive its flight.
            flight.submit.cancel()
            if received:
                self._processing.ends(claim)
        return self._result(flight, flight.submit)

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
            return Failure(FailureClass.UNKNOWN, code, said, timeout=late)
        said = message("engine.no_connect", host=flight.line.connection.host)
        return Failure(FailureClass.OFFLINE, "connect_timeout", said, sent=False)

    async def _stage(self, flight: Flight, answer: Answer) -> None:
        """Before the slot is free: whoever kills this program now loses no more than what is on
        the wire. Trouble holds the engine, and ``_keep`` tries again."""
        claim = flight.claim
        try:
            await self._files.stage(claim, answer.contents[0])
        except LocalTrouble as trouble:
            self._guard.report(claim.out_dir, trouble.message)
        except Exception:
            _log.exception("a result could not be staged")

    async def _keep(self, flight: Flight, answer: Answer) -> None:
        """Write what was paid for, however long this machine needs to be mended."""
        claim = flight.claim
        kept: Kept | None = None
        while kept is None:
            try:
                async with self._processing.of(claim):
                    kept = await self._files.keep(claim, answer.contents[0], answer.flags)
            except BadResult as error:
                self._processing.clear(claim)
                failure = Failure(
                    FailureClass.UNKNOWN,
                    "bad_result",
                    error.message,
                    http_status=answer.http_status,
                    request_id=answer.request_id,
                    billed=True,
                )
                await self._outcomes.failed(flight, failure, answer)
                return
            except LocalTrouble as trouble:
                self._guard.report(claim.out_dir, trouble.message)
                await self._guard.mended()
            except Exception:
                _log.exception("a result could not be written")
                said = message("engine.cannot_write", folder=claim.out_dir)
                self._guard.report(claim.out_dir, said)
                await self._guard.mended()
        self._processing.clear(claim)
        await self._outcomes.kept(flight, answer, kept)
        await self._files.settled(claim)

    async def _broken(self, flight: Flight, error: Exception) -> None:
        if flight.landed:
            return  # its outcome was being committed; what is left open is settled at start
        if not flight.begun:
            await self._outcomes.give_back(flight, BROKEN_DELAY_S)
            return
        said = message("engine.internal", what=type(error).__name__)
        await self._outcomes.failed(flight, Failure(FailureClass.UNKNOWN, "internal", said))
