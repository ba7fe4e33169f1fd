"""The adapter of a call that was given up may not hear of that: its answer may still come, and is
paid for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import Answer, Job
from desktop_app.engine.keeper import Keeper
from desktop_app.engine.late_jobs import LateJobs
from desktop_app.engine.pool import Flight
from desktop_app.engine.processing import Processing
from desktop_app.engine.waits import first

_log = logging.getLogger(__name__)

LISTEN_S = 600.0
"""How long a call is listened to that went on after it was given up. An adapter that closes its
socket when it is cancelled, as ours do, leaves nothing to listen to."""


class LateAnswers:
    """Listens to calls that were given up; ``on_late`` hears of an answer that is kept."""

    def __init__(
        self,
        *,
        keeper: Keeper,
        late_jobs: LateJobs,
        processing: Processing,
        clock: Clock,
        on_late: Callable[[Flight], None],
    ) -> None:
        self._keeper = keeper
        self._late_jobs = late_jobs
        self._processing = processing
        self._clock = clock
        self._on_late = on_late
        self._listening: dict[asyncio.Task[None], None] = {}

    def listen(self, flight: Flight) -> None:
        """The answer may still come, or came while it was committed that none did."""
        submit = flight.submit
        if submit is not None and not (
            submit.done() and (submit.cancelled() or submit.exception())
        ):
            task = asyncio.ensure_future(self._late(flight, submit))
            self._listening[task] = None
            task.add_done_callback(self._listening.pop)

    async def stop(self) -> None:
        """Let go of them."""
        for task in self._listening:
            task.cancel()
        if self._listening:
            await asyncio.wait(self._listening)

    async def _late(self, flight: Flight, submit: asyncio.Task[Answer | Job]) -> None:
        await first(self._clock, LISTEN_S, submit)
        # Marked anew when the answer came: whoever is killed from now on was not killed by it.
        self._processing.ends(flight.claim)
        if not submit.done() or submit.cancelled() or submit.exception() is not None:
            return
        answer = submit.result()
        try:
            if isinstance(answer, Job):
                await self._late_jobs.take(flight, answer)
                return
            await self._keeper.stage(flight, answer)
            await self._keeper.end(flight, answer)
            self._on_late(flight)
        except Exception:
            _log.exception("a late answer of attempt %d was lost", flight.claim.attempt_pk)
