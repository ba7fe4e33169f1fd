"""At start, what an earlier process left RUNNING is settled in the order of the rules."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from desktop_app.domain.attempt import Billed, Kept, Mark, Outcome
from desktop_app.domain.batch import RunState
from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import Capabilities
from desktop_app.domain.task import TaskState
from tests.engine.fakes import Row, answers
from tests.engine.house import House, running
from tests.engine.job_shop import Made, Shop, job_house
from tests.engine.virtual import run

IDEMPOTENT = Capabilities("picture", 600.0, idempotent_s=3600.0)


async def crash(house: House, *, begun: bool = True) -> None:
    """Leave the store as a killed process does."""
    batch = house.store.batches_[1]
    await house.store.set_run_state(batch.id, RunState.RUNNING)
    for claim in await house.store.claim(1, 1, house.clock.now()):
        if begun:
            house.store.note(Mark.BEGUN, claim.attempt_pk)


def test_an_orphan_does_not_make_the_folder_of_earlier_results_anew() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(1)
        house.store.add_batch(2)
        await crash(house)
        await start_again(house)
        assert house.files.expected == []
        done, orphan = house.store.of(1)
        done.state, orphan.state = TaskState.SUCCESS, TaskState.PENDING
        await crash(house)
        await start_again(house)
        assert house.files.expected == ["/out"]

    run(body())


async def start_again(house: House) -> Row:
    """A new process; long enough that anything sent would show."""
    house.new_engine()
    await house.engine.start()
    await asyncio.sleep(600)
    await house.engine.stop()
    assert house.provider.calls == []
    return house.store.rows[100_000]


def new_house(capabilities: Capabilities | None = None, **connection: Any) -> House:
    house = House(answers(), capabilities)
    house.connect(1, **connection)
    house.store.add_batch(1)
    return house


def test_a_verified_file_is_adopted() -> None:
    async def body() -> None:
        house = new_house()
        await crash(house)
        house.files.kept[1] = Kept("0002.png", 9, "image/png")
        row = await start_again(house)
        assert (row.state, row.history[-1].outcome) == (TaskState.SUCCESS, Outcome.ADOPTED)
        assert row.history[-1].billed is Billed.YES
        assert row.kept is not None
        assert house.files.settled_ == [1]

    run(body())


def test_what_had_not_begun_is_given_back() -> None:
    async def body() -> None:
        house = new_house()
        await crash(house, begun=False)
        row = await start_again(house)
        assert (row.state, row.history[-1].outcome) == (TaskState.PENDING, Outcome.NOT_SENT)
        assert row.retries_spent == 0

    run(body())


def test_what_had_begun_is_uncertain_under_hold() -> None:
    async def body() -> None:
        house = new_house()
        await crash(house)
        row = await start_again(house)
        assert (row.state, row.history[-1].billed) == (TaskState.UNCERTAIN, Billed.MAYBE)

    run(body())


@pytest.mark.parametrize(
    ("after_s", "state"), [(10, TaskState.RETRYING), (3601, TaskState.UNCERTAIN)]
)
def test_a_live_key_is_sent_again_after_resume(after_s: float, state: TaskState) -> None:
    async def body() -> None:
        house = new_house(IDEMPOTENT)
        await crash(house)
        key = house.store.rows[100_000].key
        await asyncio.sleep(after_s)
        row = await start_again(house)
        assert row.state is state
        if state is TaskState.RETRYING:
            assert row.retries_spent == 1
            house.new_engine()
            async with running(house):
                await house.finished()
            assert house.provider.keys == [key]

    run(body())


def test_a_slow_row_on_the_wire_in_two_crashes_is_not_blamed() -> None:
    async def body() -> None:
        house = new_house(on_unknown=OnUnknown.RESEND)
        await crash(house)
        assert (await start_again(house)).state is TaskState.RETRYING
        await asyncio.sleep(10)
        await crash(house)
        row = await start_again(house)
        assert (row.state, row.retries_spent, row.timeouts) == (TaskState.RETRYING, 2, 0)

    run(body())


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_failure_that_cost_nothing_leaves_no_doubt(cancelled: bool) -> None:
    async def body() -> None:
        house = new_house()
        await crash(house)
        house.store.note(Mark.UNBILLED, 1)
        house.store.rows[100_000].cancel_requested = cancelled
        row = await start_again(house)
        assert row.state is (TaskState.CANCELLED if cancelled else TaskState.PENDING)
        assert (row.history[-1].billed, row.history[-1].new_key) == (Billed.NO, True)

    run(body())


def test_a_cancelled_orphan_is_not_sent_again() -> None:
    async def body() -> None:
        house = new_house(on_unknown=OnUnknown.RESEND)
        await crash(house)
        house.store.rows[100_000].cancel_requested = True
        assert (await start_again(house)).state is TaskState.UNCERTAIN

    run(body())


def test_an_orphan_without_its_connection_is_held() -> None:
    async def body() -> None:
        house = new_house(on_unknown=OnUnknown.RESEND)
        await crash(house)
        house.store.connections.clear()
        assert (await start_again(house)).state is TaskState.UNCERTAIN

    run(body())


@pytest.mark.expect_log("could not be settled")
def test_one_orphan_that_fails_does_not_stop_the_others() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(1)
        house.store.add_batch(2)
        await crash(house)
        await crash(house)
        house.store.fail_finish = 1
        await house.engine.start()
        states = [row.state for row in house.store.rows.values()]
        assert states == [TaskState.RUNNING, TaskState.UNCERTAIN]
        await asyncio.sleep(60)
        assert house.count(TaskState.UNCERTAIN) == 2
        await house.engine.stop()

    run(body())


@pytest.mark.expect_log("waits for its folder")
def test_an_orphan_whose_folder_is_gone_is_settled_when_it_is_back() -> None:
    async def body() -> None:
        house = new_house()
        await crash(house)
        house.files.kept[1] = Kept("0002.png", 9, "image/png")
        house.files.trouble = True
        await house.engine.start()
        assert house.count(TaskState.RUNNING) == 1
        assert house.files.swept == []
        house.files.trouble = False
        await house.until(lambda: house.count(TaskState.SUCCESS) == 1, timeout_s=60)
        assert house.files.swept == ["/out"]
        await house.engine.stop()

    run(body())


def test_an_adopted_picture_is_priced() -> None:
    async def body() -> None:
        house = new_house(price=Price(Decimal("0.04"), PriceUnit.IMAGE, "USD"))
        await crash(house)
        house.files.kept[1] = Kept("0002.png", 9, "image/png")
        row = await start_again(house)
        assert (row.history[-1].cost, row.history[-1].currency) == (Decimal("0.04"), "USD")

    run(body())


def test_a_folder_is_swept_once_though_the_kill_left_no_row_to_settle() -> None:
    async def body() -> None:
        house = new_house()
        house.new_engine()
        await house.engine.start()
        await house.engine.resume(1)
        await house.engine.resume(1)
        assert house.files.swept == ["/out"]
        await house.engine.stop()

    run(body())


async def crash_with_job(house: House, shop: Shop) -> None:
    """Killed after the job's id was stored."""
    async with running(house):
        await house.until(lambda: bool(house.store.rows[100_000].jobs))
    assert house.store.rows[100_000].state is TaskState.RUNNING
    shop.polls.clear()


def test_a_job_is_polled_at_once_though_its_batch_stays_paused() -> None:
    async def body() -> None:
        shop = Shop(takes_s=300.0)
        house = job_house(shop, rows=3, concurrency=1)
        await crash_with_job(house, shop)
        house.new_engine()
        start = house.clock.monotonic()
        await house.engine.start()
        await house.until(lambda: bool(shop.polls), timeout_s=2)
        assert house.engine.in_flight(1) == 1
        await house.engine.resume(1)
        await house.until(lambda: house.store.rows[100_000].state is TaskState.SUCCESS)
        assert house.clock.monotonic() - start > 250
        await house.finished()
        # It held the slot: nothing was sent beside it.
        assert shop.calls[1][0] >= shop.made["job-1"].at + 300
        assert len(shop.calls) == 3
        await house.engine.stop()

    run(body())


def test_more_jobs_than_slots_are_all_followed_and_nothing_is_sent_before_they_ended() -> None:
    async def body() -> None:
        shop = Shop(takes_s=300.0)
        house = job_house(shop, rows=6, concurrency=4)
        async with running(house):
            await house.until(lambda: len(shop.made) == 4)
            await asyncio.sleep(1)
        shop.made["job-1"].takes_s = 20.0  # with its end the line is known to work
        house.connect(1)
        house.new_engine()
        async with running(house):
            await asyncio.sleep(200)
            assert (house.engine.in_flight(), len(shop.calls)) == (3, 4)
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 6
        assert len(shop.calls) == 6

    run(body())


def test_a_cancelled_job_is_cancelled_at_the_provider_after_the_crash() -> None:
    async def body() -> None:
        shop = Shop(takes_s=300.0)
        house = job_house(shop)
        await crash_with_job(house, shop)
        house.store.rows[100_000].cancel_requested = True
        house.new_engine()
        await house.engine.start()
        row = house.store.rows[100_000]
        await house.until(lambda: row.state is TaskState.CANCELLED, timeout_s=10)
        assert shop.cancels == ["job-1"]
        await house.engine.stop()

    run(body())


def test_a_job_whose_connection_is_gone_is_uncertain_with_its_id() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop)
        await crash_with_job(house, shop)
        house.store.connections.clear()
        house.new_engine()
        await house.engine.start()
        row = house.store.rows[100_000]
        await house.until(lambda: row.state is TaskState.UNCERTAIN, timeout_s=5)
        assert row.jobs[1].id == "job-1"
        await house.engine.stop()

    run(body())


def test_a_job_is_polled_though_its_folder_is_gone() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop)
        await crash_with_job(house, shop)
        house.files.trouble = True
        house.new_engine()
        await house.engine.start()
        await house.until(lambda: bool(shop.collects), timeout_s=60)
        await asyncio.sleep(30)
        assert house.store.rows[100_000].state is TaskState.RUNNING
        house.files.trouble = False
        row = house.store.rows[100_000]
        await house.until(lambda: row.state is TaskState.SUCCESS, timeout_s=60)
        assert (len(shop.calls), len(shop.collects)) == (1, 1)
        await house.engine.stop()

    run(body())


@pytest.mark.parametrize("arrived", [True, False])
def test_what_was_on_the_wire_is_asked_about_where_it_can_be(arrived: bool) -> None:
    async def body() -> None:
        shop = Shop(askable=True)
        house = job_house(shop, on_unknown=OnUnknown.RESEND)
        await crash(house)
        row = house.store.rows[100_000]
        if arrived:
            shop.made["job-7"] = Made("job-7", row.key, house.clock.monotonic(), 20.0)
        house.new_engine()
        await house.engine.start()
        ends = TaskState.SUCCESS if arrived else TaskState.PENDING
        await house.until(lambda: row.state is ends, timeout_s=60)
        await asyncio.sleep(600)
        assert (row.state, shop.calls) == (ends, [])
        assert row.history[-1].billed is (Billed.YES if arrived else Billed.NO)
        await house.engine.stop()

    run(body())


@pytest.mark.parametrize(
    ("age_s", "state"), [(1000, TaskState.RETRYING), (3000, TaskState.UNCERTAIN)]
)
def test_a_key_is_as_old_as_its_first_use(age_s: float, state: TaskState) -> None:
    async def body() -> None:
        house = new_house(IDEMPOTENT)
        await crash(house)
        house.store.rows[100_000].key_since = house.clock.now() - age_s
        await asyncio.sleep(1000)
        assert (await start_again(house)).state is state

    run(body())


@pytest.mark.expect_log("could not be committed")
def test_a_job_whose_id_was_never_committed_is_read_again_from_the_answer() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop)
        house.store.fail_taken = 1000
        async with running(house):
            await house.until(lambda: house.store.fail_taken < 1000)
        row = house.store.rows[100_000]
        assert (row.state, row.jobs) == (TaskState.RUNNING, {})
        house.store.fail_taken = 0
        house.new_engine()
        await house.engine.start()
        assert row.jobs[1].id == "job-1"
        await house.until(lambda: row.state is TaskState.SUCCESS)
        assert len(shop.calls) == 1
        await house.engine.stop()

    run(body())
