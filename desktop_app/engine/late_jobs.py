"""A job that is named after its call was given up may be paid for: its row is not sent again beside
it, but follows it. Where a call names none, its provider is asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.jobs import Job
from desktop_app.domain.text import message
from desktop_app.engine.completer import Completer
from desktop_app.engine.holds import Holds
from desktop_app.engine.pool import Flight
from desktop_app.engine.waits import first

NAMING_S = 10.0
"""How long a call waits until what it says is stored; then its provider is told to call again, and
it is stored all the same once that can be."""


class LateJobs:
    """While any is on its way to the store, nothing new is sent. Before the start has settled what
    an earlier process left (``begun``) nothing is taken up beside it."""

    def __init__(
        self,
        *,
        completer: Completer,
        holds: Holds,
        clock: Clock,
        begun: Callable[[], Awaitable[object]],
    ) -> None:
        self._completer = completer
        self._holds = holds
        self._clock = clock
        self._begun = begun
        self._taking: dict[tuple[int, str | None], asyncio.Task[bool]] = {}

    async def take(self, flight: Flight, job: Job) -> None:
        """The answer of a flight that has ended is this job."""
        flight.job = job
        await self._take(flight.claim.attempt_pk, flight.claim.task_pk, job)

    async def hear(self, attempt_pk: int, task_pk: int, job: Job | None) -> bool:
        """A call is about an attempt that no flight holds, and names this job of it, or none that
        is not known. Whether its row follows it from now on, or is asked about. Raises LocalTrouble
        where that can't be stored yet: it is once that can be."""
        task = self._hear(attempt_pk, task_pk, job)
        if not await first(self._clock, NAMING_S, asyncio.wait({task})):
            raise LocalTrouble(message("engine.store_trouble"))
        return task.result()

    def expect(self, flight: Flight) -> None:
        """A call has named the job of this flight while its outcome, which knows of none, is on its
        way to the store: until ``ended`` nothing is sent."""
        self._holds.take(flight, flight.claim.task_pk)

    async def ended(self, flight: Flight) -> None:
        """The flight is over: what a call named meanwhile is seen to."""
        try:
            if flight.named is not None and flight.job is None:
                claim = flight.claim
                await asyncio.wait({self._hear(claim.attempt_pk, claim.task_pk, flight.named)})
        finally:
            self._holds.let_go(flight)

    async def stop(self, timeout_s: float) -> None:
        """Wait for what is being stored, at most ``timeout_s``: a disk that is full may keep it
        from ever coming to an end."""
        if self._taking:
            _, left = await asyncio.wait(self._taking.values(), timeout=timeout_s)
            for task in left:
                task.cancel()

    def _hear(self, attempt_pk: int, task_pk: int, job: Job | None) -> asyncio.Task[bool]:
        said = (attempt_pk, None if job is None else job.id)
        task = self._taking.get(said)
        if task is None:
            task = asyncio.ensure_future(self._take(attempt_pk, task_pk, job))
            self._taking[said] = task
            task.add_done_callback(lambda _: self._taking.pop(said))
        return task

    async def _take(self, attempt_pk: int, task_pk: int, job: Job | None) -> bool:
        with self._holds.looking():
            self._holds.give_back(task_pk)
            await self._begun()
            if job is None:
                return await self._completer.called(attempt_pk)
            return await self._completer.taken(attempt_pk, job)
