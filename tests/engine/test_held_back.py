"""What a provider asked for is kept also by the next process."""

from __future__ import annotations

import asyncio

import pytest

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Answer, Call
from desktop_app.domain.task import TaskState
from tests.engine.fakes import PICTURE, failure
from tests.engine.house import House, running
from tests.engine.virtual import run


@pytest.mark.parametrize("wait_s", [40.0, 300.0])
def test_a_restart_within_a_wait_waits_on(wait_s: float) -> None:
    """Beyond a minute the next calls may tell: nobody knows what happened meanwhile."""

    async def body() -> None:
        free_at = 0.0
        early: list[float] = []

        async def script(call: Call, nth: int) -> Answer:
            nonlocal free_at
            await asyncio.sleep(0.2)
            now = house.clock.monotonic()
            if len(house.provider.calls) >= 10 and not free_at:
                free_at = now + wait_s
            if now < free_at:
                early.append(now)
                raise failure(FailureClass.THROTTLED, "quota", after_s=free_at - now)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(8)
        house.store.add_batch(60)
        async with running(house):
            await house.until(lambda: house.count(TaskState.RUNNING) == 0 and bool(early))
        stopped = house.clock.monotonic()
        seen = len(early)
        house.new_engine()
        async with running(house) as engine:
            await house.until(lambda: engine.rates()["slowed_until"] is not None)
            assert engine.account_states()[1][0] == "slowed"
            assert engine.rates()["throttle_reason"] is not None
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 60
        again = [at for at in early[seen:] if at < stopped + min(wait_s, 55.0)]
        assert again == []
        assert len(early) - seen <= (0 if wait_s < 60 else 8)

    run(body())


@pytest.mark.parametrize("wait_s", [40.0, 300.0])
def test_after_a_restart_few_calls_find_out_what_one_refused_row_waits_for(wait_s: float) -> None:
    """Of an account that is held at its rate mostly one call is refused: the others were in."""

    async def body() -> None:
        free_at = 0.0
        early: list[float] = []

        async def script(call: Call, nth: int) -> Answer:
            nonlocal free_at
            now = house.clock.monotonic()
            if len(house.provider.calls) == 30 and not free_at:
                free_at = now + wait_s
            await asyncio.sleep(0.15)
            if now < free_at and (
                call.request.prompt == "row 29" or len(house.provider.calls) > 30
            ):
                early.append(now)
                raise failure(FailureClass.THROTTLED, "quota", after_s=free_at - now)
            await asyncio.sleep(5.0)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(30)
        house.store.add_batch(90)
        async with running(house):
            await house.until(lambda: house.count(TaskState.RUNNING) == 0 and bool(early))
        assert len(early) == 1
        house.new_engine()
        async with running(house):
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 90
        assert len(early) - 1 <= 6

    run(body())
