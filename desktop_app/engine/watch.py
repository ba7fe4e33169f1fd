"""One job that is asked for, and when it is worth asking again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from desktop_app.domain.jobs import Job, JobRunning, JobState
from desktop_app.domain.polling import after_failed_poll_s, next_poll_s
from desktop_app.domain.ports import Capabilities
from desktop_app.domain.retry import Draw
from desktop_app.engine.pool import Flight

POKES_APART_S = 5.0
"""A job that somebody calls about time and again is looked at no more often than this."""

SILENT_POLLS = 8
"""So many polls in a row have to come to nothing before a job past its deadline is given up: who
starts the program after a long while may not be connected yet."""


@dataclass(slots=True, eq=False)
class Watch:
    """Times are monotonic; ``state`` ends with the job, or with None when its deadline has passed.
    ``poked``: somebody called about it since it was last asked for; ``poke_at``: when the next
    such call counts."""

    flight: Flight
    job: Job
    since: float
    due: float
    state: asyncio.Future[JobState | None]
    out: bool = False
    failures: int = 0
    cancels: int = 0
    poked: bool = False
    poke_at: float = 0.0

    def poke(self, now: float) -> None:
        """Somebody called about the job."""
        if not self.poked:
            self.poked = True
            at = max(now, self.poke_at)
            self.poke_at = at + POKES_APART_S
            self.due = min(self.due, at)

    def heard(
        self, state: JobState | None, now: float, capabilities: Capabilities, draw: Draw
    ) -> None:
        """``state`` None: the poll came to nothing."""
        age_s = now - self.since
        if self.state.done():
            return
        if state is not None and not isinstance(state, JobRunning):
            self.state.set_result(state)
        elif age_s >= capabilities.job_deadline_s and (state or self.failures >= SILENT_POLLS):
            self.state.set_result(None)
        elif state is None:
            self.failures += 1
            self.due = now + after_failed_poll_s(self.failures, draw)
        else:
            self.failures = 0
            flight = self.flight
            if self.job.calls_back and not flight.cancel_requested and not flight.called:
                self.due = now + capabilities.poll_after_s
            else:
                self.due = now + next_poll_s(age_s, capabilities.typical_job_s, state.hint_s, draw)
        if self.poked:  # while it was being asked for: the answer may be older than the call
            self.due = min(self.due, max(now, self.poke_at - POKES_APART_S))
