"""Where the provider can be asked whether a call arrived, it is asked before anybody guesses."""

from __future__ import annotations

import asyncio

import pytest

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.jobs import Arrival, Asked, JobLost
from desktop_app.domain.ports import Answer, Call
from desktop_app.domain.task import TaskState
from tests.engine.fakes import PICTURE, Row, failure
from tests.engine.house import House, running
from tests.engine.job_shop import Made, Shop, job_house, loses
from tests.engine.virtual import run

S = TaskState


def row_of(house: House) -> Row:
    return house.store.rows[100_000]


def test_a_job_whose_submit_was_lost_is_found_by_its_key_and_followed() -> None:
    async def body() -> None:
        shop = Shop(askable=True)
        shop.on_submit = loses
        house = job_house(shop)
        async with running(house):
            await house.finished()
        row = row_of(house)
        assert (row.state, len(shop.calls)) == (S.SUCCESS, 1)
        assert shop.asked == [shop.made["job-1"].key]
        assert row.jobs[1].id == "job-1"
        assert row.history[-1].attempt_pk == 1

    run(body())


@pytest.mark.expect_log("attempt 1 broke")
def test_an_adapter_that_breaks_over_the_answer_leaves_it_to_the_provider_first() -> None:
    async def body() -> None:
        shop = Shop(askable=True)

        async def breaks(made: Made, _nth: int) -> None:
            raise ZeroDivisionError

        shop.on_submit = breaks
        house = job_house(shop)
        async with running(house):
            await house.finished()
        assert (row_of(house).state, len(shop.calls)) == (S.SUCCESS, 1)
        assert shop.asked == [shop.made["job-1"].key]

    run(body())


def test_a_read_timeout_is_asked_about_before_the_policy_decides() -> None:
    async def body() -> None:
        shop = Shop(askable=True)

        async def hangs(made: Made, _nth: int) -> None:
            if made.id == "job-1":
                await asyncio.sleep(10_000)

        shop.on_submit = hangs
        house = job_house(shop, on_unknown=OnUnknown.RESEND)
        async with running(house):
            await house.finished()
        assert (row_of(house).state, len(shop.calls)) == (S.SUCCESS, 1)

    run(body())


def test_what_never_arrived_is_given_back_and_costs_nothing() -> None:
    async def body() -> None:
        shop = Shop(askable=True)

        async def vanishes(made: Made, _nth: int) -> None:
            if made.id == "job-1":
                del shop.made[made.id]
                raise failure(FailureClass.UNKNOWN, "dropped")

        shop.on_submit = vanishes
        house = job_house(shop)
        async with running(house):
            await house.finished()
        row = row_of(house)
        assert (row.state, len(shop.calls), row.retries_spent) == (S.SUCCESS, 2, 0)
        first = row.history[0]
        assert (first.to, first.outcome, first.billed) == (S.PENDING, Outcome.OFFLINE, Billed.NO)

    run(body())


def test_a_call_that_never_arrives_and_times_out_each_time_comes_to_an_end() -> None:
    async def body() -> None:
        shop = Shop(askable=True)

        async def vanishes(made: Made, _nth: int) -> None:
            del shop.made[made.id]
            await asyncio.sleep(10_000)

        shop.on_submit = vanishes
        house = job_house(shop)
        async with running(house):
            await house.finished()
        assert (row_of(house).state, len(shop.calls)) == (S.DEAD, 3)

    run(body())


@pytest.mark.parametrize(
    ("policy", "state", "calls"),
    [(OnUnknown.HOLD, S.UNCERTAIN, 1), (OnUnknown.RESEND, S.SUCCESS, 2)],
)
@pytest.mark.parametrize("silent", [True, False])
def test_a_question_without_an_answer_leaves_it_to_the_policy(
    policy: OnUnknown, state: TaskState, calls: int, silent: bool
) -> None:
    async def body() -> None:
        shop = Shop(askable=True)

        async def first_is_lost(made: Made, _nth: int) -> None:
            if made.id == "job-1":
                raise failure(FailureClass.UNKNOWN, "dropped")

        def ask(_nth: int) -> Asked:
            if silent:
                raise failure(FailureClass.OFFLINE, "dns")
            return Asked(Arrival.UNKNOWN)

        shop.on_submit, shop.on_ask = first_is_lost, ask
        house = job_house(shop, on_unknown=policy)
        async with running(house):
            await house.finished()
        assert (row_of(house).state, len(shop.calls)) == (state, calls)
        assert len(shop.asked) == (6 if silent else 1)

    run(body())


def test_what_arrived_without_a_job_to_poll_was_billed() -> None:
    async def body() -> None:
        shop = Shop(askable=True)
        shop.on_submit = loses
        shop.on_ask = lambda _nth: Asked(Arrival.ARRIVED)
        house = job_house(shop)
        async with running(house):
            await house.finished()
        row = row_of(house)
        assert (row.state, row.history[-1].billed) == (S.UNCERTAIN, Billed.YES)

    run(body())


def test_a_live_key_is_sent_again_and_nobody_is_asked() -> None:
    async def body() -> None:
        shop = Shop(askable=True, idempotent_s=3600.0)

        async def first_is_lost(made: Made, _nth: int) -> None:
            if made.id == "job-1":
                raise failure(FailureClass.UNKNOWN, "dropped")

        shop.on_submit = first_is_lost
        house = job_house(shop)
        async with running(house):
            await house.finished()
        assert (row_of(house).state, len(shop.calls), shop.asked) == (S.SUCCESS, 2, [])
        assert len(set(shop.keys)) == 1

    run(body())


def test_the_engine_ends_while_it_asks_and_asks_again_at_the_next_start() -> None:
    async def body() -> None:
        shop = Shop(askable=True)
        shop.on_submit = loses

        def silent(_nth: int) -> Asked:
            raise failure(FailureClass.OFFLINE, "dns")

        shop.on_ask = silent
        house = job_house(shop)
        async with running(house):
            await house.until(lambda: bool(shop.asked))
        assert row_of(house).state is S.RUNNING
        shop.on_ask = lambda _nth: None
        house.new_engine()
        await house.engine.start()
        await house.until(lambda: row_of(house).state is S.SUCCESS)
        assert len(shop.calls) == 1
        await house.engine.stop()

    run(body())


def test_a_synchronous_answer_that_was_lost_can_be_asked_about_too() -> None:
    async def body() -> None:
        shop = Shop(askable=True)

        async def script(call: Call, nth: int) -> Answer:
            if nth == 1:
                raise failure(FailureClass.UNKNOWN, "dropped")
            return Answer((PICTURE,))

        shop.script = script
        house = job_house(shop)
        async with running(house):
            await house.finished()
        assert (row_of(house).state, len(shop.calls)) == (S.SUCCESS, 2)  # it never arrived

    run(body())


async def uncertain(shop: Shop) -> House:
    """A row whose job the shop had lost sight of, its engine running."""
    house = job_house(shop)
    shop.on_poll = lambda _made, _nth: JobLost()
    await house.engine.start()
    await house.engine.resume(1)
    await house.until(lambda: row_of(house).state is S.UNCERTAIN)
    shop.on_poll = lambda _made, _nth: None
    return house


def test_a_person_asks_again_by_the_old_job_and_its_result_is_saved() -> None:
    async def body() -> None:
        shop = Shop()
        house = await uncertain(shop)
        assert await house.engine.ask(100_000)
        assert row_of(house).state is S.RUNNING
        await house.until(lambda: row_of(house).state is S.SUCCESS)
        assert (len(shop.calls), row_of(house).history[-1].attempt_pk) == (1, 1)
        assert not await house.engine.ask(100_000)
        await house.engine.stop()

    run(body())


@pytest.mark.parametrize("policy", list(OnUnknown))
def test_asked_again_in_vain_it_is_back_with_the_person_whatever_the_policy(
    policy: OnUnknown,
) -> None:
    async def body() -> None:
        shop = Shop()
        house = await uncertain(shop)
        house.store.add_connection(on_unknown=policy)
        await house.engine.connection_changed(1)
        shop.on_poll = lambda _made, _nth: JobLost()
        assert await house.engine.ask(100_000)
        await house.until(lambda: row_of(house).state is S.UNCERTAIN)
        await asyncio.sleep(600)
        assert len(shop.calls) == 1
        await house.engine.stop()

    run(body())


def test_asking_works_where_the_engine_was_never_started() -> None:
    async def body() -> None:
        shop = Shop()
        house = await uncertain(shop)
        await house.engine.stop()
        house.new_engine()
        assert await house.engine.ask(100_000)
        assert await house.engine.drain(60.0) == 0
        assert row_of(house).state is S.SUCCESS
        await house.engine.stop()

    run(body())


def test_a_row_asked_about_whose_connection_is_gone_is_back_with_the_reason() -> None:
    async def body() -> None:
        house = await uncertain(Shop())
        await house.engine.stop()
        house.new_engine()
        house.store.connections.clear()
        assert await house.engine.ask(100_000)
        row = row_of(house)
        assert row.state is S.UNCERTAIN
        failed = row.history[-1].failure
        assert failed is not None
        assert failed.said.code == "engine.no_connection"
        await house.engine.stop()

    run(body())
