"""What was sent is known at every step, and what was paid for is kept."""

from __future__ import annotations

import asyncio
import gc

import pytest

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Answer, Call, Capabilities, RawAnswer
from desktop_app.domain.task import TaskState
from desktop_app.engine.lines import DEADLINE_GRACE_S
from desktop_app.engine.pool import Flight
from tests.engine.fakes import PICTURE, answers, fails, failure
from tests.engine.house import House, running
from tests.engine.virtual import run


def test_transient_failures_are_retried_three_times_and_then_dead() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.TRANSIENT, "http_500"))
        house.connect(1)
        house.store.add_batch(1)
        async with running(house):
            await house.finished()
        row = house.store.rows[100_000]
        assert (row.state, row.retries_spent, row.attempt_no) == (TaskState.DEAD, 3, 4)
        delays = [done.delay_s for done in row.history]
        assert delays[3] is None
        for delay, longest in zip(delays[:3], (1, 2, 4), strict=True):
            assert delay is not None
            assert 0 <= delay <= longest

    run(body())


def test_a_failure_that_passes_costs_one_retry() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            if nth == 1:
                raise failure(FailureClass.TRANSIENT)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(2)
        house.store.add_batch(3)
        async with running(house):
            await house.finished()
        assert [row.retries_spent for row in house.store.rows.values()] == [1, 1, 1]
        assert len(set(house.provider.keys)) == 6  # a known failure ends a key

    run(body())


def test_the_read_deadline_is_hard_and_its_outcome_unknown() -> None:
    async def body() -> None:
        house = House(answers(latency_s=10_000))
        house.connect(1, timeout_s=60.0)
        house.store.add_batch(1)
        async with running(house):
            assert await house.finished() == pytest.approx(60 + DEADLINE_GRACE_S, abs=1)
        row = house.store.rows[100_000]
        assert (row.state, row.timeouts) == (TaskState.UNCERTAIN, 1)
        assert house.provider.out == 0

    run(body())


def test_the_third_timeout_ends_a_free_row_dead() -> None:
    async def body() -> None:
        house = House(answers(latency_s=10_000), Capabilities("text", default_timeout_s=5.0))
        house.connect(1, base_url="http://localhost:1/v1")
        house.store.add_batch(1)
        async with running(house):
            await house.finished()
        assert house.count(TaskState.DEAD) == 1
        assert len(house.provider.calls) == 3
        assert len(set(house.provider.keys)) == 1

    run(body())


def test_a_deadline_before_anything_left_is_offline() -> None:
    async def body() -> None:
        house = House(answers())
        house.provider.connect_s = 10_000
        house.connect(1, timeout_s=60.0)
        house.store.add_batch(1)
        async with running(house):
            await asyncio.sleep(65 + DEADLINE_GRACE_S)
            assert house.engine.account_states()[1][0] == "waiting"
            house.provider.connect_s = 0
            await house.finished()
        assert house.store.rows[100_000].retries_spent == 0

    run(body())


def test_unknown_under_resend_uses_the_same_key_and_ends_uncertain() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.UNKNOWN, "dropped"))
        house.connect(1, on_unknown=OnUnknown.RESEND)
        house.store.add_batch(1)
        async with running(house):
            await house.finished()
        assert house.count(TaskState.UNCERTAIN) == 1
        assert len(house.provider.calls) == 4
        assert len(set(house.provider.keys)) == 1

    run(body())


def test_an_idempotent_provider_is_asked_again_with_the_same_key() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            if nth == 1:
                raise failure(FailureClass.UNKNOWN, "dropped")
            return Answer((PICTURE,))

        house = House(script, Capabilities("picture", 600.0, idempotent_s=3600.0))
        house.connect(1)
        house.store.add_batch(1)
        async with running(house):
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 1
        assert len(set(house.provider.keys)) == 1

    run(body())


def test_half_a_picture_is_uncertain_and_was_billed() -> None:
    async def body() -> None:
        house = House(answers())
        house.files.bad = {"row 1"}
        house.connect(2)
        house.store.add_batch(3)
        async with running(house):
            await house.finished()
        row = house.store.rows[100_001]
        assert row.state is TaskState.UNCERTAIN
        assert row.history[-1].billed is Billed.YES
        assert row.history[-1].http_status == 200
        assert len(house.provider.calls) == 3

    run(body())


def test_the_slot_is_free_before_the_file_is_written() -> None:
    async def body() -> None:
        house = House(answers(latency_s=1))
        house.files.keep_s = 10
        house.connect(2)
        house.store.add_batch(20)
        async with running(house):
            assert await house.finished() < 22
        assert house.provider.most_out == 2

    run(body())


def test_a_slow_disk_stops_the_buying() -> None:
    async def body() -> None:
        house = House(answers(latency_s=0.01))
        house.files.keep_s = 1000
        house.connect(4)
        house.store.add_batch(500)
        async with running(house):
            await asyncio.sleep(500)
            assert len(house.provider.calls) <= 68
            house.files.keep_s = 0
            await house.finished()

    run(body())


@pytest.mark.expect_log("could not be committed")
def test_an_answer_whose_commit_failed_is_committed_before_any_new_call() -> None:
    async def body() -> None:
        house = House(answers(latency_s=1))
        house.connect(2)
        house.store.add_batch(10)
        async with running(house):
            await asyncio.sleep(0.5)
            house.store.fail_finish = 6
            await asyncio.sleep(0.8)
            assert len(house.provider.calls) <= 4
            calls = len(house.provider.calls)
            trouble = house.engine.trouble()
            assert trouble is not None
            assert trouble.code == "engine.store_trouble"
            await house.until(lambda: house.store.fail_finish == 0)
            assert len(house.provider.calls) == calls
            await house.finished()
            assert house.engine.trouble() is None
        assert house.count(TaskState.SUCCESS) == 10
        assert len(house.provider.calls) == 10

    run(body())


@pytest.mark.expect_log("broke")
def test_a_broken_adapter_blames_no_row_and_ends_in_a_pause() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            raise ZeroDivisionError

        house = House(script)
        house.connect(1)
        house.store.add_batch(50)
        async with running(house):
            await house.until(lambda: house.store.batches_[1].pause_reason is not None)
        reason = house.store.batches_[1].pause_reason
        assert reason is not None
        assert reason.code == "engine.broken"
        assert len(house.provider.calls) == 5
        assert house.store.outcomes() == {Outcome.UNKNOWN: 5}

    run(body())


@pytest.mark.expect_log("a round of the feeder failed")
def test_a_store_that_fails_to_claim_does_not_end_the_engine() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(2)
        house.store.add_batch(4)
        house.store.fail_claim = 5
        async with running(house):
            await house.until(lambda: house.store.fail_claim == 1)
            assert house.engine.trouble() is not None
            await house.finished()
            assert house.engine.trouble() is None
        assert house.count(TaskState.SUCCESS) == 4

    run(body())


def test_a_result_that_came_after_the_task_moved_on_is_history_only() -> None:
    async def body() -> None:
        house = House(answers(latency_s=5))
        house.connect(1)
        house.store.add_batch(1)
        async with running(house):
            await asyncio.sleep(1)
            row = house.store.rows[100_000]
            row.state, row.rev = TaskState.FAILED, row.rev + 1
            await asyncio.sleep(10)
        assert row.state is TaskState.FAILED
        assert row.history[-1].outcome is Outcome.SUCCESS
        assert house.files.settled_ == [1]

    run(body())


def test_cost_is_what_the_answer_says_and_unknown_stays_unknown() -> None:
    from decimal import Decimal

    from desktop_app.domain.money import Price, PriceUnit

    async def script(call: Call, nth: int) -> Answer:
        tokens = 500 if call.request.prompt == "row 0" else None
        return Answer((PICTURE,), tokens=tokens, request_id="r", usage={"total_tokens": tokens})

    async def body() -> None:
        house = House(script)
        house.connect(2, price=Price(Decimal("0.01"), PriceUnit.KTOKENS, "CNY"))
        house.store.add_batch(2)
        async with running(house):
            await house.finished()
        first, second = (row.history[-1] for row in house.store.rows.values())
        assert (first.cost, first.currency) == (Decimal("0.005"), "CNY")
        assert (second.cost, second.currency) == (None, None)
        assert first.request_id == "r"
        assert first.latency_s is not None

    run(body())


def test_an_answer_is_let_go_with_its_flight_and_not_when_python_looks_for_garbage() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            call.whole(RawAnswer(200, {}, b"{}", 0.1))
            if call.request.prompt.endswith("2"):
                raise failure(FailureClass.REFUSED)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(2)
        house.store.add_batch(4)
        async with running(house):
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 3

    def alive() -> list[object]:
        return [found for found in gc.get_objects() if isinstance(found, Flight | Answer)]

    gc.collect()
    others = alive()  # held, so that none of the new has the id of one of them
    gc.disable()
    try:
        run(body())
        known = set(map(id, others))
        left = [found for found in alive() if id(found) not in known]
    finally:
        gc.enable()
    assert left == []
