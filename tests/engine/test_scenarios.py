"""Real trouble from other tools' trackers, survived at the engine's level."""

from __future__ import annotations

import asyncio

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.batch import RunState
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.events import Alert
from desktop_app.domain.ports import Answer, Call
from desktop_app.domain.task import TaskState
from tests.engine.fakes import PICTURE, answers, fails, failure
from tests.engine.house import House, running
from tests.engine.virtual import run


def test_s01_a_dropped_answer_is_uncertain_and_sent_once() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.UNKNOWN, "dropped", latency_s=60))
        house.connect(4)
        house.store.add_batch(4)
        async with running(house):
            await house.finished()
        assert house.count(TaskState.UNCERTAIN) == 4
        assert len(house.provider.calls) == 4
        last = house.store.rows[100_000].history[-1]
        assert last.billed is Billed.MAYBE

    run(body())


def test_s03_a_504_without_a_job_is_not_resent_under_hold() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.UNKNOWN, "http_504", http_status=504))
        house.connect(2)
        house.store.add_batch(1)
        async with running(house):
            await house.finished()
        row = house.store.rows[100_000]
        assert row.state is TaskState.UNCERTAIN
        assert len(house.provider.calls) == 1
        assert row.history[-1].http_status == 504
        assert row.history[-1].failure is not None
        assert row.history[-1].failure.said.code == "providers.said"

    run(body())


def test_s04_no_money_pauses_and_a_short_quota_wait_only_slows() -> None:
    async def paused() -> None:
        house = House(fails(FailureClass.ACCOUNT, "insufficient_quota"))
        house.connect(4)
        house.store.add_batch(50)
        async with running(house):
            await house.until(lambda: len(house.store.pauses) == 1)
            await asyncio.sleep(600)
            assert house.engine.account_states()[1][0] == "paused"
        assert len(house.provider.calls) == 4
        assert house.count(TaskState.PENDING) == 50

    async def slowed() -> None:
        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.2)
            if call.request.prompt == "row 3" and nth == 1:
                raise failure(FailureClass.THROTTLED, "quota", after_s=2)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(4)
        house.store.add_batch(50)
        async with running(house):
            await house.finished()
            assert house.engine.account_states()[1][0] in ("ok", "slowed")
        assert house.count(TaskState.SUCCESS) == 50
        assert house.store.rows[100_003].retries_spent == 0

    run(paused())
    run(slowed())


def test_s05_two_minutes_of_429_lose_no_row() -> None:
    async def body() -> None:
        ends = 0.0
        recovered: list[float] = []

        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.1)
            if house.clock.monotonic() < ends:
                raise failure(FailureClass.THROTTLED, "http_429")
            await asyncio.sleep(1)
            recovered.append(house.clock.monotonic())
            return Answer((PICTURE,))

        house = House(script)
        house.connect(8, rate=4.0)
        house.store.add_batch(500)
        ends = house.clock.monotonic() + 120
        async with running(house):
            await asyncio.sleep(119)
            slow = house.engine.rates()["allowed_rate"]
            refused = len(house.provider.calls)
            await house.finished(timeout_s=1000)
            assert house.engine.rates()["allowed_rate"] > 3
        assert slow < 0.5
        assert refused < 60
        assert house.count(TaskState.SUCCESS) == 500
        assert all(row.retries_spent == 0 for row in house.store.rows.values())
        assert recovered[0] - ends < 70

    run(body())


def test_s06_rows_that_back_off_hold_no_slot() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.1)
            if call.request.prompt.startswith("bad"):
                raise failure(FailureClass.TRANSIENT, "http_503")
            await asyncio.sleep(1)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(4)
        house.store.add_batch(["bad"] * 4 + ["good"] * 4)
        async with running(house):
            start = house.clock.monotonic()
            await house.until(lambda: house.count(TaskState.SUCCESS) == 4)
            assert house.clock.monotonic() - start < 2.5

    run(body())


def test_s07_moderated_away_is_failed_and_never_tried_again() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.REFUSED, "empty_data", http_status=200))
        house.connect(2)
        house.store.add_batch(3)
        async with running(house):
            await house.finished()
        assert house.count(TaskState.FAILED) == 3
        assert len(house.provider.calls) == 3
        assert house.store.outcomes() == {Outcome.REFUSED: 3}

    run(body())


def test_s08_ten_thousand_rows_with_a_dead_key_cost_one_handful_of_calls() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.ACCOUNT, "invalid_api_key", latency_s=0.3))
        house.connect(8)
        house.store.add_batch(10_000)
        async with running(house):
            await house.until(lambda: len(house.store.pauses) == 1)
            await asyncio.sleep(3600)
            [banner] = house.engine.banners()
            assert banner.severity == "error"
        assert len(house.provider.calls) <= 8
        assert house.count(TaskState.PENDING) == 10_000
        alerts = [e for e in house.events if isinstance(e, Alert)]
        assert [alert.said.code for alert in alerts] == ["engine.account_paused"]

    run(body())


def test_s12_the_end_is_told_with_the_exact_numbers() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.TRANSIENT, "http_500"))
        house.connect(8, retries=0)
        house.store.add_batch(4)
        async with running(house):
            await house.finished()
        ledger = await house.store.ledger(1)
        assert (ledger.dead, ledger.imported) == (4, 4)
        alerts = [e.said for e in house.events if isinstance(e, Alert)]
        assert [said.code for said in alerts] == ["engine.alert_dead", "engine.alert_finished"]
        assert alerts[0].values["n"] == 4
        assert alerts[1].values == {"batch": "batch 1", "done": 0, "needs": 4}

    run(body())


def test_s16_quit_with_twenty_calls_in_flight_ends_in_time_and_loses_nothing() -> None:
    async def body() -> None:
        house = House(answers(latency_s=100))
        house.connect(20)
        house.store.add_batch(200)
        async with running(house):
            await house.until(lambda: house.provider.out == 20)
            start = house.clock.monotonic()
            assert await house.engine.drain(4.0) == 20
        assert house.clock.monotonic() - start < 5
        assert house.count(TaskState.RUNNING) == 20
        assert house.provider.out == 0
        assert all(row.begun for row in house.store.rows.values() if row.state == 1)

        house.provider.script = answers()
        house.new_engine()
        async with running(house):
            assert house.count(TaskState.UNCERTAIN) == 20
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 180
        assert all(row.sent == 1 for row in house.store.rows.values())

    run(body())


def test_nothing_is_sent_after_start_until_a_person_resumes() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(4)
        house.store.add_batch(5, run_state=RunState.RUNNING)
        await house.engine.start()
        await asyncio.sleep(3600)
        batch = house.store.batches_[1]
        assert batch.run_state is RunState.PAUSED
        assert batch.pause_reason is not None
        assert batch.pause_reason.code == "engine.restarted"
        assert house.provider.calls == []
        await house.engine.stop()

    run(body())
