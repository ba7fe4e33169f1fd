"""What nobody else would notice: commands, sleep, late calls."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from desktop_app.domain.attempt import Outcome
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.task import TaskState
from desktop_app.engine.lines import DEADLINE_GRACE_S
from tests.engine.fakes import answers, fails
from tests.engine.house import House, running
from tests.engine.virtual import run


@pytest.mark.expect_log("upkeep failed")
def test_commands_are_obeyed_within_a_second_and_a_failing_pump_is_no_end() -> None:
    async def body() -> None:
        house = House(answers())
        pumped: list[float] = []

        async def pump() -> None:
            pumped.append(house.clock.monotonic())
            if len(pumped) == 2:
                raise OSError("locked")

        house.pump = pump
        house.new_engine()
        await house.engine.start()
        await asyncio.sleep(10)
        await house.engine.stop()
        gaps = [b - a for a, b in pairwise(pumped)]
        assert len(pumped) >= 19
        assert max(gaps) < 1

    run(body())


def test_after_sleep_there_is_no_burst_and_deadlines_are_monotonic() -> None:
    async def body() -> None:
        house = House(answers(latency_s=10_000))
        house.connect(40, rate=1.0, timeout_s=600.0)
        house.store.add_batch(100)
        async with running(house):
            await asyncio.sleep(20)
            sent = len(house.provider.calls)
            house.clock.jump(8 * 3600)
            await asyncio.sleep(10)
            assert len(house.provider.calls) <= sent + 11
            assert len(house.store.spread) == 2  # at start, and now
            assert house.count(TaskState.UNCERTAIN) == 0
            await asyncio.sleep(600 + DEADLINE_GRACE_S)
            assert house.count(TaskState.UNCERTAIN) >= sent

    run(body())


def test_answers_that_came_while_the_computer_slept_are_kept() -> None:
    async def body() -> None:
        house = House(answers(latency_s=62))
        house.connect(4, timeout_s=600.0)
        house.store.add_batch(4)
        async with running(house):
            await asyncio.sleep(60)
            house.clock.jump(3600)
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 4
        assert len(house.provider.calls) == 4

    run(body())


def test_a_clock_that_is_set_ends_no_call() -> None:
    async def body() -> None:
        house = House(answers(latency_s=300))
        house.connect(4, timeout_s=600.0)
        house.store.add_batch(8)
        async with running(house):
            for seconds in (7200.0, -86400.0, 86400.0, 7200.0):
                await asyncio.sleep(60)
                house.clock.jump(seconds)
            await house.finished()
        assert house.store.outcomes() == {Outcome.SUCCESS: 8}

    run(body())


def test_five_minutes_of_refusals_are_told_and_probing_goes_on() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.THROTTLED, "http_429"))
        house.connect(4, rate=2.0)
        house.store.add_batch(100)
        async with running(house):
            await asyncio.sleep(290)
            assert house.engine.banners() == ()
            assert house.engine.account_states()[1][0] == "slowed"
            await asyncio.sleep(30)
            assert [b.said.code for b in house.engine.banners()] == ["engine.throttled_long"]
            calls = len(house.provider.calls)
            await asyncio.sleep(600)
            assert calls + 3 < len(house.provider.calls) < calls + 30
        assert house.count(TaskState.PENDING) == 100

    run(body())


def test_a_quota_pause_is_no_longer_than_told_when_the_clock_is_set_back() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.ACCOUNT, "quota", after_s=3600))
        house.connect(1)
        house.store.add_batch(2)
        async with running(house):
            await house.until(lambda: len(house.store.pauses) == 1)
            sent = len(house.provider.calls)
            house.clock.jump(-2 * 86_400)
            await asyncio.sleep(3700)
            assert len(house.provider.calls) > sent

    run(body())


def test_a_quota_pause_read_at_start_is_no_longer_than_told() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.ACCOUNT, "quota", after_s=3600))
        house.connect(1)
        house.store.add_batch(2)
        async with running(house):
            await house.until(lambda: len(house.store.pauses) == 1)
            sent = len(house.provider.calls)
        house.clock.jump(-2 * 86_400)
        house.new_engine()
        async with running(house):
            await asyncio.sleep(60)
            assert len(house.provider.calls) == sent
            await asyncio.sleep(3700)
            assert len(house.provider.calls) > sent

    run(body())
