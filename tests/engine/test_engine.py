"""A person's levers: pause, cancel, drain, stop, the trial, the cap on calls."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from desktop_app.domain.attempt import Outcome
from desktop_app.domain.batch import LaneOnDead, RunState
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.events import BatchFinished, EngineChanged
from desktop_app.domain.ports import Answer, Call, Capabilities
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import TaskFilter
from tests.engine.fakes import PICTURE, answers, fails, failure
from tests.engine.house import House, running
from tests.engine.virtual import run


def test_pause_lets_what_is_on_the_wire_finish() -> None:
    async def body() -> None:
        house = House(answers(latency_s=10))
        house.connect(4)
        house.store.add_batch(20)
        async with running(house):
            await asyncio.sleep(1)
            await house.engine.pause(1, reason=message("x"))
            await asyncio.sleep(100)
            assert house.count(TaskState.SUCCESS) == 4
            assert house.count(TaskState.PENDING) == 16
            assert house.awake.held == 0
            await house.engine.resume(1)
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 20

    run(body())


def test_pause_now_gives_back_the_unsent_and_lets_the_begun_finish() -> None:
    async def body() -> None:
        house = House(answers(latency_s=10))
        house.connect(4)
        house.store.add_batch(20)
        async with running(house):
            await asyncio.sleep(1)
            house.provider.connect_s = 5
            await asyncio.sleep(11)  # four have answered, four are connecting
            assert house.engine.in_flight() == 4
            await house.engine.pause(1, now=True)
            await house.until(lambda: house.engine.in_flight() == 0, timeout_s=1)
            assert house.count(TaskState.PENDING) == 16
        assert house.store.outcomes() == {Outcome.SUCCESS: 4, Outcome.NOT_SENT: 4}
        assert len(house.provider.calls) == 4

    run(body())


def test_a_pause_between_claim_and_send_sends_nothing() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(4)
        house.store.add_batch(8)
        house.store.on_claim = lambda claims: pauses.extend(
            [asyncio.ensure_future(house.engine.pause(1))] if claims else []
        )
        pauses: list[asyncio.Task[None]] = []
        house.store.commit_s = 0.01
        async with running(house):
            await asyncio.sleep(60)
        assert house.provider.calls == []
        assert house.count(TaskState.PENDING) == 8
        assert house.store.outcomes() == {Outcome.NOT_SENT: 4}

    run(body())


def test_cancel_ends_the_waiting_and_unsent_and_keeps_what_was_paid_for() -> None:
    async def body() -> None:
        house = House(answers(latency_s=10))
        house.connect(4)
        house.store.add_batch(20)
        async with running(house):
            await asyncio.sleep(1)
            assert await house.engine.cancel(TaskFilter(batch_id=1)) == 20
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 4
        assert house.count(TaskState.CANCELLED) == 16
        assert len(house.provider.calls) == 4

    run(body())


def test_cancel_while_connecting_cancels() -> None:
    async def body() -> None:
        house = House(answers())
        house.provider.connect_s = 30
        house.connect(4)
        house.store.add_batch(4)
        async with running(house):
            await asyncio.sleep(1)
            await house.engine.cancel(TaskFilter(batch_id=1))
            await house.finished(timeout_s=2)
        assert house.count(TaskState.CANCELLED) == 4
        assert house.provider.calls == []

    run(body())


def test_a_cancelled_row_that_fails_is_not_tried_again() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.TRANSIENT, latency_s=10))
        house.connect(4)
        house.store.add_batch(2)
        async with running(house):
            await asyncio.sleep(1)
            await house.engine.cancel(TaskFilter(batch_id=1))
            await house.finished()
        assert house.count(TaskState.CANCELLED) == 2

    run(body())


def test_drain_waits_for_the_wire_and_resume_ends_it() -> None:
    async def body() -> None:
        house = House(answers(latency_s=10))
        house.connect(4)
        house.store.add_batch(8)
        async with running(house):
            await asyncio.sleep(1)
            assert await house.engine.drain(None) == 0
            assert house.count(TaskState.SUCCESS) == 4
            await asyncio.sleep(60)
            assert len(house.provider.calls) == 4
            await house.engine.resume(1)
            await house.finished()

    run(body())


def test_stop_gives_back_what_is_still_connecting() -> None:
    async def body() -> None:
        house = House(answers())
        house.provider.connect_s = 30
        house.connect(4)
        house.store.add_batch(4)
        async with running(house):
            await asyncio.sleep(1)
        assert house.count(TaskState.PENDING) == 4
        assert house.provider.calls == []

    run(body())


def test_stop_keeps_an_answer_that_is_in() -> None:
    async def body() -> None:
        house = House(answers(latency_s=1))
        house.files.keep_s = 1.0
        house.connect(4)
        house.store.add_batch(8)
        async with running(house):
            await asyncio.sleep(1.5)
        assert house.count(TaskState.SUCCESS) == 4
        assert house.count(TaskState.RUNNING) == 4

    run(body())


def test_stop_without_start_does_nothing() -> None:
    async def body() -> None:
        await House(answers()).engine.stop()

    run(body())


def test_a_trial_stops_at_its_gate_and_the_rest_runs_later() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(4)
        house.store.add_batch(10, row_gate=4)
        async with running(house):
            await house.until(
                lambda: house.store.batches_[1].run_state is RunState.PAUSED, timeout_s=10
            )
            reason = house.store.batches_[1].pause_reason
            assert reason is not None
            assert reason.code == "engine.trial_done"
            assert house.count(TaskState.SUCCESS) == 3
            assert BatchFinished(1) not in house.events
            house.store.batches_[1] = replace(house.store.batches_[1], row_gate=None)
            await house.engine.resume(1)
            await house.finished()
        assert len(house.provider.calls) == 10

    run(body())


def test_the_cap_on_calls_pauses_the_batch() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(4)
        house.store.add_batch(20, max_calls=10)
        async with running(house):
            await house.until(
                lambda: house.store.batches_[1].run_state is RunState.PAUSED, timeout_s=60
            )
        reason = house.store.batches_[1].pause_reason
        assert reason is not None
        assert reason.code == "engine.max_calls"
        assert len(house.provider.calls) == 10

    run(body())


def test_a_cap_that_is_just_enough_finishes() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(4)
        house.store.add_batch(10, max_calls=10)
        async with running(house):
            await house.finished(timeout_s=60)

    run(body())


def test_rows_behind_a_stopped_lane_pause_the_batch() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.REFUSED))
        house.connect(4)
        house.store.add_batch(4, lanes=["a", "a", "b", "b"], lane_on_dead=LaneOnDead.STOP)
        async with running(house):
            await house.until(
                lambda: house.store.batches_[1].run_state is RunState.PAUSED, timeout_s=60
            )
        assert len(house.provider.calls) == 2
        assert house.store.batches_[1].pause_reason == message("engine.lanes_stopped")

    run(body())


def test_rows_of_a_lane_go_one_after_another_in_order() -> None:
    async def body() -> None:
        house = House(answers(latency_s=1))
        house.connect(8)
        house.store.add_batch(12, lanes=["a", "b", "c"] * 4)
        async with running(house):
            await house.finished()
        assert house.provider.most_out == 3
        sent = [prompt for _, prompt in house.provider.calls]
        assert [p for p in sent if int(p[4:]) % 3 == 0] == ["row 0", "row 3", "row 6", "row 9"]

    run(body())


def test_batches_on_one_account_take_turns_under_one_limit() -> None:
    async def body() -> None:
        house = House(answers(latency_s=1))
        house.connect(4)
        house.store.add_connection(
            id=2, name="fal", limits=house.store.connections[1].limits, model="other"
        )
        house.store.add_batch(40, id=1)
        house.store.add_batch(40, id=2, connection_id=2)
        async with running(house):
            await asyncio.sleep(5.5)
            done = [house.store.count(TaskState.SUCCESS, batch) for batch in (1, 2)]
            assert sum(done) == 20
            assert max(done) - min(done) <= 4  # the first wave was of one batch
            await house.finished(1)
            await house.finished(2)
        assert house.provider.most_out == 4

    run(body())


def test_a_requeued_row_runs_and_the_end_is_told_again() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            if nth == 1:
                raise failure(FailureClass.REFUSED)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(4)
        house.store.add_batch(2)
        async with running(house):
            await house.finished()
            house.events.clear()
            assert await house.store.requeue(TaskFilter(batch_id=1), house.clock.now()) == 2
            house.engine.wake()
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 2

    run(body())


def test_views_are_told_at_most_four_times_a_second() -> None:
    async def body() -> None:
        house = House(answers(latency_s=0.05))
        house.connect(8)
        house.store.add_batch(800)
        async with running(house):
            took = await house.finished()
        told = sum(1 for event in house.events if isinstance(event, EngineChanged))
        assert told <= took * 4 + 3

    run(body())


def test_a_finished_engine_sleeps() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(4)
        house.store.add_batch(4)
        async with running(house):
            await house.finished()
            claims = house.store.claims
            await asyncio.sleep(3600)
            assert house.store.claims == claims
            assert house.awake.held == 0

    run(body())


def test_a_batch_without_its_connection_is_paused() -> None:
    async def body() -> None:
        house = House(answers())
        house.store.add_batch(4, connection_id=9)
        async with running(house):
            await asyncio.sleep(1)
        assert house.store.batches_[1].pause_reason == message("engine.no_connection")

    run(body())


@pytest.mark.parametrize("makes", ["picture", "text"])
def test_defaults_where_nothing_is_stated(makes: str) -> None:
    async def body() -> None:
        house = House(answers(1.5), Capabilities(makes, 300.0))
        house.connect()
        house.connect(id=2, base_url="http://127.0.0.1:1/v1")
        house.store.add_batch(20, id=1)
        async with running(house, 1):
            await asyncio.sleep(1)
            assert house.provider.most_out == {"picture": 4, "text": 8}[makes]
            await house.finished()
        house.provider.most_out = 0
        house.store.add_batch(9, id=2, connection_id=2)
        house.new_engine()
        async with running(house, 2):
            await house.finished(2)
        assert house.provider.most_out == 1

    run(body())


def test_the_end_is_told_even_if_views_are_refreshed_at_that_moment() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(4)
        house.store.add_batch(4)
        async with running(house):
            house.bus.subscribe(lambda _event: house.engine.wake())
            await house.finished(timeout_s=10)

    run(body())


def test_a_batch_with_nothing_left_is_told_to_be_finished_when_it_is_resumed() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(4)
        house.store.add_batch(4)
        for row in house.store.rows.values():
            row.state = TaskState.SUCCESS
        async with running(house):
            await house.finished(timeout_s=10)
        assert house.provider.calls == []

    run(body())


def test_the_usual_time_of_an_answer_is_known_after_some() -> None:
    async def body() -> None:
        house = House(answers(latency_s=7))
        house.connect(4)
        house.store.add_batch(8)
        async with running(house):
            assert house.engine.rates()["typical_s"] is None
            await asyncio.sleep(10)
            assert house.engine.rates()["typical_s"] == pytest.approx(7, abs=0.1)
            await house.finished()

    run(body())


def test_a_cap_of_money_pauses_the_batch_once_the_wire_is_empty() -> None:
    said = message("store.budget_batch", most="2", used="1.98", next="0.04", currency="USD")

    async def body() -> None:
        house = House(answers(latency_s=10))
        house.connect(2)
        house.store.add_batch(6)
        house.store.on_claim = lambda _claims: setattr(house.store, "over", said)
        async with running(house):
            await asyncio.sleep(5)
            assert house.store.batches_[1].run_state is RunState.RUNNING
            await house.until(
                lambda: house.store.batches_[1].run_state is RunState.PAUSED, timeout_s=60
            )
            assert house.store.batches_[1].pause_reason == said
            assert house.count(TaskState.SUCCESS) == len(house.provider.calls) == 2
            house.store.on_claim = lambda _claims: None
            house.store.over = None
            await house.engine.resume(1)
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 6

    run(body())


def test_what_is_held_is_not_resumed_before_the_start() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(4)
        house.store.add_batch(2)
        house.engine.hold()
        resumed = asyncio.ensure_future(house.engine.resume(1))
        await asyncio.sleep(10)
        assert not resumed.done()
        await house.engine.start()
        await resumed
        await house.finished()
        await house.engine.stop()
        assert house.count(TaskState.SUCCESS) == 2

    run(body())
