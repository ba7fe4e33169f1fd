"""A job that a call names is not forgotten where no flight is there to hear of it: its row is being
given up just then, or an earlier process left it and nobody has taken it up."""

from __future__ import annotations

import asyncio

import pytest

from desktop_app.domain.attempt import Completion
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.jobs import Arrival, Asked, Job
from desktop_app.domain.ports import FinishResult
from desktop_app.domain.ports.callbacks import Heard
from desktop_app.domain.task import TaskState
from tests.engine.house import House, running
from tests.engine.job_shop import Made, Shop, loses
from tests.engine.test_callbacks import house_of, row_of, shop_that_calls, whose
from tests.engine.virtual import run

S = TaskState


@pytest.mark.expect_log("could not be committed")
def test_a_call_for_a_row_that_can_not_be_given_up_now_is_to_come_again() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            house.store.fail_finish = 8
            await asyncio.sleep(10)
            with pytest.raises(LocalTrouble):
                await engine.called(whose(house), "job-1")
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=120)
        assert len(shop.calls) == 1

    run(body())


@pytest.mark.expect_log("could not be committed")
def test_a_quit_does_not_wait_for_a_disk_that_takes_no_job() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            finish = house.store.finish

            async def finishes(completion: Completion) -> FinishResult:
                asyncio.ensure_future(engine.called(whose(house), "job-1")).add_done_callback(
                    lambda call: call.exception()
                )
                await asyncio.sleep(1)
                house.store.fail_taken = 10**9
                return await finish(completion)

            house.store.finish = finishes  # type: ignore[method-assign]
            await house.until(lambda: row_of(house).state is S.UNCERTAIN)
            await asyncio.sleep(20)
        assert row_of(house).state is S.UNCERTAIN

    run(body())


@pytest.mark.expect_log("attempt 1 broke")
def test_a_job_that_was_named_is_followed_though_its_adapter_breaks() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)

        async def breaks(_made: Made, _nth: int) -> None:
            await asyncio.sleep(5)
            raise RuntimeError

        shop.on_submit = breaks
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            await engine.called(whose(house), "job-1")
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=30)
        # It was never given up, so that no end of the program finds it as such.
        assert len(row_of(house).history) == 1
        assert len(shop.calls) == 1

    run(body())


async def interrupted(house: House, shop: Shop) -> None:
    """An earlier engine ended while the submit of the row's call was on its way."""

    async def never(_made: Made, _nth: int) -> None:
        await asyncio.sleep(1000)

    shop.on_submit = never
    async with running(house):
        await house.until(lambda: bool(shop.made))
    assert row_of(house).state is S.RUNNING
    assert not row_of(house).jobs
    house.new_engine()


@pytest.mark.expect_log("waits for its folder")
def test_a_call_that_comes_before_its_row_can_be_settled_is_not_lost() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        house = house_of(shop)
        await interrupted(house, shop)
        house.files.trouble = True
        async with running(house) as engine:
            await asyncio.sleep(5)
            assert row_of(house).state is S.RUNNING
            assert await engine.caller(whose(house)) is not None
            assert await engine.called(whose(house), None) is Heard.KEPT
            assert await engine.called(whose(house), "job-1") is Heard.KEPT
            assert row_of(house).jobs == {1: Job("job-1")}
            house.files.trouble = False
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=60)
        assert len(shop.calls) == 1

    run(body())


def test_a_call_that_comes_while_the_password_store_is_asked_is_not_lost() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0, askable=True)
        shop.on_ask = lambda _nth: Asked(Arrival.UNKNOWN)
        house = house_of(shop)
        await interrupted(house, shop)
        get = house.secrets.get

        async def slow(connection: str) -> str | None:
            await asyncio.sleep(20)
            return await get(connection)

        house.secrets.get = slow  # type: ignore[method-assign]
        async with running(house) as engine:
            await asyncio.sleep(5)
            assert await engine.called(whose(house), "job-1") is Heard.KEPT
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=60)
        assert len(shop.calls) == 1

    run(body())


def test_a_call_of_which_nobody_can_tell_whose_it_is_is_to_come_again() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: row_of(house).state is S.UNCERTAIN)
        house.new_engine()
        del house.store.connections[1]
        engine = house.engine
        with pytest.raises(LocalTrouble):
            await engine.caller(whose(house))

    run(body())
