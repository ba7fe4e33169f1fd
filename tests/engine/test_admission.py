"""A row that waits for its allowance has nothing yet, and goes when everything is there at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Answer, Call, RateNews
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from tests.engine.fakes import PICTURE, answers, failure
from tests.engine.house import House, running
from tests.engine.job_shop import Shop, job_house
from tests.engine.test_allowances import limited
from tests.engine.virtual import run


def test_a_row_that_waits_holds_no_slot_and_no_other_is_claimed() -> None:
    async def body() -> None:
        house = limited(answers(30.0), 40, tokens_per_minute=6_000, concurrency=3)
        async with running(house) as engine:
            await house.until(lambda: len(house.provider.calls) == 2)
            await asyncio.sleep(1)
            account = next(iter(engine._parts.accounts.accounts))
            assert account.limiter.in_use == house.provider.out
            assert engine.in_flight() == house.provider.out + 1
            assert house.count(TaskState.RUNNING) == house.provider.out + 1
        assert house.count(TaskState.RUNNING) == 2  # those that were sent; the third is given back

    run(body())


async def _cancel(house: House) -> None:
    await house.engine.cancel(TaskFilter(batch_id=1, states=frozenset({TaskState.PENDING})))
    running_ = frozenset({TaskState.RUNNING})
    await house.engine.cancel(TaskFilter(batch_id=1, states=running_))


async def _pause(house: House) -> None:
    await house.engine.pause(1)


@pytest.mark.parametrize(
    ("act", "left", "within_s"),
    [(_cancel, TaskState.CANCELLED, 0.3), (_pause, TaskState.PENDING, 2.0)],
)
def test_cancelled_or_paused_while_it_waits_a_row_takes_nothing(
    act: Callable[[House], Any], left: TaskState, within_s: float
) -> None:
    async def body() -> None:
        house = limited(answers(1.0), 10, tokens_per_minute=600)
        async with running(house) as engine:
            await house.until(lambda: len(house.provider.calls) == 1)
            await asyncio.sleep(5)
            assert engine.in_flight() == 1
            await act(house)
            await house.until(lambda: engine.in_flight() == 0, within_s)
            account = next(iter(engine._parts.accounts.accounts))
            assert account.limiter.in_use == 0
            assert not account.limiter.allowances.is_waited_for
        assert len(house.provider.calls) == 1
        assert house.count(left) == 9

    run(body())


def test_a_refused_call_has_taken_nothing_and_what_was_there_counts_no_more() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            if len(house.provider.calls) == 1:
                raise failure(FailureClass.THROTTLED, after_s=1.0)
            return Answer((PICTURE,))

        # Bigger than the bucket: as an answered call it would be waited for two minutes.
        house = limited(script, 1, prompt="y" * 11_436, tokens_per_minute=6_000)
        async with running(house):
            await house.finished()
        first, again = (at for at, _ in house.provider.calls)
        assert again - first == pytest.approx(6, abs=0.5)

    run(body())


def test_the_provider_s_longer_wait_wins() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            if len(house.provider.calls) == 2:
                raise failure(FailureClass.THROTTLED, after_s=30.0)
            return Answer((PICTURE,))

        house = limited(script, 4, tokens_per_minute=6_000)
        async with running(house):
            await house.finished()
        times = [at for at, _ in house.provider.calls]
        assert len(times) == 5
        assert times[2] - times[1] >= 30
        assert times[3] - times[2] < 15

    run(body())


def test_a_higher_limit_is_in_use_at_once() -> None:
    async def body() -> None:
        house = limited(answers(0.1), 3, tokens_per_minute=600)
        async with running(house) as engine:
            await asyncio.sleep(5)
            assert len(house.provider.calls) == 1
            changed = house.store.connections[1]
            limits = replace(changed.limits, tokens_per_minute=600_000)
            house.store.connections[1] = replace(changed, limits=limits)
            await engine.connection_changed(1)
            took = await house.finished()
        assert took < 20  # the debt of the first is paid at the new rate as well

    run(body())


def test_where_nothing_is_stated_no_call_is_weighed() -> None:
    async def body() -> None:
        house = House(answers(0.1))
        house.connect(4)
        house.store.add_batch(8)
        async with running(house) as engine:
            flights = []
            house.store.on_claim = lambda _: flights.extend(engine._parts.pool.flights())
            await house.finished()
        assert flights
        assert all(flight.weight is None for flight in flights)

    run(body())


def test_polls_leave_requests_for_the_row_that_waits() -> None:
    async def body() -> None:
        shop = Shop(takes_s=300.0)
        house = job_house(shop, rows=60, concurrency=60)
        connection = house.store.connections[1]
        limits = replace(connection.limits, rate=0.5, images_per_minute=10)
        house.store.connections[1] = replace(connection, limits=limits)
        async with running(house):
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 60
        times = [at for at, _ in shop.calls]
        assert max(b - a for a, b in pairwise(times)) < 9.0  # 6 and its turn among the polls

    run(body())


def test_tokens_that_headers_call_used_up_are_waited_for_though_the_bucket_has_some() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            used_up = len(house.provider.calls) == 3
            return Answer((PICTURE,), news=RateNews(no_tokens_s=25.0) if used_up else RateNews())

        house = limited(script, 6, tokens_per_minute=30_000)
        async with running(house):
            await house.finished()
        times = [at for at, _ in house.provider.calls]
        assert len(times) == 6
        gaps = [b - a for a, b in pairwise(times)]
        assert gaps[2] >= 25
        assert max(gaps[3:]) < 5

    run(body())


def test_a_call_that_was_not_sent_after_all_has_taken_nothing() -> None:
    async def body() -> None:
        house = limited(answers(0.1), 1, images_per_minute=10, params={})
        house.provider.connect_s = 5.0
        async with running(house) as engine:
            await asyncio.sleep(1)
            await engine.pause(1, now=True)
            await house.until(lambda: engine.in_flight() == 0, 5)
            assert house.provider.calls == []
            resumed = asyncio.get_running_loop().time()
            await engine.resume(1)
            await house.finished()
        assert house.provider.calls[0][0] - resumed == pytest.approx(5.0, abs=0.1)

    run(body())
