"""One job that is asked for, and when it is worth asking again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from desktop_app.domain.jobs import Job, JobLost, JobRunning, JobState
from desktop_app.domain.polling import after_failed_poll_s, next_poll_s
from desktop_app.domain.ports import Capabilities
from desktop_app.domain.retry import Draw
from desktop_app.engine.pool import Flight

POKES_APART_S = 5.0
"""A job that somebody calls about time and again is looked at no more often than this."""

SILENT_POLLS = 8
"""So many polls in a row have to come to nothing before a job past its deadline is given up: who
starts the program after a long while may not be connected yet."""


@dataclass(slots=True)
class Unheard:
    """For how long a provider has been saying that it knows no such job: time over which it could
    not be asked is no part of it."""

    _seconds: float = 0.0
    _said_at: float | None = None

    def said(self, now: float) -> float:
        """It says so now: for so many seconds altogether."""
        if self._said_at is not None:
            self._seconds += now - self._said_at
        self._said_at = now
        return self._seconds

    def not_asked(self) -> None:
        """It said nothing."""
        self._said_at = None

    def known(self) -> None:
        """It knows the job."""
        self._seconds, self._said_at = 0.0, None


@dataclass(slots=True, eq=False)
class Watch:
    """Times are monotonic; ``state`` ends with the job, or with None when its deadline has passed.
    ``poked``: somebody called about it since it was last asked for; ``poke_at``: when the next
    such call counts. ``alone``: an answer about several had nothing of it, so it is asked for by
    itself: only that tells whether the provider knows it."""

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
    alone: bool = False
    unheard: Unheard = field(default_factory=Unheard)

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
        verdict = self._verdict(state, now, capabilities)
        if verdict is not None:
            self.state.set_result(verdict)
        elif age_s >= capabilities.job_deadline_s and self._is_late(state):
            self.state.set_result(None)
        elif isinstance(state, JobRunning):
            self.failures = 0
            flight = self.flight
            if self.job.calls_back and not flight.cancel_requested and not flight.called:
                self.due = now + capabilities.poll_after_s
            else:
                self.due = now + next_poll_s(age_s, capabilities.typical_job_s, state.hint_s, draw)
        else:
            self.failures += 1
            hint_s = state.hint_s if isinstance(state, JobLost) else None
            self.due = now + (hint_s or after_failed_poll_s(self.failures, draw))
        if self.poked:  # while it was being asked for: the answer may be older than the call
            self.due = min(self.due, max(now, self.poke_at - POKES_APART_S))

    def _verdict(
        self, state: JobState | None, now: float, capabilities: Capabilities
    ) -> JobState | None:
        """What the job has come to; None while it goes on or nothing is known of it."""
        if state is None:
            self.unheard.not_asked()
            return None
        if isinstance(state, JobLost):
            if self.unheard.said(now) < capabilities.lost_after_s:
                return None
            return state.means or state
        self.unheard.known()
        return None if isinstance(state, JobRunning) else state

    def _is_late(self, state: JobState | None) -> bool:
        """Whether nobody need wait any longer once the deadline has passed. Where the provider says
        that it knows no such job, that is soon the better answer."""
        if state is None:
            return self.failures >= SILENT_POLLS
        return not isinstance(state, JobLost)
