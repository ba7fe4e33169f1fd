"""A row whose provider has named a job is followed: it is not sent beside it, whatever keeps this
machine from writing that down at once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.domain.attempt import Claim, Completion
from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.errors import FailureClass, LocalTrouble
from desktop_app.domain.jobs import JobLost
from desktop_app.domain.ports import FinishResult
from desktop_app.domain.ports.callbacks import Addressee, Heard
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from tests.engine.fakes import failure
from tests.engine.house import House, running
from tests.engine.job_shop import Made, Shop, loses
from tests.engine.test_callbacks import house_of, row_of, shop_that_calls, whose
from tests.engine.virtual import run

S = TaskState


def house_that_sends_again(shop: Shop) -> House:
    house = house_of(shop)
    known = house.store.connections[1]
    house.store.connections[1] = replace(known, on_unknown=OnUnknown.RESEND)
    return house


async def first_loses(made: Made, nth: int) -> None:
    if nth == 1:
        await loses(made, nth)


def first_given_up() -> tuple[Shop, House]:
    """The first call of a row brings no answer, but a job."""
    shop = shop_that_calls(takes_s=1.0)
    shop.on_submit = first_loses
    return shop, house_that_sends_again(shop)


async def overtaken(house: House, shop: Shop) -> Addressee:
    """The row's first call was given up, and the second is on the wire; whom a call about the
    first one is for."""
    await house.until(lambda: bool(shop.made))
    first = whose(house)
    await house.until(lambda: len(shop.calls) == 2)
    return first


@pytest.mark.parametrize("how", ["fails", "is lost", "is refused", "is invalid", "succeeds"])
def test_the_job_of_a_call_that_was_overtaken_is_followed_where_the_newer_one_brings_nothing(
    how: str,
) -> None:
    async def submits(made: Made, nth: int) -> None:
        await asyncio.sleep(5)
        if nth == 1 or how == "is lost":
            raise failure(FailureClass.UNKNOWN, "dropped")
        if how == "fails":
            raise failure(FailureClass.TRANSIENT, "http_500")
        if how == "is refused":
            raise failure(FailureClass.REFUSED, "moderated")
        if how == "is invalid":
            raise failure(FailureClass.INVALID, "bad_size")

    async def body() -> None:
        shop = shop_that_calls(takes_s=8.0)
        shop.on_submit = submits
        house = house_that_sends_again(shop)
        async with running(house) as engine:
            first = await overtaken(house, shop)
            assert await engine.caller(first) is not None
            assert await engine.called(first, None) is Heard.NOTHING
            assert await engine.called(first, "job-1") is Heard.KEPT
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=300)
        assert len(shop.calls) == 2
        followed = "job-2" if how == "succeeds" else "job-1"
        assert [done.outcome.value for done in row_of(house).history][-1] == "success"
        assert row_of(house).history[-1].attempt_pk == int(followed[-1])

    run(body())


def test_a_lost_job_that_is_called_about_while_its_row_is_sent_again_is_asked_once_more() -> None:
    async def refuses(_made: Made, nth: int) -> None:
        if nth == 2:
            await asyncio.sleep(30)
            raise failure(FailureClass.REFUSED, "moderated")

    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0, lost_after_s=0.0)
        shop.on_submit = refuses
        shop.on_poll = lambda _made, nth: JobLost() if nth == 1 else None
        house = house_that_sends_again(shop)
        async with running(house) as engine:
            await house.until(lambda: len(shop.calls) == 2, timeout_s=400)
            first = house.addresses.addressee(1, row_of(house).key)
            for _ in range(3):
                assert await engine.called(first, "job-1") is Heard.KEPT
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=120)
        assert len(shop.calls) == 2
        assert len(shop.asked_for("job-1")) == 2

    run(body())


def test_a_newer_call_that_has_not_begun_is_not_sent_beside_the_job() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=8.0)
        shop.on_submit = first_loses
        house = house_that_sends_again(shop)
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            first = whose(house)
            shop.connect_s = 3.0
            await house.until(lambda: row_of(house).attempt_no == 2)
            await asyncio.sleep(1)
            assert await engine.called(first, "job-1") is Heard.KEPT
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=60)
        assert len(shop.calls) == 1

    run(body())


def test_a_row_that_is_claimed_while_its_job_is_being_stored_is_given_back() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=8.0)
        shop.on_submit = first_loses
        house = house_that_sends_again(shop)
        calls: list[asyncio.Task[Heard]] = []
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            first = whose(house)

            def claimed(claims: list[Claim]) -> None:
                if claims:
                    house.store.commit_s = 2.0
                    calls.append(asyncio.ensure_future(engine.called(first, "job-1")))

            house.store.on_claim = claimed
            await house.until(lambda: bool(calls))
            assert await calls[0] is Heard.KEPT
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=60)
        assert len(shop.calls) == 1

    run(body())


@pytest.mark.expect_log("could not be committed")
def test_a_full_disk_at_the_end_of_a_flight_loses_no_job_that_was_named_meanwhile() -> None:
    """Whoever called has hung up by then, and does not call again."""

    async def body() -> None:
        shop, house = first_given_up()
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            finish = house.store.finish

            async def finishes(completion: Completion) -> FinishResult:
                house.store.finish = finish  # type: ignore[method-assign]
                call = asyncio.ensure_future(engine.called(whose(house), "job-1"))
                await asyncio.sleep(1)
                call.cancel()
                house.store.fail_taken = 3
                house.store.trouble = LocalTrouble(message("store.disk_full"))
                return await finish(completion)

            house.store.finish = finishes  # type: ignore[method-assign]
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=60)
        assert len(shop.calls) == 1
        assert not house.store.fail_taken

    run(body())


@pytest.mark.expect_log("could not be committed")
def test_what_the_disk_does_not_take_is_called_again_and_is_not_sent_again_meanwhile() -> None:
    async def body() -> None:
        shop, house = first_given_up()
        async with running(house) as engine:
            await house.until(lambda: row_of(house).state is S.RETRYING)
            house.store.fail_taken = 10
            for _ in range(2):  # one storing serves them both
                with pytest.raises(LocalTrouble):
                    await engine.called(whose(house), "job-1")
            assert row_of(house).state is S.RETRYING
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=120)
        assert len(shop.calls) == 1

    run(body())


@pytest.mark.expect_log("could not be committed")
def test_a_quit_does_not_wait_for_a_named_job_that_the_disk_does_not_take() -> None:
    async def body() -> None:
        shop, house = first_given_up()
        async with running(house) as engine:
            await house.until(lambda: row_of(house).state is S.RETRYING)
            house.store.fail_taken = 10**9
            with pytest.raises(LocalTrouble):
                await engine.called(whose(house), "job-1")
            began = house.clock.monotonic()
        assert house.clock.monotonic() - began < 10
        assert len(shop.calls) == 1
        assert row_of(house).state is S.RETRYING

    run(body())


def test_a_call_that_comes_before_the_start_is_through_takes_nothing_up_beside_it() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house):
            await house.until(lambda: row_of(house).state is S.UNCERTAIN)
        engine = house.new_engine()
        orphans = house.store.orphans
        calls: list[asyncio.Task[Heard]] = []

        async def slow() -> Any:
            calls.append(asyncio.ensure_future(engine.called(whose(house), "job-1")))
            await asyncio.sleep(5)
            assert row_of(house).state is S.UNCERTAIN
            return await orphans()

        house.store.orphans = slow  # type: ignore[method-assign]
        async with running(house):
            assert await calls[0] is Heard.ASKED
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=60)
        assert len(shop.calls) == len(shop.collects) == 1

    run(body())
