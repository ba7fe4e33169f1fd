"""A job that is named after its call was given up may be paid for: its row is not sent again beside
it, but follows it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from desktop_app.domain.jobs import Job
from desktop_app.domain.ports import EngineStore
from desktop_app.engine.completer import Completer
from desktop_app.engine.jobs import Jobs
from desktop_app.engine.pool import Flight


class LateJobs:
    """``ask`` takes up a row of which nobody knows what became of it. While there are any to be
    ``seen_to``, nothing new is sent."""

    def __init__(
        self,
        *,
        store: EngineStore,
        jobs: Jobs,
        completer: Completer,
        ask: Callable[[int], Awaitable[bool]],
        nudge: Callable[[], None],
    ) -> None:
        self._store = store
        self._jobs = jobs
        self._completer = completer
        self._ask = ask
        self._nudge = nudge
        self.seen_to = 0

    async def take(self, flight: Flight, job: Job) -> None:
        """Store the job, and follow it where its row is in doubt or waits to be sent again."""
        pk = flight.claim.attempt_pk
        self.seen_to += 1
        try:
            await self._jobs.remember(flight, job)
            await self._completer.asked(pk, partial(self._take_up, pk))
        finally:
            self.seen_to -= 1
            self._nudge()

    async def _take_up(self, attempt_pk: int) -> None:
        found = await self._store.standing(attempt_pk)
        if found is not None and found.is_in_doubt:
            await self._ask(found.task_pk)
