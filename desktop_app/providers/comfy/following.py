"""What became of a job: a server tells it in two places, and of what it has forgotten nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.jobs import Arrival, Job, JobCancelled, JobLost, JobRunning, JobState
from desktop_app.providers.comfy.history import state_of
from desktop_app.providers.comfy.server import ComfyServer, Queued
from desktop_app.providers.error_map import Site

LOOKS = 2
"""So often must a server say that it has heard of no such job before that is believed."""
LOOKS_APART_S = 2.0
LOST_AFTER_S = 1.0
"""A server is one process: what it does not know at two looks in a row it knows no more."""


class Following:
    """Of one server's jobs. ``outputs``: see ``state_of``. Everything raises ProviderFailure where
    the server could not be asked."""

    def __init__(
        self, server: ComfyServer, site: Site, clock: Clock, outputs: Sequence[str]
    ) -> None:
        self._server = server
        self._site = site
        self._clock = clock
        self._outputs = outputs
        self._stopped: dict[str, bool | None] = {}

    async def states(self, jobs: Sequence[Job]) -> Mapping[str, JobState]:
        """By id; those of which the server said nothing are left out, for none waits for another:
        what it remembers of one may be beyond reading for good."""
        queued = await self._server.queue()
        found = await asyncio.gather(
            *(self._state(job, queued) for job in jobs), return_exceptions=True
        )
        states: dict[str, JobState] = {}
        failed: ProviderFailure | None = None
        for job, state in zip(jobs, found, strict=True):
            if isinstance(state, ProviderFailure):
                failed = failed or state
            elif isinstance(state, BaseException):
                raise state
            else:
                states[job.id] = state
        if failed is not None and not states:
            raise failed
        return states

    async def _state(self, job: Job, queued: Queued) -> JobState:
        if job.id in queued:
            return JobRunning()
        # After the queue, never before it: what is in neither has not moved between two looks.
        entry = await self._server.history(job.id)
        if entry is None:
            is_ours, billed = job.id in self._stopped, self._stopped.get(job.id)
            return JobLost(JobCancelled(billed) if is_ours else None, hint_s=LOOKS_APART_S)
        self._stopped.pop(job.id, None)
        return state_of(entry, self._site, self._clock.now(), self._outputs)

    async def stop(self, job_id: str) -> None:
        """Out of the queue where it waits; stopped only while it is the one that runs: an old
        server stops whatever it works on."""
        before = await self._server.queue()
        self._stopped.setdefault(job_id, None)
        await self._server.forget_waiting(job_id)
        now = await self._server.queue()
        if job_id in now.running:
            await self._server.interrupt(job_id)
        elif job_id in before.waiting and job_id not in now:
            self._stopped[job_id] = False

    async def arrival(self, job_id: str) -> Arrival:
        """Whether the server has ever heard of it. One that remembers nothing at all may have been
        started anew, and can't say."""
        remembers = False
        for look in range(LOOKS):
            if look:  # a request may still be looked over before it is queued
                await self._clock.sleep(LOOKS_APART_S)
            queued = await self._server.queue()
            if job_id in queued or await self._server.history(job_id) is not None:
                return Arrival.ARRIVED
            remembers = queued.is_busy or await self._server.has_history()
        return Arrival.NOT_ARRIVED if remembers else Arrival.UNKNOWN
