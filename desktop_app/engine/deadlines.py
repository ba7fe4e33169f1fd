"""One sleeper for all calls: a timer each would cost a call as much as all else that is done for
it."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from typing import Any

from desktop_app.domain.clock import Clock

_SPARE = 64

SLEPT_S = 5.0
"""A sleeper that wakes so much too late was not alone in standing still."""


class Deadlines:
    """Waits for many futures at once, each with its own limit. There is a sleeper only while
    somebody waits."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._limits: list[tuple[float, int, asyncio.Future[bool]]] = []
        self._order = itertools.count()
        self._waiting = 0
        self._sleeper: asyncio.Task[None] | None = None
        self._wakes_at = 0.0

    async def first(self, seconds: float, future: asyncio.Future[Any]) -> bool:
        """Wait until ``future`` is done, at most ``seconds``. Whether it is; it is never
        cancelled."""
        over: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def done(_: asyncio.Future[Any]) -> None:
            if not over.done():
                over.set_result(True)

        self._waiting += 1
        self._limit(self._clock.monotonic() + max(0.0, seconds), over)
        future.add_done_callback(done)
        try:
            await over
        finally:
            future.remove_done_callback(done)
            over.cancel()
            self._waiting -= 1
            if not self._waiting:
                self._rest()
            elif len(self._limits) > _SPARE + 2 * self._waiting:
                self._forget_done()
        return future.done()

    def _limit(self, at: float, over: asyncio.Future[bool]) -> None:
        heapq.heappush(self._limits, (at, next(self._order), over))
        if self._sleeper is None or at < self._wakes_at:
            self._sleep_until(at)

    def _sleep_until(self, at: float) -> None:
        if self._sleeper is not None:
            self._sleeper.cancel()
        self._wakes_at = at
        self._sleeper = asyncio.ensure_future(self._sleep())

    async def _sleep(self) -> None:
        while self._limits:
            now = self._clock.monotonic()
            at, _, over = self._limits[0]
            if over.done():
                heapq.heappop(self._limits)
            elif at <= now:
                heapq.heappop(self._limits)
                over.set_result(False)
            else:
                self._wakes_at = at
                await self._clock.sleep(at - now)
                self._forgive(self._clock.monotonic() - at)
        self._sleeper = None

    def _forgive(self, late_s: float) -> None:
        """Time in which nothing ran counts for nobody: where the clock goes on while the computer
        sleeps, an answer that came meanwhile would be given up before it is read."""
        if late_s > SLEPT_S:
            self._limits = [(at + late_s, nth, over) for at, nth, over in self._limits]

    def _forget_done(self) -> None:
        self._limits = [limit for limit in self._limits if not limit[2].done()]
        heapq.heapify(self._limits)

    def _rest(self) -> None:
        self._limits.clear()
        if self._sleeper is not None:
            self._sleeper.cancel()
            self._sleeper = None
