"""Limits at work: as fast as allowed, slower when told, never all at once."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise

import pytest

from desktop_app.domain.connection import Limits, RateUnit
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.limits import Working
from desktop_app.domain.ports import Answer, Call, Capabilities, RateNews
from desktop_app.domain.task import TaskState
from desktop_app.engine.limiter import Limiter
from tests.engine.fakes import PICTURE, answers, failure
from tests.engine.house import House, running
from tests.engine.virtual import VirtualClock, run


def test_ten_allowed_using_eight() -> None:
    async def body() -> None:
        house = House(answers())
        house.store.add_connection(limits=Limits(concurrency=10))
        house.store.add_batch(50)
        async with running(house):
            await house.finished()
            assert house.engine.rates()["concurrency"] == 8
        assert house.provider.most_out == 8

    run(body())


def test_the_stated_rate_is_kept() -> None:
    async def body() -> None:
        house = House(answers(latency_s=0.1))
        house.connect(20, rate=3.0)
        house.store.add_batch(90)
        async with running(house):
            took = await house.finished()
        times = [at for at, _ in house.provider.calls]
        assert all(b - a >= 1 / 3 - 0.002 for a, b in pairwise(times))
        assert took < 30.5

    run(body())


@pytest.mark.parametrize(("unit", "apart_s"), [(RateUnit.IPM, 3.0), (RateUnit.RPM, 1.0)])
def test_a_rate_of_images_counts_every_image_of_a_call(unit: RateUnit, apart_s: float) -> None:
    async def body() -> None:
        house = House(answers(latency_s=0.1))
        limits = Limits(concurrency=20, rate=60, rate_unit=unit, headroom=1.0)
        house.store.add_connection(limits=limits, params={"n": 3})
        house.store.add_batch(20)
        async with running(house):
            await house.finished()
        times = [at for at, _ in house.provider.calls]
        gaps = [b - a for a, b in pairwise(times)]
        assert min(gaps) >= apart_s - 0.01
        assert max(gaps) <= apart_s + 0.1

    run(body())


def test_after_retry_after_calls_go_one_by_one() -> None:
    async def body() -> None:
        first: list[float] = []

        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.05)
            if nth == 1:
                first.append(house.clock.monotonic())
                raise failure(FailureClass.THROTTLED, "http_429", after_s=10 + len(first))
            await asyncio.sleep(5)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(8)
        house.store.add_batch(8)
        async with running(house):
            await house.until(lambda: len(first) == 8)
            slowed = house.engine.rates()
            assert slowed["slowed_until"] is not None
            assert slowed["slowed_rate"] == slowed["allowed_rate"] is not None
            assert slowed["throttle_reason"] is not None
            await house.finished()
        again = [at for at, _ in house.provider.calls][8:]
        assert again[0] - first[-1] >= 17.9  # the longest of the waits
        assert all(b - a > 0.04 for a, b in pairwise(again))
        assert house.count(TaskState.SUCCESS) == 8

    run(body())


def test_told_three_times_too_many_it_learns_the_true_number() -> None:
    async def body() -> None:
        refusals = 0
        dice = random.Random(3)

        async def script(call: Call, nth: int) -> Answer:
            nonlocal refusals
            await asyncio.sleep(0.05)
            if house.provider.out > 10 + refused_now[0]:
                refused_now[0] += 1
                refusals += 1
                await asyncio.sleep(0.01)
                refused_now[0] -= 1
                raise failure(FailureClass.THROTTLED, "busy", after_s=1, concurrency=True)
            await asyncio.sleep(dice.lognormvariate(3.2, 0.4))
            return Answer((PICTURE,))

        refused_now = [0]
        house = House(script)
        house.connect(30)
        house.store.add_batch(200)
        async with running(house):
            took = await house.finished()
        mean = 26.6
        assert house.count(TaskState.SUCCESS) == 200
        assert refusals < 60
        assert took < 1.25 * 200 * mean / 10

    run(body())


def test_a_generic_429_by_number_is_survived_alike() -> None:
    async def body() -> None:
        refusals = 0

        async def script(call: Call, nth: int) -> Answer:
            nonlocal refusals
            if house.provider.out > 10:
                refusals += 1
                raise failure(FailureClass.THROTTLED, "http_429", after_s=1)
            await asyncio.sleep(20)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(30)
        house.store.add_batch(200)
        async with running(house):
            took = await house.finished()
        assert house.count(TaskState.SUCCESS) == 200
        assert refusals < 60
        assert took < 1.3 * 200 * 20 / 10

    run(body())


def test_one_row_too_big_by_itself_is_failed_and_the_others_go_on() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.5)
            if call.request.prompt == "huge":
                raise failure(FailureClass.THROTTLED, "tokens", after_s=1)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(4)
        house.store.add_batch(["huge", *["small"] * 400])
        async with running(house):
            await house.finished()
        row = house.store.rows[100_000]
        assert row.state is TaskState.FAILED
        assert 5 <= row.throttled <= 8
        assert house.count(TaskState.SUCCESS) == 400

    run(body())


def test_refusals_by_chance_do_not_wear_the_rate_down() -> None:
    async def body() -> None:
        dice = random.Random(5)

        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(2)
            if dice.random() < 0.02:
                raise failure(FailureClass.THROTTLED, "http_429", after_s=1)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(8, rate=4.0)
        house.store.add_batch(1000)
        async with running(house):
            took = await house.finished()
        assert took < 1.7 * 1000 / 4

    run(body())


def test_headers_teach_a_rate_and_an_empty_window_is_waited_out() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.1)
            window = RateNews(limit_requests=60, window_s=60, remaining_requests=5)
            if call.request.prompt == "row 9":
                window = RateNews(remaining_requests=0, reset_requests_s=30)
            return Answer((PICTURE,), news=window)

        house = House(script)
        house.connect(1)
        house.store.add_batch(20)
        async with running(house):
            await house.finished()
        times = [at for at, _ in house.provider.calls]
        gaps = [b - a for a, b in pairwise(times)]
        assert min(gaps[1:]) > 0.99
        assert max(gaps) > 29

    run(body())


def test_tokens_that_are_used_up_by_the_headers_are_waited_for() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.1)
            spent = call.request.prompt == "row 9"
            return Answer((PICTURE,), news=RateNews(no_tokens_s=20) if spent else RateNews())

        house = House(script)
        house.connect(1)
        house.store.add_batch(20)
        async with running(house):
            await house.finished()
        times = [at for at, _ in house.provider.calls]
        gaps = [b - a for a, b in pairwise(times)]
        assert [gap > 19 for gap in gaps].count(True) == 1

    run(body())


def test_headers_teach_nothing_where_the_adapter_declares_that_they_tell_no_limits() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.1)
            return Answer((PICTURE,), news=RateNews(remaining_requests=0, reset_requests_s=3000))

        house = House(script, Capabilities("picture", default_timeout_s=600.0))
        house.connect(1)
        house.store.add_batch(20)
        async with running(house):
            assert await house.finished() < 3000

    run(body())


def make(limits: Working) -> Limiter:
    return Limiter(VirtualClock(), random.Random(7).random, limits)


def test_what_takes_no_slot_goes_at_once_and_the_calls_after_it_wait() -> None:
    async def body() -> None:
        limiter = make(Working(10, rate=1.0))
        limiter.take(1)
        limiter.left()
        limiter.polls.spend()
        limiter.polls.spend()
        assert (limiter.in_use, limiter.free()) == (1, 0)
        await asyncio.sleep(2.5)
        assert limiter.free() == 0
        await asyncio.sleep(1.0)
        assert limiter.free() == 1

    run(body())


def test_what_is_at_work_over_there_holds_a_slot_over_the_cap() -> None:
    async def body() -> None:
        limiter = make(Working(2))
        for _ in range(3):
            limiter.hold()
        assert (limiter.free(), limiter.ready_in()) == (0, None)
        limiter.release()
        limiter.release()
        assert limiter.free() == 1

    run(body())


def test_it_says_what_it_is_slowed_to_as_long_as_calls_wait_for_that() -> None:
    async def body() -> None:
        limiter = make(Working(4, rate=10.0))
        assert (limiter.is_slowed, limiter.slowed_to) == (False, (None, None))
        limiter.take(4)
        sent = [limiter.sent() for _ in range(4)]
        await asyncio.sleep(0.2)
        full = failure(FailureClass.THROTTLED, "http_429", concurrency=True).failure
        limiter.throttled(sent[3], full)
        limiter.release()
        assert (limiter.is_slowed, limiter.slowed_to) == (True, (None, 3))
        hint = failure(FailureClass.THROTTLED, "http_429", after_s=20).failure
        await asyncio.sleep(1)
        limiter.throttled(limiter.sent(), hint)
        rate, number = limiter.slowed_to
        assert limiter.slowed_until is not None
        assert (number, rate) == (3, limiter.allowed_rate)
        assert rate is not None
        assert rate < 10
        await asyncio.sleep(21)
        limiter.succeeded(limiter.sent(), RateNews())
        for _ in range(3):
            assert limiter.is_slowed
            limiter.release()
        assert not limiter.is_slowed

    run(body())


def test_a_refused_poll_slows_the_rate_and_leaves_the_number_in_flight() -> None:
    async def body() -> None:
        limiter = make(Working(4, rate=10.0))
        sent_at = limiter.sent()
        await asyncio.sleep(1)
        before = limiter.allowed_rate or 0.0
        hint = failure(FailureClass.THROTTLED, "http_429", after_s=20).failure
        limiter.poll_refused(sent_at + 0.5, hint)
        assert limiter.concurrency == 4
        assert (limiter.allowed_rate or 0.0) < before
        assert limiter.free() == 0
        await asyncio.sleep(21)
        assert limiter.free() > 0

    run(body())
