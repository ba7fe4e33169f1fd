"""The adapter of a call that was given up may not hear of that: its answer may still come, and is
paid for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import Answer, Job
from desktop_app.engine.holds import Holds
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
        holds: Holds,
        processing: Processing,
        clock: Clock,
        on_late: Callable[[Flight], None],
    ) -> None:
        self._keeper = keeper
        self._late_jobs = late_jobs
        self._holds = holds
        self._processing = processing
        self._clock = clock
        self._on_late = on_late
        self._listening: dict[asyncio.Task[None], None] = {}
        self._given_up: dict[int, int] = {}

    @contextmanager
    def given_up(self, flight: Flight) -> Iterator[None]:
        """While it is committed that no answer came of this flight's call, and then until one has
        or nobody listens any more."""
        claim, submit = flight.claim, flight.submit
        self._given_up[claim.attempt_pk] = claim.task_pk
        if submit is not None and submit.done() and _has_come(submit):
            self.comes(claim.attempt_pk)
        try:
            yield
        finally:
            if submit is None or (submit.done() and not _has_come(submit)):
                self._over(claim.attempt_pk)
            else:
                task = asyncio.ensure_future(self._late(flight, submit))
                self._listening[task] = None
                task.add_done_callback(partial(self._heard, claim.attempt_pk))

    def comes(self, attempt_pk: int) -> None:
        """The answer to this call is in, and about to be decoded. Nothing follows of it unless the
        call was given up."""
        task_pk = self._given_up.get(attempt_pk)
        if task_pk is not None:
            self._holds.take(attempt_pk, task_pk)

    async def stop(self) -> None:
        """Let go of them."""
        for task in self._listening:
            task.cancel()
        if self._listening:
            await asyncio.wait(self._listening)

    def _heard(self, attempt_pk: int, task: asyncio.Task[None]) -> None:
        del self._listening[task]
        self._over(attempt_pk)

    def _over(self, attempt_pk: int) -> None:
        self._given_up.pop(attempt_pk, None)
        self._holds.let_go(attempt_pk)

    async def _late(self, flight: Flight, submit: asyncio.Task[Answer | Job]) -> None:
        await first(self._clock, LISTEN_S, submit)
        # Marked anew when the answer came: whoever is killed from now on was not killed by it.
        self._processing.ends(flight.claim)
        if not submit.done() or not _has_come(submit):
            return
        self.comes(flight.claim.attempt_pk)
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


def _has_come(submit: asyncio.Task[Answer | Job]) -> bool:
    return not submit.cancelled() and submit.exception() is None
