"""The flights: every claimed task from its claim until its outcome is committed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from desktop_app.domain.allowance import Weight
from desktop_app.domain.attempt import Claim, Kept
from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import Answer, Call, Job
from desktop_app.engine.lines import Line
from desktop_app.engine.waits import event_or_time, first

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Leave(StrEnum):
    """Why a flight should end early."""

    GIVE_BACK = "give_back"  # pause-now, cancel: only if it has not begun
    LATE = "late"  # its read deadline has passed
    STOP = "stop"  # the engine ends: what has begun stays RUNNING in the store


@dataclass(slots=True, eq=False)
class Flight:
    """One attempt in this process. ``probe``: the number of the probe that it is, which goes
    out to see whether sending is useful, else 0.

    ``taken_up``: it was sent by an earlier flight, and this one finds out what became of it.
    ``held``: if nobody can say, a person decides, whatever the policy; ``decided``: it is sent
    again, as it would have been. ``called``: its provider called about it, so it has arrived;
    ``named``: the job that it spoke of, before the submit was answered. ``part``:
    what an earlier process kept of an answer that held more. ``weight``: what it takes of the
    account's allowances, where there are any; ``waits``: it has no slot and nothing else yet, and
    this wakes it.
    """

    claim: Claim
    line: Line
    claimed_at: float  # epoch
    probe: int = 0
    call: Call | None = None
    submit: asyncio.Task[Answer | Job] | None = None
    sent_at: float | None = None  # monotonic
    aside: bool = False  # its answer is where the next start finds and reads it
    landed: bool = False  # the answer is in, its slot is free
    handed: bool = False  # its outcome is with the store: what is claimed after it waits for it
    leave: Leave | None = None
    cancel_requested: bool = False
    broken: bool = False  # a fault of the program ended it
    job: Job | None = None
    taken_up: bool = False
    held: bool = False
    decided: bool = False
    called: bool = False
    named: Job | None = None
    part: Kept | None = None
    weight: Weight | None = None
    waits: asyncio.Event | None = None
    _step: asyncio.Future[Any] | None = None

    @property
    def begun(self) -> bool:
        """Whether the request has begun to leave."""
        return self.taken_up or (self.call is not None and self.call.begun)

    @property
    def stops(self) -> bool:
        """Whether the engine ends: what has begun is taken up at the next start."""
        return self.leave is Leave.STOP

    def key_age_s(self, clock: Clock, unset: float) -> float:
        """How long the provider may have known the key, counted from its first use: one clock
        stands still in sleep, and the other can be set, so the longer time counts. ``unset`` is
        the epoch as it would be had the clock not been set since the engine began."""
        if self.sent_at is not None and self.claim.key_since is None:
            return max(clock.now() - self.claimed_at, clock.monotonic() - self.sent_at)
        # Claimed before its key was first used, the row was claimed by a clock that was set back:
        # its age is then below 0, which is no age to rely on.
        since = self.claimed_at if self.claim.key_since is None else self.claim.key_since
        return max(clock.now(), unset) - since

    async def step(self, work: Awaitable[T]) -> T | None:
        """Do work that buys nothing; None, and the work given up, where the engine ends."""
        task = self._step = asyncio.ensure_future(work)
        try:
            if self.stops:
                task.cancel()
            await asyncio.wait({task})
        finally:
            self._step = None
            task.cancel()
        return None if task.cancelled() else task.result()

    def end_early(self, why: Leave) -> None:
        """Ask the flight to end. One that has begun is left alone unless it is late or the
        engine stops; an answer that is in is always kept."""
        if self.landed or (why is Leave.GIVE_BACK and self.begun):
            return
        self.leave = why
        if self.waits is not None:
            self.waits.set()
        if self.submit is not None:
            self.submit.cancel()
        if self.stops and self._step is not None:
            self._step.cancel()

    def proved(self) -> None:
        """What it went out to see is seen."""
        if self.probe:
            self.line.account.breaker.probe_ends(self.probe)
            self.probe = 0

    def land(self, *, sent: bool = True) -> None:
        """Give the slot back, and the token too where nothing was sent. Once."""
        if self.landed:
            return
        self.landed = True
        self.proved()
        limiter = self.line.account.limiter
        if self.waits is not None:
            limiter.allowances.leave(self.waits)
        elif sent:
            if not self.begun:
                limiter.left()
            limiter.release()
        else:
            limiter.put_back(1)
            if self.weight is not None:
                limiter.allowances.give_back(self.weight)


class Pool:
    """Starts flights, counts them, and says when one is over."""

    def __init__(self, clock: Clock, on_end: Callable[[Flight], None]) -> None:
        self._clock = clock
        self._on_end = on_end
        self._flights: dict[Flight, asyncio.Task[None]] = {}
        self._empty = asyncio.Event()
        self._empty.set()

    def start(self, flight: Flight, work: Coroutine[Any, Any, None]) -> None:
        """Run ``work`` for the flight."""
        self._empty.clear()
        flight.line.flights += 1
        task = asyncio.create_task(work)
        self._flights[flight] = task
        task.add_done_callback(lambda done: self._ended(flight, done))

    def flights(self, batch_id: int | None = None) -> list[Flight]:
        """Those of a batch, or all."""
        return [f for f in self._flights if batch_id is None or f.claim.batch_id == batch_id]

    def count(self, batch_id: int | None = None) -> int:
        """How many flights are under way."""
        return len(self._flights) if batch_id is None else len(self.flights(batch_id))

    async def over(self, flight: Flight, timeout_s: float) -> bool:
        """Wait until this flight has ended, at most ``timeout_s``. Whether it has."""
        task = self._flights.get(flight)
        return task is None or await first(self._clock, timeout_s, asyncio.wait({task}))

    def unkept(self) -> int:
        """Answers that wait for the disk, or have not come to the store yet."""
        return sum(1 for flight in self._flights if flight.landed and not flight.handed)

    async def empty(self, timeout_s: float | None) -> bool:
        """Wait until no flight is left, at most ``timeout_s``. Whether none is."""
        return await event_or_time(self._empty, self._clock, timeout_s)

    async def cancel(self) -> None:
        """Cancel what is left; the store settles it at the next start."""
        tasks = list(self._flights.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _ended(self, flight: Flight, task: asyncio.Task[None]) -> None:
        del self._flights[flight]
        flight.land(sent=flight.sent_at is not None)
        flight.line.flights -= 1
        if not self._flights:
            self._empty.set()
        if not task.cancelled() and task.exception() is not None:
            _log.error("a flight broke", exc_info=task.exception())
        self._on_end(flight)
