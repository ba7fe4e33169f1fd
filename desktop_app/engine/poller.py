"""Asks for the jobs that providers work on: all of them from one place, so that many fit in one
call, an account's calls for them keep apart, and nobody asks twice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar, cast

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.jobs import Job, JobState
from desktop_app.domain.polling import next_poll_s
from desktop_app.domain.ports import JobAdapter
from desktop_app.domain.retry import Draw
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.lines import Account, Line
from desktop_app.engine.pool import Flight
from desktop_app.engine.waits import dropped, event_or_time, first
from desktop_app.engine.watch import Watch

_log = logging.getLogger(__name__)

POLL_LIMIT_S = 120.0
"""When a poll is given up that its adapter did not end itself."""

POLLS_OUT = 8
"""Polls of one account under way at once."""

SHARE = 0.5
"""The part of an account's rate that polls may use while rows wait for theirs; else all of it."""

SPREAD_S = 0.2
SPREAD_MAX_S = 30.0
CANCEL_TRIES = 5
FAULT_S = 10.0

T = TypeVar("T")
Refused = Callable[[Line, Failure], Awaitable[None]]


class Poller:
    """``refused`` hears of an account that was refused while it was asked."""

    def __init__(self, *, accounts: Accounts, clock: Clock, draw: Draw, refused: Refused) -> None:
        self._accounts = accounts
        self._clock = clock
        self._draw = draw
        self._refused = refused
        self._watches: dict[Watch, None] = {}  # as they came: of two due at once the older is asked
        self._event = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        self._polls: dict[asyncio.Task[None], Account] = {}
        self._last: dict[Account, float] = {}

    async def verdict(self, flight: Flight, job: Job, *, at_once: bool) -> JobState | None:
        """Ask until the job has ended: its state then, or None after ``job_deadline_s``."""
        now = self._clock.monotonic()
        at_once = at_once or flight.called
        age_s = max(0.0, self._clock.now() - flight.claimed_at)
        watch = Watch(
            flight,
            job,
            since=now - age_s,
            due=now if at_once else now + self._first_s(flight, job),
            state=asyncio.get_running_loop().create_future(),
        )
        self._watches[watch] = None
        if flight.cancel_requested:
            self.cancel(flight)
        self._start()
        try:
            return await watch.state
        finally:
            self._watches.pop(watch, None)

    def poke(self, job_id: str) -> None:
        """Somebody says that this job is worth a look now, if it is asked for at all."""
        now = self._clock.monotonic()
        for watch in self._watches:
            if watch.job.id == job_id:
                watch.poke(now)
        self._event.set()

    def cancel(self, flight: Flight) -> None:
        """Ask the provider to stop the flight's job, where it can."""
        for watch in self._watches:
            if watch.flight is flight and flight.line.capabilities.cancel:
                watch.cancels = CANCEL_TRIES
                watch.due = self._clock.monotonic()
        self._event.set()

    def after_jump(self) -> None:
        """The computer slept: every job may have ended meanwhile; ask soon, but not all at once."""
        now = self._clock.monotonic()
        spread_s = min(SPREAD_MAX_S, SPREAD_S * len(self._watches))
        for watch in self._watches:
            watch.due = min(watch.due, now + self._draw() * spread_s)
        self._event.set()

    async def stop(self) -> None:
        """Ask no more."""
        for task in (self._loop, *self._polls):
            if task is not None:
                await dropped(task)
        self._loop = None

    def _first_s(self, flight: Flight, job: Job) -> float:
        caps = flight.line.capabilities
        if job.calls_back:
            return caps.poll_after_s
        return next_poll_s(0.0, caps.typical_job_s, job.hint_s, self._draw)

    def _start(self) -> None:
        self._event.set()
        if self._loop is None or self._loop.done():
            self._loop = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        while self._watches:
            self._event.clear()
            try:
                wait = self._round()
            except Exception:
                _log.exception("a round of polls failed")
                wait = FAULT_S
            await event_or_time(self._event, self._clock, wait)

    def _round(self) -> float | None:
        """Send every poll that is due; seconds until the next, None while nothing is."""
        now = self._clock.monotonic()
        lines: dict[Line, list[Watch]] = {}
        for watch in self._watches:
            if not watch.out and not watch.state.done():
                lines.setdefault(self._accounts.current(watch.flight.line), []).append(watch)
        waits: list[float] = []
        for line, watches in lines.items():
            watches.sort(key=lambda watch: watch.due)
            many = max(1, line.capabilities.polls_many)
            while watches and self._out(line.account) < POLLS_OUT:
                at = max(watches[0].due, self._earliest(line.account))
                if at > now:
                    waits.append(at - now)
                    break
                together = _together(watches, many)
                self._send(line, together, now)
                watches = [watch for watch in watches if not watch.out]
        return min(waits, default=None)

    def _out(self, account: Account) -> int:
        return sum(polled is account for polled in self._polls.values())

    def _earliest(self, account: Account) -> float:
        polls = account.limiter.polls
        rows_wait = account.limiter.rows_wait or account.limiter.allowances.is_waited_for
        rate, last = polls.rate, self._last.get(account)
        if rate is None or last is None:
            return polls.held_until
        return max(polls.held_until, last + 1 / (rate * (SHARE if rows_wait else 1.0)))

    def _send(self, line: Line, watches: Sequence[Watch], now: float) -> None:
        self._last[line.account] = now
        wait = line.account.limiter.polls.book()
        for watch in watches:
            watch.out = True
            watch.poked = False
        task = asyncio.ensure_future(self._poll(line, watches, wait))
        self._polls[task] = line.account
        task.add_done_callback(self._sent)

    def _sent(self, task: asyncio.Task[None]) -> None:
        del self._polls[task]
        self._event.set()

    async def _poll(self, line: Line, watches: Sequence[Watch], wait: float) -> None:
        line.flights += 1  # nobody may close it meanwhile
        states: Mapping[str, JobState] | None = None
        try:
            await self._turn(line.account, wait)
            for watch in watches:
                await self._cancel(line, watch)
            states = await self._ask(line, [watch.job for watch in watches])
        except Exception:
            _log.exception("a poll broke")
        finally:
            for watch in watches:
                watch.out = False
                state = states.get(watch.job.id) if states is not None else None
                watch.alone = watch.alone or (states is not None and state is None)
                self._heard(line, watch, state)
            line.flights -= 1
            await self._accounts.close_unused(line)

    async def _turn(self, account: Account, wait: float) -> None:
        """Until the booked token is there, and what was refused meanwhile is waited out."""
        try:
            while wait > 0:
                await self._clock.sleep(wait)
                wait = account.limiter.polls.held_until - self._clock.monotonic()
        except BaseException:
            account.limiter.polls.dropped()
            raise

    async def _ask(self, line: Line, jobs: Sequence[Job]) -> Mapping[str, JobState] | None:
        """By id; None where nothing was answered."""
        sent_at = line.account.limiter.polls.left()
        try:
            states = await self._limited(cast("JobAdapter", line.adapter).poll(jobs))
            line.account.limiter.polls.answered(sent_at)
            return states
        except ProviderFailure as error:
            failure = error.failure
        if failure.kind is FailureClass.THROTTLED:
            line.account.limiter.poll_refused(sent_at, failure)
        elif failure.kind is FailureClass.ACCOUNT:
            await self._refused(line, failure)
        return None

    async def _limited(self, call: Awaitable[T]) -> T | None:
        task = asyncio.ensure_future(call)
        try:
            await first(self._clock, POLL_LIMIT_S, task)
        finally:
            task.cancel()
        return None if task.cancelled() or not task.done() else task.result()

    async def _cancel(self, line: Line, watch: Watch) -> None:
        if not watch.cancels:
            return
        watch.cancels -= 1
        try:
            await self._limited(cast("JobAdapter", line.adapter).cancel(watch.job))
        except ProviderFailure as error:
            _log.info("a job was not cancelled: %s", error.failure.code)
        except Exception:
            _log.exception("a job could not be cancelled")
        else:
            watch.cancels = 0

    def _heard(self, line: Line, watch: Watch, state: JobState | None) -> None:
        watch.heard(state, self._clock.monotonic(), line.capabilities, self._draw)


def _together(watches: Sequence[Watch], many: int) -> Sequence[Watch]:
    """Which of those that are due, the first one among them, are asked for in one call."""
    if watches[0].alone:
        return watches[:1]
    return [watch for watch in watches if not watch.alone][:many]
