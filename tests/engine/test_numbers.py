"""A provider that refuses by the number in flight, in virtual time: followed down and up again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from desktop_app.domain.connection import Connection, Limits
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Answer, Call
from desktop_app.domain.task import TaskState
from desktop_app.engine.defaults import Defaults
from tests.engine.fakes import PICTURE, failure
from tests.engine.house import House, running
from tests.engine.virtual import run


class Told(NamedTuple):
    """Seconds at which calls were refused; (seconds, calls in flight) when one was let in."""

    refused: list[float]
    let_in: list[tuple[float, int]]
    rates: list[float | None]  # the last one allowed

    def back_after(self, since: float, number: int) -> float:
        """Seconds until so many were in flight."""
        return next(at - since for at, out in self.let_in if at > since and out >= number)


def told(
    held: Mapping[float, int],
    rows: int,
    call_s: float,
    *,
    says_so: bool = True,
    spare: bool = False,
    stated: int | None = 10,
) -> Told:
    """``held``: from when on it holds how many, others having the rest. ``spare``: it says that
    calls are left."""
    found = Told([], [], [])

    async def body() -> None:
        loop = asyncio.get_running_loop()
        began, out = loop.time(), 0

        async def script(call: Call, nth: int) -> Answer:
            nonlocal out
            await asyncio.sleep(0.03)
            now = loop.time() - began
            if out >= [most for at, most in held.items() if at <= now][-1]:
                found.refused.append(now)
                raise failure(FailureClass.THROTTLED, "http_429", concurrency=says_so, spare=spare)
            out += 1
            found.let_in.append((now, out))
            await asyncio.sleep(call_s)
            out -= 1
            return Answer((PICTURE,))

        house = House(script, commit_s=0.008)
        house.store.add_connection(limits=Limits(concurrency=stated, headroom=1.0))
        house.store.add_batch(rows)
        async with running(house):
            await house.finished()
            found.rates.append(house.engine.rates()["allowed_rate"])
        assert house.count(TaskState.SUCCESS) == rows

    run(body())
    return found


@pytest.mark.parametrize("says_so", [True, False])
@pytest.mark.parametrize(("rows", "call_s"), [(120, 28.0), (500, 4.0)])
def test_two_minutes_without_one_slot_are_no_storm_and_soon_over(
    rows: int, call_s: float, says_so: bool
) -> None:
    found = told({0: 10, 60: 0, 180: 10}, rows, call_s, says_so=says_so)
    assert len(found.refused) <= 40
    assert found.back_after(180, 8) <= 60


@pytest.mark.parametrize(("rows", "call_s"), [(200, 28.0), (800, 4.0)])
def test_ten_minutes_of_two_slots_are_followed_and_soon_over(rows: int, call_s: float) -> None:
    found = told({0: 10, 60: 2, 660: 10}, rows, call_s)
    assert len(found.refused) <= 40
    assert found.back_after(660, 8) <= 60


@pytest.mark.parametrize(("says_so", "spare"), [(True, False), (False, True)])
def test_a_refusal_of_the_number_teaches_the_number_alone(says_so: bool, spare: bool) -> None:
    """By its words, or because it names no wait, has calls left and holds many of ours."""
    found = told({0: 10}, 200, 28.0, says_so=says_so, spare=spare, stated=32)
    assert found.rates == [None]
    assert len(found.refused) <= 12
    assert found.back_after(30, 10) <= 60


def test_a_number_that_nothing_speaks_of_is_found_by_its_refusals() -> None:
    found = told({0: 10}, 200, 28.0, says_so=False, stated=32)
    assert len(found.refused) <= 40
    assert found.back_after(30, 10) <= 60
    assert sum(at > 300 for at in found.refused) <= 8


@pytest.mark.parametrize("says_so", [True, False])
@pytest.mark.parametrize("number", [6, 20, 45])
def test_a_number_that_nobody_stated_is_found_out_by_time(number: int, says_so: bool) -> None:
    found = told({0: number}, 10 * number, 28.0, says_so=says_so, stated=None)
    assert max(out for _, out in found.let_in) == number
    assert found.back_after(0, number) <= 28 + 15  # a mistyped model is to be seen first
    assert len(found.refused) <= 40
    assert found.let_in[-1][0] + 28 <= 1.25 * 10 * 28


@pytest.mark.parametrize(
    ("url", "most"),
    [
        ("https://api.example.com/v1", 64),
        ("HTTPS://api.example.com/v1", 64),
        ("http://192.168.0.5:8000/v1", None),
        ("https://localhost:8000/v1", None),
    ],
)
def test_a_server_of_ones_own_is_not_tried_for_more(url: str, most: int | None) -> None:
    assert Defaults().most_of(Connection("shop", "a", url, "m")) == most
