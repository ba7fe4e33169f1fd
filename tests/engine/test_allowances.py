"""Tokens and images a minute: a call leaves only when every bucket has what it takes."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from desktop_app.domain.allowance import Allowance, Weight
from desktop_app.domain.connection import Limits, RateUnit
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.limits import Working
from desktop_app.domain.ports import Answer, Call
from desktop_app.domain.task import TaskState
from desktop_app.engine.allowances import Allowances
from tests.engine.fakes import PICTURE, Script, answers, failure
from tests.engine.house import House, running
from tests.engine.virtual import VirtualClock, run

PROMPT = "x" * 436  # and 500 of the answer and 64 of the frame: 1,000 tokens
ROWS = 200


class Gate:
    """A provider with a bucket of its own; the first call beyond it is refused, and counted.
    ``really``: what a call takes of those tokens that it asked for, told with its answer."""

    def __init__(self, per_minute: float, asked: int, really: int | None = None) -> None:
        self.asked, self.really = asked, really
        self._per_minute = per_minute
        self._bucket: Allowance | None = None
        self.refused = 0

    def script(self, latency_s: float = 2.0) -> Script:
        async def script(call: Call, nth: int) -> Answer:
            now = asyncio.get_running_loop().time()
            if self._bucket is None:
                self._bucket = Allowance(self._per_minute, now)
            if self._bucket.wait_s(self.asked, now) > 0:
                self.refused += 1
                raise failure(FailureClass.THROTTLED, after_s=5.0)
            self._bucket.take(self.asked, now)
            await asyncio.sleep(latency_s)
            if self.really is not None:
                late = asyncio.get_running_loop().time()
                self._bucket.put_back(self.asked - self.really, late)
            return Answer((PICTURE,), tokens=self.really)

        return script


def limited(script: Script, rows: int, prompt: str = PROMPT, **stated: Any) -> House:
    house = House(script)
    headroom = stated.pop("headroom", 1.0)
    params = stated.pop("params", {"max_tokens": 497})  # the figure itself is sent as well
    limits = Limits(**{"concurrency": 20, **stated}, headroom=headroom)
    house.store.add_connection(limits=limits, params=params)
    house.store.add_batch([prompt] * rows)
    return house


async def time_of(house: House, rows: int) -> float:
    async with running(house):
        took = await house.finished()
    assert house.count(TaskState.SUCCESS) == rows
    assert len(house.provider.calls) == rows
    return took


@pytest.mark.parametrize(("headroom", "per_s"), [(1.0, 500.0), (0.8, 400.0)])
def test_rows_take_as_long_as_the_tokens_a_minute_say_and_none_is_refused(
    headroom: float, per_s: float
) -> None:
    async def body() -> None:
        gate = Gate(30_000, 1000)
        house = limited(gate.script(), ROWS, tokens_per_minute=30_000, headroom=headroom)
        took = await time_of(house, ROWS)
        assert gate.refused == 0
        assert took == pytest.approx(ROWS * 1000 / per_s, rel=0.04)
        assert house.store.claims <= ROWS + 2

    run(body())


def test_what_answers_took_less_is_sent_for_others() -> None:
    async def body() -> None:
        gate = Gate(30_000, 1000, really=250)
        house = limited(gate.script(), ROWS, tokens_per_minute=30_000)
        took = await time_of(house, ROWS)
        assert gate.refused == 0
        assert took == pytest.approx(ROWS * 250 / 500, rel=0.1)

    run(body())


def test_what_answers_took_more_is_waited_for() -> None:
    async def body() -> None:
        gate = Gate(30_000, 1000, really=2000)
        house = limited(gate.script(), ROWS, tokens_per_minute=30_000)
        took = await time_of(house, ROWS)
        assert gate.refused == 0
        assert took == pytest.approx(ROWS * 2000 / 500, rel=0.04)

    run(body())


def test_images_a_minute_count_each_image_of_a_call_beside_another_rate() -> None:
    async def body() -> None:
        gate = Gate(60, 3)
        house = limited(gate.script(0.1), 40, rate=3.0, images_per_minute=60, params={"n": 3})
        took = await time_of(house, 40)
        assert gate.refused == 0
        assert took == pytest.approx(40 * 3, rel=0.06)

    run(body())


def test_images_stated_as_the_rate_and_beside_it_are_charged_once() -> None:
    async def body() -> None:
        house = limited(
            answers(0.1), 20, rate=60, rate_unit=RateUnit.IPM, images_per_minute=60, params={"n": 3}
        )
        await time_of(house, 20)
        gaps = [b - a for (a, _), (b, _) in pairwise(house.provider.calls)]
        assert min(gaps) >= 2.99
        assert max(gaps) < 3.1

    run(body())


def test_the_tighter_of_rate_and_tokens_holds() -> None:
    async def body() -> None:
        house = limited(answers(0.1), 60, rate=0.25, tokens_per_minute=30_000)
        took = await time_of(house, 60)
        assert took == pytest.approx(59 / 0.25, rel=0.02)

    run(body())


def test_a_call_bigger_than_the_bucket_goes_and_others_are_not_blocked_for_ever() -> None:
    async def body() -> None:
        house = House(answers(0.1))
        house.store.add_connection(
            limits=Limits(20, tokens_per_minute=6_000, headroom=1.0), params={"max_tokens": 497}
        )
        house.store.add_batch([PROMPT] * 3 + ["y" * 11_436] + [PROMPT] * 3)
        async with running(house):
            took = await house.finished()
        assert house.count(TaskState.SUCCESS) == 7
        times = [at for at, _ in house.provider.calls]
        gaps = [b - a for a, b in pairwise(times)]
        assert max(gaps) == pytest.approx(120, rel=0.02)  # the call after the big one
        assert took == pytest.approx(18_000 / 100 - 6, rel=0.1)

    run(body())


def test_the_window_is_told_what_rows_wait_for_once_it_is_long() -> None:
    async def body() -> None:
        house = limited(answers(1.0), 30, tokens_per_minute=30_000)
        async with running(house) as engine:
            await asyncio.sleep(3)
            assert engine.rates()["waits_for"] is None
            await asyncio.sleep(15)
            assert engine.rates()["waits_for"].code == "engine.waits_tokens"
            await house.finished()
            await asyncio.sleep(10)
            assert engine.rates()["waits_for"] is None

    run(body())


def test_who_waits_is_let_go_in_order_and_when_the_limit_is_taken_away() -> None:
    async def body() -> None:
        clock = VirtualClock()
        stated = Working(4, images_per_minute=10)
        allowances = Allowances(clock, stated)
        assert allowances.rows(5) == 1
        assert allowances.enter(Weight(0, 1)) is None
        first, second = allowances.enter(Weight(0, 1)), allowances.enter(Weight(0, 1))
        assert first is not None
        assert second is not None
        assert allowances.is_next(first)
        assert allowances.rows(5) == 0
        allowances.leave(first)
        assert allowances.is_next(second)
        assert second.is_set()
        assert allowances.wait_s(Weight(0, 1)) == pytest.approx(6)
        allowances.configure(Working(4))
        assert allowances.wait_s(Weight(0, 1)) == 0
        assert not allowances.is_stated

    run(body())
