"""Accounts pause, wait and come back without spending what belongs to the rows."""

from __future__ import annotations

import asyncio

import pytest

from desktop_app.domain.attempt import Outcome
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.events import ConnectionsChanged
from desktop_app.domain.ports import Answer, Call, Preset
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError, message
from desktop_app.domain.views import BannerAction
from desktop_app.engine.breaker import Breaker
from tests.engine.fakes import PICTURE, Opened, answers, fails, failure
from tests.engine.house import House, running
from tests.engine.virtual import VirtualClock, run


def test_a_probe_of_an_earlier_trouble_holds_nobody_up() -> None:
    clock = VirtualClock()

    async def body() -> None:
        breaker = Breaker(clock, lambda: 1.0)
        said = message("engine.no_connect", host="h")
        breaker.offline(said)
        await asyncio.sleep(2)
        old = breaker.probe_starts()
        assert breaker.room(8) == 0
        assert breaker.answered(1), "a call from before has come through"
        assert breaker.room(8) == 8
        breaker.offline(said)
        wait = breaker.ready_in()
        assert wait is not None, "the old probe may be out for minutes"
        await asyncio.sleep(wait)
        assert breaker.room(8) == 1
        new = breaker.probe_starts()
        breaker.probe_ends(old)
        assert breaker.room(8) == 0, "still one at a time"
        breaker.probe_ends(new)
        assert breaker.room(8) == 1

    run(body())


def test_offline_waits_and_probes_with_one_row_and_spends_nothing() -> None:
    async def body() -> None:
        house = House(answers())
        back = 0.0

        class Unreachable:
            capabilities = house.provider.caps
            tried: list[float] = []  # noqa: RUF012 - one test's

            def __init__(self, inner: object) -> None:
                self.inner = inner

            async def submit(self, call: object) -> object:
                if house.clock.monotonic() < back:
                    self.tried.append(house.clock.monotonic())
                    raise failure(FailureClass.OFFLINE, "dns", sent=False)
                return await self.inner.submit(call)  # type: ignore[attr-defined]

            async def close(self) -> None:
                await self.inner.close()  # type: ignore[attr-defined]

        plain = house.provider.open
        house.provider.open = lambda c, s: Unreachable(plain(c, s))  # type: ignore[assignment,method-assign,return-value]
        back = house.clock.monotonic() + 3600
        house.connect(8)
        house.store.add_batch(100)
        async with running(house):
            await asyncio.sleep(3500)
            assert house.engine.account_states()[1][0] == "waiting"
            [banner] = house.engine.banners()
            assert banner.said.code == "engine.offline"
            await house.finished()
            assert house.engine.account_states()[1][0] == "ok"
        assert house.count(TaskState.SUCCESS) == 100
        assert all(row.retries_spent == 0 for row in house.store.rows.values())
        assert len(Unreachable.tried) < 8 + 3600 / 15 + 10
        assert ConnectionsChanged() in house.events

    run(body())


def test_an_outage_of_ten_minutes_kills_no_row() -> None:
    async def body() -> None:
        ends = 0.0

        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.1)
            if house.clock.monotonic() < ends:
                raise failure(FailureClass.TRANSIENT, "http_500")
            return Answer((PICTURE,))

        house = House(script)
        house.connect(8)
        house.store.add_batch(200)
        ends = house.clock.monotonic() + 600
        async with running(house):
            await asyncio.sleep(300)
            [banner] = house.engine.banners()
            assert banner.said.code == "engine.troubled"
            most = house.provider.most_out
            house.provider.most_out = 0
            await asyncio.sleep(290)
            assert house.provider.most_out == 1
            await house.finished()
        assert most == 8
        assert house.count(TaskState.SUCCESS) == 200
        assert sum(row.retries_spent for row in house.store.rows.values()) <= 24

    run(body())


def test_rows_that_always_fail_end_dead_even_alone() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.3)
            if call.request.prompt.startswith("bad"):
                raise failure(FailureClass.TRANSIENT, "http_500")
            return Answer((PICTURE,))

        house = House(script)
        house.connect(8)
        house.store.add_batch(["bad 1", "bad 2", "bad 3"] + ["good"] * 10)
        house.store.add_batch(["bad 4", "bad 5"], id=2)
        async with running(house):
            await house.finished(1, timeout_s=60)
            await house.finished(2, timeout_s=300)
        assert house.count(TaskState.DEAD) == 5
        assert house.count(TaskState.SUCCESS) == 10

    run(body())


def test_try_again_proves_the_account_with_another_row_first() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.2)
            if call.request.prompt == "odd":
                raise failure(FailureClass.ACCOUNT, "http_403")
            return Answer((PICTURE,))

        house = House(script)
        house.connect(1)
        house.store.add_batch(["odd", "b", "c", "d"])
        async with running(house):
            await house.until(lambda: bool(house.store.pauses))
            await asyncio.sleep(60)
            assert [prompt for _, prompt in house.provider.calls] == ["odd"]
            assert house.engine.account_states()[1] == (
                "paused",
                message("providers.said", what="http_403"),
            )
            [banner] = house.engine.banners()
            assert BannerAction.TRY_AGAIN in banner.actions
            house.provider.tests_ok = False
            assert not await house.engine.retry_account(1)
            await asyncio.sleep(60)
            assert len(house.provider.calls) == 1
            house.provider.tests_ok = True
            assert await house.engine.retry_account(1)
            await house.finished()
            assert house.engine.account_states()[1][0] == "ok"
        assert house.store.pauses == {}
        assert [prompt for _, prompt in house.provider.calls][:2] == ["odd", "b"]
        assert house.store.rows[100_000].state is TaskState.FAILED
        assert house.count(TaskState.SUCCESS) == 3

    run(body())


def test_try_again_with_the_account_still_dead_pauses_again() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.ACCOUNT, "insufficient_quota"))
        house.connect(4)
        house.store.add_batch(20)
        async with running(house):
            await house.until(lambda: bool(house.store.pauses))
            await asyncio.sleep(1)
            for tries in (1, 2, 3):
                assert await house.engine.retry_account(1)
                await asyncio.sleep(60)
                assert house.engine.account_states()[1][0] == "paused"
                assert len(house.provider.calls) == 4 + tries
        assert house.count(TaskState.PENDING) == 20

    run(body())


def test_a_row_that_can_not_be_sent_proves_nothing_of_its_account() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            if call.request.prompt == "no picture":
                raise failure(FailureClass.INVALID, "reference_missing", sent=False)
            raise failure(FailureClass.ACCOUNT, "insufficient_quota")

        house = House(script)
        house.connect(1)
        house.store.add_batch(["good", "no picture"])
        async with running(house):
            await house.until(lambda: bool(house.store.pauses))
            for _ in range(3):
                assert await house.engine.retry_account(1)
                await asyncio.sleep(60)
                assert house.engine.account_states()[1][0] == "paused"
        assert house.store.rows[100_001].state is TaskState.FAILED
        assert house.store.rows[100_000].state is TaskState.PENDING

    run(body())


def test_a_dead_host_of_pictures_is_the_matter_of_its_rows_alone() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            raise failure(FailureClass.TRANSIENT, "reference_unreachable", sent=False)

        house = House(script)
        house.connect(4)
        house.store.add_batch(20)
        async with running(house):
            await house.until(lambda: house.count(TaskState.DEAD) == 20, 120)
            assert house.engine.account_states()[1][0] == "ok"

    run(body())


def test_the_only_row_is_not_blamed_for_its_account() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.ACCOUNT))
        house.connect(4)
        house.store.add_batch(1)
        async with running(house):
            await house.until(lambda: bool(house.store.pauses))
            assert await house.engine.retry_account(1)
            await asyncio.sleep(60)
            assert house.engine.account_states()[1][0] == "paused"
        assert house.count(TaskState.PENDING) == 1

    run(body())


def test_a_pause_outlives_the_program_and_a_quota_window_ends_by_itself() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            if house.clock.monotonic() < reset:
                raise failure(
                    FailureClass.ACCOUNT, "daily", after_s=reset - house.clock.monotonic()
                )
            return Answer((PICTURE,))

        house = House(script)
        reset = house.clock.monotonic() + 7200
        house.connect(4)
        house.store.add_batch(10)
        async with running(house):
            await house.until(lambda: bool(house.store.pauses))
        calls = len(house.provider.calls)
        house.new_engine()
        async with running(house):
            await asyncio.sleep(3600)
            assert len(house.provider.calls) == calls
            assert house.engine.account_states()[1][0] == "paused"
            await house.finished(timeout_s=3700)
        assert house.count(TaskState.SUCCESS) == 10
        assert house.store.pauses == {}

    run(body())


def test_a_mistyped_model_over_ten_thousand_rows_costs_one_handful_and_loses_none() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.3 + len(house.provider.calls) / 10)  # one after another
            raise failure(FailureClass.INVALID, "model_not_found")

        house = House(script)
        house.connect(4)
        house.store.add_batch(10_000)
        async with running(house):
            await house.until(lambda: bool(house.engine.banners()))
            await asyncio.sleep(600)
            assert len(house.provider.calls) <= 4
            assert house.count(TaskState.PENDING) == 10_000
            [banner] = house.engine.banners()
            assert banner.said.code == "engine.all_invalid"
            assert house.engine.account_states()[1][0] == "paused"
            house.provider.script = answers()
            await house.engine.connection_changed(1)
            await house.until(lambda: house.count(TaskState.SUCCESS) >= 100)

    run(body())


def test_single_invalid_rows_are_failed() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            if call.request.prompt in ("row 0", "row 1"):
                raise failure(FailureClass.INVALID, "too_long")
            return Answer((PICTURE,))

        house = House(script)
        house.connect(4)
        house.store.add_batch(20)
        async with running(house):
            await house.finished()
        assert house.count(TaskState.FAILED) == 2
        assert house.count(TaskState.SUCCESS) == 18

    run(body())


def test_bad_rows_at_the_head_cannot_pause_the_connection_for_ever() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            if call.request.prompt == "bad":
                raise failure(FailureClass.INVALID, "too_long")
            return Answer((PICTURE,))

        house = House(script)
        house.connect(2)
        house.store.add_batch(["bad"] * 3 + ["good"] * 5)
        async with running(house):
            await house.until(lambda: bool(house.engine.banners()))
            assert await house.engine.retry_account(1)
            await house.finished(timeout_s=60)
        assert house.count(TaskState.FAILED) == 3
        assert house.count(TaskState.SUCCESS) == 5

    run(body())


def test_without_its_key_nothing_is_sent_and_with_it_the_rows_go() -> None:
    async def body() -> None:
        house = House(answers())
        house.provider.presets_ = (Preset("p", "P", "fake", "https://api.example.com", ("m",)),)
        house.secrets.keys.clear()
        house.connect(4, preset="p")
        house.store.add_batch(5)
        async with running(house):
            await asyncio.sleep(10)
            assert house.engine.account_states()[1] == (
                "no_key",
                message("engine.no_key", name="fal"),
            )
            [banner] = house.engine.banners()
            assert banner.actions == (BannerAction.ENTER_KEY,)
            assert house.provider.calls == []
            assert not await house.engine.retry_account(1)
            house.secrets.keys["fal"] = "k"
            await house.engine.connection_changed(1)
            await house.finished(timeout_s=60)
        assert house.provider.secrets[0] is None
        assert house.provider.secrets[-1] == "k"
        assert house.provider.closed == len(house.provider.secrets)

    run(body())


def test_a_changed_key_is_another_account_and_the_old_calls_finish() -> None:
    async def body() -> None:
        house = House(answers(latency_s=10))
        house.connect(2)
        house.store.add_batch(6)
        async with running(house):
            await asyncio.sleep(1)
            house.secrets.keys["fal"] = "other"
            await house.engine.connection_changed(1)
            assert house.provider.closed == 0
            await house.finished()
            assert house.provider.closed == 1
        assert house.count(TaskState.SUCCESS) == 6
        assert house.store.outcomes()[Outcome.UNKNOWN] == 0

    run(body())


def test_a_locked_password_store_waits_and_a_local_server_goes_on() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(2)
        house.connect(2, id=2, name="local", base_url="http://127.0.0.1:1/v1")
        house.store.add_batch(2, id=1)
        house.store.add_batch(2, id=2, connection_id=2)
        locked = True

        async def get(connection: str) -> str | None:
            if locked:
                raise OperatorError(message("settings.locked"))
            return "k"

        house.secrets.get = get  # type: ignore[method-assign]
        async with running(house):
            await house.finished(2, timeout_s=10)
            assert house.engine.account_states()[1] == ("no_key", message("settings.locked"))
            assert len(house.provider.calls) == 2
            locked = False
            assert await house.engine.retry_account(1)
            await house.finished(1, timeout_s=10)

    run(body())


@pytest.mark.expect_log("could not be opened")
def test_a_connection_that_cannot_be_opened_pauses_its_batch_alone() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(2)
        house.connect(2, id=2, name="other", base_url="https://other.example")
        house.store.add_batch(2, id=1)
        house.store.add_batch(2, id=2, connection_id=2)
        plain = house.provider.open

        def broken(connection: Connection, secret: str | None) -> Opened:
            if connection.id == 2:
                raise ValueError
            return plain(connection, secret)

        house.provider.open = broken  # type: ignore[method-assign]
        async with running(house):
            await house.finished(1, timeout_s=10)
        assert house.store.batches_[2].pause_reason == message("engine.connection_unusable")

    run(body())


def test_two_connections_on_one_key_share_limits_and_breaker() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.ACCOUNT, "invalid_api_key", latency_s=0.3))
        house.connect(4)
        limits = house.store.connections[1].limits
        house.store.add_connection(id=2, name="fal", limits=limits, model="other")
        house.store.add_batch(100, id=1)
        house.store.add_batch(100, id=2, connection_id=2)
        async with running(house):
            await house.until(lambda: len(house.store.pauses) == 1)
            await asyncio.sleep(600)
            states = house.engine.account_states()
            assert {states[1][0], states[2][0]} == {"paused"}
            assert len(house.provider.calls) <= 4
            [banner] = house.engine.banners()
            assert banner.severity == "error"
            house.provider.script = answers()
            assert await house.engine.retry_account(2)
            await house.finished(1)
            await house.finished(2)
        assert house.count(TaskState.SUCCESS) == 200
        assert house.provider.most_out <= 4

    run(body())


def test_a_few_bad_rows_at_the_head_keep_only_their_own_slots() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(0.1 if call.request.prompt == "bad" else 5)
            if call.request.prompt == "bad":
                raise failure(FailureClass.INVALID, "bad_size")
            return Answer((PICTURE,))

        house = House(script)
        house.connect(4)
        house.store.add_batch(["bad"] * 3 + ["good"] * 9)
        async with running(house):
            await asyncio.sleep(4)
            assert len(house.provider.calls) == 4  # nothing is proved yet
            await house.until(lambda: house.provider.out == 4)
            await house.finished()
        assert house.count(TaskState.SUCCESS) == 9
        assert house.count(TaskState.FAILED) == 3

    run(body())
