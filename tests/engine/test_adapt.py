"""The benches' hidden limits in virtual time: what the limiter learns, without the machine."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable
from typing import NamedTuple

import pytest

from desktop_app.domain.connection import Limits as Told
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Answer, Call, RateNews
from desktop_app.domain.task import TaskState
from desktop_app.practice.config import from_mapping
from desktop_app.practice.limits import Gate
from tests.bench._bound import Limits, list_schedule
from tests.engine.fakes import PICTURE, failure
from tests.engine.house import House, running
from tests.engine.virtual import run

CHANGES = ((30.0, 1.5), (90.0, 3.0))


class Race(NamedTuple):
    """Time over the list schedule's; when calls were refused, and when admitted (seconds)."""

    ratio: float
    refused: list[float]
    admitted: list[float]


def race(
    told: Told,
    hidden: Limits,
    rows: int,
    mean_s: float,
    seed: int = 1,
    *,
    hints: bool | float = True,
) -> Race:
    """A batch against a gate; ``hints``: it says how long to wait, or always so many seconds."""
    dice, mu = random.Random(seed), math.log(mean_s) - 0.35**2 / 2
    times = [dice.lognormvariate(mu, 0.35) for _ in range(rows)]
    refused: list[float] = []
    admitted: list[float] = []
    ratio = [0.0]

    async def body() -> None:
        loop = asyncio.get_running_loop()
        config = {
            "concurrency": hidden.machines,
            "qps": hidden.rate,
            "burst": hidden.burst,
            "time_scale": 1.0,
            "schedule": [{"at_s": at, "qps": rate} for at, rate in hidden.changes],
        }
        gate, began = Gate(from_mapping(config), loop.time), loop.time()

        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.01 + dice.random() * 0.01)
            refusal = gate.enter()
            if refusal is not None:
                refused.append(loop.time() - began)
                by_number = refusal.kind == "concurrency"
                wait_s = (refusal.wait_s if hints is True else hints) if hints else None
                raise failure(FailureClass.THROTTLED, "429", after_s=wait_s, concurrency=by_number)
            admitted.append(loop.time() - began)
            await asyncio.sleep(times[int(call.request.prompt.split()[1])])
            gate.leave()
            return Answer((PICTURE,))

        house = House(script, commit_s=0.008)
        house.store.add_connection(limits=told)
        house.store.add_batch(rows)
        async with running(house):
            took = await house.finished()
        assert house.count(TaskState.SUCCESS) == rows
        ratio[0] = took / list_schedule(list(enumerate(times)), hidden)

    run(body())
    return Race(ratio[0], refused, admitted)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_rate_that_is_halved_and_restored_is_followed(seed: int) -> None:
    told = Told(concurrency=32, headroom=1.0)
    ratio, refused, _ = race(told, Limits(32, 3.0, 6, CHANGES), 300, 8.0, seed)
    assert ratio <= 1.10
    assert len(refused) <= 50


def test_told_limits_are_used_whole_without_one_refusal() -> None:
    told = Told(concurrency=10, rate=3.0, burst=6, headroom=1.0)
    ratio, refused, _ = race(told, Limits(10, 3.0, 6), 200, 28.0)
    assert ratio <= 1.03
    assert refused == []


def test_a_number_guessed_three_times_too_high_costs_little() -> None:
    told = Told(concurrency=32, rate=3.0, burst=6, headroom=1.0)
    ratio, refused, _ = race(told, Limits(10, 3.0, 6), 200, 28.0)
    assert ratio <= 1.10
    assert len(refused) <= 30


def test_a_hundred_calls_a_second_are_kept_full() -> None:
    told = Told(concurrency=64, rate=100.0, burst=20, headroom=1.0)
    ratio, refused, _ = race(told, Limits(64, 100.0, 20), 2000, 0.5)
    assert ratio <= 1.03
    assert refused == []


@pytest.mark.parametrize(
    ("hidden", "rows", "most"),
    [(Limits(8, 0.5, 1), 60, 20), (Limits(100, 5.0, 5), 600, 20), (Limits(16, 0.1, 2), 30, 50)],
)
def test_a_low_rate_without_a_word_is_not_taken_for_the_number_of_slow_answers(
    hidden: Limits, rows: int, most: int
) -> None:
    told = Told(concurrency=hidden.machines, headroom=1.0)
    ratio, refused, _ = race(told, hidden, rows, 28.0, hints=False)
    assert ratio <= 1.25
    assert len(refused) <= most


@pytest.mark.parametrize("hints", [True, False])
def test_a_provider_that_lets_in_one_call_after_another_is_followed_from_its_first_refusals(
    hints: bool,
) -> None:
    told = Told(concurrency=16, headroom=1.0)
    ratio, refused, _ = race(told, Limits(16, 1.0, 1), 300, 1.0, hints=hints)
    assert ratio <= 1.2
    assert len(refused) <= 35


def test_a_long_wait_for_each_refusal_is_risked_rarely() -> None:
    told = Told(concurrency=100, headroom=1.0)
    ratio, refused, _ = race(told, Limits(100, 5.0, 5), 600, 28.0, hints=20.0)
    assert ratio <= 1.5
    assert len(refused) <= 12


def test_a_few_calls_a_minute_are_told_and_none_is_refused() -> None:
    told = Told(concurrency=4, rate=3 / 60, headroom=1.0)
    ratio, refused, _ = race(told, Limits(4, 3 / 60, 1), 20, 5.0)
    assert refused == []
    assert ratio <= 1.03


def rate_between(times: list[float], since: float, until: float) -> float:
    """Calls a second."""
    return sum(since <= at < until for at in times) / (until - since)


@pytest.mark.parametrize(
    ("rate", "concurrency", "mean_s", "hints"),
    [(20.0, 32, 0.5, False), (20.0, 32, 0.5, True), (3.0, 32, 8.0, True), (3.0, 32, 8.0, False)],
)
def test_after_two_minutes_of_hardly_anything_the_whole_rate_is_back_within_one(
    rate: float, concurrency: int, mean_s: float, hints: bool
) -> None:
    storm = ((20.0, 0.02), (140.0, rate))
    told = Told(concurrency=concurrency, headroom=1.0)
    rows = int(rate * 110)
    hidden = Limits(concurrency, rate, 6, storm)
    _, refused, admitted = race(told, hidden, rows, mean_s, hints=hints)
    assert rate_between(admitted, 190.0, 200.0) >= 0.8 * rate
    assert len(refused) <= 60


def test_a_rate_that_is_hardly_ever_refused_is_used_whole() -> None:
    """A refusal in a hundred is no chance where it stands at the end of every climb."""
    told = Told(concurrency=64, headroom=1.0)
    _, refused, admitted = race(told, Limits(64, 100.0, 20), 3500, 0.5, hints=False)
    assert rate_between(admitted, 15.0, 30.0) >= 90
    assert len(refused) <= 40


def test_a_lasting_tenth_of_the_rate_is_soon_taken_for_what_it_is() -> None:
    told = Told(concurrency=32, headroom=1.0)
    ratio, refused, _ = race(told, Limits(32, 3.0, 6, ((60.0, 0.3),)), 300, 8.0)
    assert ratio <= 1.10
    assert sum(at > 360 for at in refused) <= 10


Enter = Callable[[float], tuple[float, RateNews]]
"""By seconds since the start: the wait of a call that is refused, 0 of one let in; the headers."""


def told_by_headers(enter: Enter, rows: int, call_s: float) -> tuple[float, int]:
    """What a batch took where each answer tells what is left; and how many calls were refused."""
    refused, took = [0], [0.0]

    async def body() -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()

        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.01)
            wait_s, news = enter(loop.time() - began)
            if wait_s:
                refused[0] += 1
                raise failure(FailureClass.THROTTLED, "429", after_s=wait_s)
            await asyncio.sleep(call_s)
            return Answer((PICTURE,), news=news)

        house = House(script, commit_s=0.008)
        house.store.add_connection(limits=Told(concurrency=64, headroom=1.0))
        house.store.add_batch(rows)
        async with running(house):
            took[0] = await house.finished()
        assert house.count(TaskState.SUCCESS) == rows

    run(body())
    return took[0], refused[0]


@pytest.mark.parametrize("call_s", [0.05, 3.0])
def test_calls_that_come_back_one_by_one_are_used_as_they_come(call_s: float) -> None:
    limit, per_s, left, at = 240, 4.0, [240.0], [0.0]

    def enter(now: float) -> tuple[float, RateNews]:
        left[0] = min(limit, left[0] + (now - at[0]) * per_s)
        at[0] = now
        if left[0] < 1:
            return (1 - left[0]) / per_s, RateNews()
        left[0] -= 1
        return 0.0, RateNews(limit, math.floor(left[0]), (limit - left[0]) / per_s)

    took_s, refused = told_by_headers(enter, 400, call_s)
    assert took_s <= 1.1 * (400 - limit) / per_s + call_s
    assert refused <= 20


@pytest.mark.parametrize("call_s", [0.05, 3.0])
def test_the_end_of_a_window_is_waited_for(call_s: float) -> None:
    limit, window_s = 100, 30.0
    used: dict[int, int] = {}

    def enter(now: float) -> tuple[float, RateNews]:
        window = int(now // window_s)
        reset_s = (window + 1) * window_s - now
        if used.get(window, 0) >= limit:
            return reset_s, RateNews()
        used[window] = used.get(window, 0) + 1
        return 0.0, RateNews(limit, limit - used[window], reset_s)

    took_s, refused = told_by_headers(enter, 250, call_s)
    assert took_s <= 2 * window_s + 10
    assert refused <= 40
