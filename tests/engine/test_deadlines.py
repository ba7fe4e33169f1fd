"""Many wait, each with its own limit, and one sleeper wakes whoever's time is up."""

from __future__ import annotations

import asyncio
from typing import Any

from desktop_app.engine.deadlines import Deadlines
from tests.engine.virtual import VirtualClock, run


class CountingClock(VirtualClock):
    """Counts sleepers, those asleep now and the most at one time."""

    def __init__(self) -> None:
        super().__init__()
        self.asleep = self.most = self.sleeps = 0

    async def sleep(self, seconds: float) -> None:
        self.asleep += 1
        self.sleeps += 1
        self.most = max(self.most, self.asleep)
        try:
            await super().sleep(seconds)
        finally:
            self.asleep -= 1


def future() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()


def test_each_waits_as_long_as_its_own_limit_says() -> None:
    async def body() -> None:
        clock = CountingClock()
        deadlines = Deadlines(clock)
        ended: list[tuple[int, float]] = []

        async def one(seconds: int) -> None:
            began = clock.monotonic()
            waited = future()
            assert not await deadlines.first(seconds, waited)
            assert not waited.cancelled()
            ended.append((seconds, clock.monotonic() - began))

        await asyncio.gather(*(one(seconds) for seconds in (30, 10, 20, 10, 0)))
        assert ended == [(0, 0.0), (10, 10.0), (10, 10.0), (20, 20.0), (30, 30.0)]
        assert clock.asleep == 0
        # One that gives way to an earlier limit is still there until it is told so.
        assert clock.most <= 2

    run(body())


def test_what_is_done_in_time_is_told_at_once_and_leaves_no_sleeper() -> None:
    async def body() -> None:
        clock = CountingClock()
        deadlines = Deadlines(clock)
        waited = future()
        waiting = asyncio.ensure_future(deadlines.first(600, waited))
        await asyncio.sleep(1)
        waited.set_result(None)
        assert await waiting
        assert await deadlines.first(600, waited)
        await asyncio.sleep(0)
        assert clock.asleep == 0

    run(body())


def test_a_waiter_that_is_cancelled_takes_no_other_with_it() -> None:
    async def body() -> None:
        deadlines = Deadlines(clock := CountingClock())
        gone = asyncio.ensure_future(deadlines.first(5, one := future()))
        stays = asyncio.ensure_future(deadlines.first(9, future()))
        await asyncio.sleep(1)
        gone.cancel()
        assert not await stays
        assert clock.monotonic() == 1009.0
        assert gone.cancelled()
        assert not one.done()

    run(body())


def test_thousands_of_quick_calls_leave_nothing_behind() -> None:
    async def body() -> None:
        deadlines = Deadlines(clock := CountingClock())
        slow = asyncio.ensure_future(deadlines.first(600, future()))
        for _ in range(1_000):
            quick = future()
            waiting = asyncio.ensure_future(deadlines.first(600, quick))
            await asyncio.sleep(0)
            quick.set_result(None)
            assert await waiting
        assert len(deadlines._limits) < 100
        assert clock.sleeps == 1
        assert not await slow

    run(body())
