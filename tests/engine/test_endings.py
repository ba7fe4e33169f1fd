"""A batch that can go no further: who pauses it, and who lets it go on."""

from __future__ import annotations

import asyncio

from desktop_app.domain.attempt import Claim
from desktop_app.domain.batch import RunState
from desktop_app.domain.budget import day_of
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, message
from tests.engine.fakes import answers
from tests.engine.house import House, running
from tests.engine.virtual import run

DAY_S = 86_400.0
BY_YOU = message("services.paused_by_you")


def capped_after_two() -> House:
    """Six rows, of which the cap of each day lets two go."""
    house = House(answers())
    house.connect(2)
    house.store.add_batch(6)
    asked: dict[str, int] = {}

    def count(claims: list[Claim]) -> None:
        day = day_of(house.clock.now())
        asked[day] = asked.get(day, 0) + len(claims)
        house.store.over = message("store.budget_day", day=day) if asked[day] >= 2 else None

    house.store.on_claim = count
    return house


async def a_new_day(house: House) -> None:
    house.clock.jump(DAY_S)
    house.store.over = None
    await asyncio.sleep(60)


def test_the_cap_of_a_day_holds_a_batch_to_the_end_of_that_day() -> None:
    async def body() -> None:
        house = capped_after_two()
        async with running(house):
            await asyncio.sleep(3600)
            assert house.count(TaskState.SUCCESS) == 2
            assert house.store.batches_[1].run_state is RunState.PAUSED
            await a_new_day(house)
            assert house.count(TaskState.SUCCESS) == 4
            await a_new_day(house)
            assert house.count(TaskState.SUCCESS) == 6

    run(body())


def test_a_new_day_sends_nothing_after_a_restart() -> None:
    async def body() -> None:
        house = capped_after_two()
        async with running(house):
            await asyncio.sleep(60)
        house.new_engine()
        await house.engine.start()
        assert house.store.batches_[1].pause_reason == message("engine.restarted")
        await a_new_day(house)
        assert house.count(TaskState.SUCCESS) == 2
        await house.engine.resume(1)
        await asyncio.sleep(60)
        assert house.count(TaskState.SUCCESS) == 4
        await house.engine.stop()

    run(body())


def test_who_pauses_while_the_caps_are_read_keeps_his_word() -> None:
    async def body() -> None:
        house = capped_after_two()
        read = house.store.over_budget

        async def paused_meanwhile(batch_id: int, now: float) -> Message | None:
            await house.engine.pause(batch_id, reason=BY_YOU)
            return await read(batch_id, now)

        house.store.over_budget = paused_meanwhile  # type: ignore[method-assign]
        async with running(house):
            await asyncio.sleep(60)
            assert house.store.batches_[1].pause_reason == BY_YOU
            await a_new_day(house)
            assert house.store.batches_[1].run_state is RunState.PAUSED
            assert house.count(TaskState.SUCCESS) == 2

    run(body())
