"""Follows a job from its id to a committed outcome: from the id on, nothing is ever sent again."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any, cast

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure, broken
from desktop_app.domain.jobs import (
    RESULT_EXPIRED,
    Job,
    JobCancelled,
    JobDone,
    JobFailed,
    JobLost,
    JobState,
)
from desktop_app.domain.ports import Answer, JobAdapter
from desktop_app.domain.retry import Draw, spaced
from desktop_app.domain.text import message
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.completer import Completer
from desktop_app.engine.keeper import Keeper
from desktop_app.engine.outcomes import Outcomes
from desktop_app.engine.poller import Poller
from desktop_app.engine.pool import Flight

_log = logging.getLogger(__name__)

COLLECT_TRIES = 8
"""Answers that were no result before one that was made counts as lost. What never reached the
provider, or was told to wait, does not count."""

EXPIRED_MAX = 3
APART_MAX_S = 30.0

_UNCOUNTED = frozenset({FailureClass.OFFLINE, FailureClass.THROTTLED})


class Jobs:
    """The second half of a flight whose ``submit`` gave a job."""

    def __init__(
        self,
        *,
        accounts: Accounts,
        completer: Completer,
        outcomes: Outcomes,
        poller: Poller,
        keeper: Keeper,
        clock: Clock,
        draw: Draw,
    ) -> None:
        self._accounts = accounts
        self._completer = completer
        self._outcomes = outcomes
        self._poller = poller
        self._keeper = keeper
        self._clock = clock
        self._draw = draw

    async def take(self, flight: Flight, job: Job) -> None:
        """The provider has taken the call as a job: its id is stored before anything else."""
        await self.remember(flight, job)
        self._outcomes.accepted(flight)

    async def remember(self, flight: Flight, job: Job) -> None:
        """Store the id, be it that of a flight that has ended: whoever asks finds the job."""
        flight.job = job
        await self._completer.taken(flight.claim.attempt_pk, job)

    async def follow(self, flight: Flight, job: Job, *, at_once: bool = False) -> None:
        """From the stored id to the committed outcome; leaves it RUNNING where the engine ends."""
        expired = 0
        parts: list[Answer] = []
        kept: dict[Any, Any] = {}
        while True:
            state = await flight.step(self._poller.verdict(flight, job, at_once=at_once))
            if flight.stops:
                return
            if not isinstance(state, JobDone):
                if not await self._kept_part(flight, parts):
                    await self._ended(flight, state)
                return
            self._outcomes.job_ended(flight)
            failure = await self._collect(flight, job, replace(state, kept=kept), parts)
            if failure is None:
                return
            expired += 1
            if failure.code != RESULT_EXPIRED or expired > EXPIRED_MAX:
                break
            at_once = True
        if not await self._kept_part(flight, parts):
            await self._outcomes.failed(flight, _lost(failure))

    async def _kept_part(self, flight: Flight, parts: list[Answer]) -> bool:
        """Where the rest is not to be had, what could be fetched is the result: now, or by an
        earlier process."""
        before = flight.part
        more = bool(parts) and (before is None or len(parts[0].contents) >= before.count)
        if more and await self._keep(flight, parts[0]) is None:
            return True
        if before is not None:
            await self._keeper.adopt(flight, before)
        return before is not None

    async def _ended(self, flight: Flight, state: JobState | None) -> None:
        if isinstance(state, JobFailed):
            await self._outcomes.failed(flight, state.failure)
        elif isinstance(state, JobCancelled):
            await self._outcomes.job_cancelled(flight, state.billed)
        elif isinstance(state, JobLost):
            said = message("engine.job_lost")
            await self._outcomes.failed(flight, Failure(FailureClass.UNKNOWN, "job_lost", said))
        else:
            hours = round(flight.line.capabilities.job_deadline_s / 3600)
            said = message("engine.job_deadline", hours=hours)
            flight.held = True
            await self._outcomes.failed(flight, Failure(FailureClass.UNKNOWN, "job_deadline", said))

    async def _collect(
        self, flight: Flight, job: Job, done: JobDone, parts: list[Answer]
    ) -> Failure | None:
        """Download until it is kept. None where it was, or the engine ends; what was wrong with
        the last try where it is of no use to go on. ``parts`` holds the most that came of it where
        not all did."""
        tries = counted = 0
        while True:
            failure = await self._try(flight, job, done, parts)
            if failure is None or failure.code == RESULT_EXPIRED:
                return failure
            tries += 1
            counted += failure.kind not in _UNCOUNTED
            if counted >= COLLECT_TRIES:
                return failure
            apart_s = spaced(tries - 1, self._draw, cap_s=APART_MAX_S)
            hinted_s = failure.wait.seconds or 0.0
            await flight.step(self._clock.sleep(max(apart_s, min(hinted_s, APART_MAX_S))))
            if flight.stops:
                return None

    async def _try(
        self, flight: Flight, job: Job, done: JobDone, parts: list[Answer]
    ) -> Failure | None:
        adapter = cast("JobAdapter", self._accounts.current(flight.line).adapter)
        try:
            answer = await flight.step(adapter.collect(job, done))
        except ProviderFailure as error:
            return error.failure
        except Exception as error:
            _log.exception("a result could not be collected")
            return broken(error)
        if answer is None:
            return None
        if answer.missing is not None:
            parts[:] = [max((*parts, answer), key=lambda one: len(one.contents))]
            return answer.missing
        failure = await self._keep(flight, answer)
        if failure is not None:
            done.kept.clear()  # nobody knows which of them was no result
        return failure

    async def _keep(self, flight: Flight, answer: Answer) -> Failure | None:
        await self._keeper.stage(flight, answer)
        self._outcomes.landed(flight, answer)
        return await self._keeper.keep(flight, answer)


def _lost(failure: Failure) -> Failure:
    """What was made, and billed, is not to be had."""
    said = failure.said
    if failure.code != RESULT_EXPIRED:  # which says itself that it was made
        said = message("engine.result_lost", why=failure.said)
    return replace(failure, kind=FailureClass.UNKNOWN, said=said, billed=True, timeout=False)
