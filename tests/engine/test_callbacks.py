"""A provider's call moves the next look at a job to now, and nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.domain.attempt import Completion
from desktop_app.domain.connection import OnUnknown, callback_entry
from desktop_app.domain.errors import FailureClass, LocalTrouble
from desktop_app.domain.jobs import Job
from desktop_app.domain.ports import CallbackRule, FinishResult
from desktop_app.domain.ports.callbacks import Addressee, Heard
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from tests.engine.fakes import Row, failure
from tests.engine.house import House, running
from tests.engine.job_shop import Made, Shop, job_house, loses
from tests.engine.virtual import run

S = TaskState
SIGNED = CallbackRule("hmac-sha256", "X-Signature")


def shop_that_calls(takes_s: float = 20.0, **more: object) -> Shop:
    return Shop(takes_s, calls_back=True, poll_after_s=180.0, **more)


def house_of(shop: Shop, rows: int = 1, concurrency: int = 1) -> House:
    house = job_house(shop, rows, concurrency, callbacks=True)
    house.addresses.listens = True
    return house


def row_of(house: House, n: int = 0) -> Row:
    return house.store.rows[100_000 + n]


def whose(house: House, n: int = 0) -> Addressee:
    row = row_of(house, n)
    assert row.last_attempt_pk is not None
    return house.addresses.addressee(row.last_attempt_pk, row.key)


async def taken(house: House, n: int = 0) -> None:
    await house.until(lambda: bool(row_of(house, n).jobs))


@pytest.mark.parametrize(
    ("wanted", "listens", "able"), [(False, True, True), (True, False, True), (True, True, False)]
)
def test_an_address_is_given_only_where_all_three_agree(
    wanted: bool, listens: bool, able: bool
) -> None:
    async def body() -> None:
        shop = Shop(calls_back=able)
        house = job_house(shop, callbacks=wanted)
        house.addresses.listens = listens
        async with running(house):
            await house.finished()
        assert shop.told == [(None, None)]

    run(body())


def test_each_attempt_has_its_own_address() -> None:
    async def body() -> None:
        shop = shop_that_calls()
        house = house_of(shop, rows=2, concurrency=2)
        async with running(house):
            await house.until(lambda: len(shop.told) == 2)
        assert set(shop.told) == {("https://me.test/1", None), ("https://me.test/2", None)}

    run(body())


def test_ten_calls_count_once() -> None:
    async def body() -> None:
        shop = shop_that_calls()
        house = house_of(shop)
        async with running(house) as engine:
            await taken(house)
            await asyncio.sleep(25)
            assert shop.polls == []
            heard = [await engine.called(whose(house), "job-1") for _ in range(10)]
            assert heard == [Heard.POLLED] * 10
            await house.finished(timeout_s=5)
            late = [await engine.called(whose(house), "job-1") for _ in range(10)]
        assert late == [Heard.NOTHING] * 10
        assert len(shop.polls) == len(shop.collects) == len(shop.calls) == 1
        assert row_of(house).state is S.SUCCESS

    run(body())


def test_calls_about_a_job_that_goes_on_do_not_make_it_polled_all_the_time() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=60.0)
        house = house_of(shop)
        async with running(house) as engine:
            await taken(house)
            for _ in range(100):
                await engine.called(whose(house), "job-1")
                await asyncio.sleep(0.1)
        # Those of any young job, and one more every five seconds.
        assert 2 <= len(shop.polls) <= 8

    run(body())


def test_a_call_during_a_poll_is_not_lost() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=20.0)
        house = house_of(shop)
        async with running(house) as engine:
            await taken(house)
            await asyncio.sleep(19.7)
            await engine.called(whose(house), "job-1")
            await house.until(lambda: len(shop.polls) == 1)  # it is out, and will say "running"
            await engine.called(whose(house), "job-1")
            await house.finished(timeout_s=15)

    run(body())


def test_a_job_that_has_ended_is_not_asked_for_before_its_flight_has_noticed() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        house = house_of(shop)
        async with running(house) as engine:
            poller = engine._parts.poller
            heard = poller._heard

            def heard_as_another_round_begins(*args: Any) -> None:
                heard(*args)
                poller._round()  # as a call does that comes at this very moment

            poller._heard = heard_as_another_round_begins  # type: ignore[method-assign]
            await taken(house)
            await asyncio.sleep(2)
            await engine.called(whose(house), "job-1")
            await house.finished(timeout_s=5)
        assert len(shop.polls) == 1

    run(body())


def test_after_a_call_a_job_is_polled_as_one_that_nobody_calls_about() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=40.0)
        house = house_of(shop)
        async with running(house) as engine:
            await taken(house)
            await engine.called(whose(house), None)  # a doubtful body: look, and look again
            await house.finished(timeout_s=60)

    run(body())


def test_a_lost_call_is_made_up_for_by_a_poll() -> None:
    async def body() -> None:
        shop = shop_that_calls()
        house = house_of(shop)
        async with running(house):
            took_s = await house.finished()
        assert 180 <= took_s <= 182
        assert len(shop.polls) == 1

    run(body())


def test_a_call_that_comes_before_the_answer_is_kept_for_it() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        house = house_of(shop)

        async def slow(_made: Made, _nth: int) -> None:
            await asyncio.sleep(10)

        shop.on_submit = slow
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            assert await engine.called(whose(house), "job-1") is Heard.KEPT
            assert await engine.called(whose(house), "job-1") is Heard.KEPT
            assert row_of(house).jobs == {1: Job("job-1")}  # durable before it is answered
            took_s = await house.finished(timeout_s=15)
        assert took_s < 15
        assert row_of(house).jobs == {1: Job("job-1", {"url": "https://jobs/job-1"})}
        assert len(shop.polls) == len(shop.calls) == 1

    run(body())


def test_an_early_call_of_which_nothing_is_known_is_kept_as_well() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            assert await engine.called(whose(house), None) is Heard.KEPT
            assert not row_of(house).jobs
            assert await house.finished(timeout_s=15) < 15

    run(body())


def test_the_job_that_a_call_names_is_followed_where_the_answer_is_lost() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            await engine.called(whose(house), "job-1")
            await house.finished(timeout_s=15)
        assert row_of(house).state is S.SUCCESS
        assert len(shop.calls) == 1

    run(body())


def test_a_job_that_was_named_is_found_at_the_next_start() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        house = house_of(shop)

        async def never(_made: Made, _nth: int) -> None:
            await asyncio.sleep(1000)

        shop.on_submit = never
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            await engine.called(whose(house), "job-1")
        assert row_of(house).state is S.RUNNING
        house.new_engine()
        async with running(house):
            await house.finished(timeout_s=30)
        assert row_of(house).state is S.SUCCESS
        assert len(shop.calls) == 1

    run(body())


@pytest.mark.expect_log("in memory only")
def test_a_named_job_that_the_disk_did_not_take_is_followed_and_the_provider_calls_again() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            house.store.fail_taken = 1
            with pytest.raises(LocalTrouble):
                await engine.called(whose(house), "job-1")
            assert not row_of(house).jobs
            assert await engine.called(whose(house), "job-1") is Heard.KEPT
            assert row_of(house).jobs == {1: Job("job-1")}
            await house.finished(timeout_s=15)
        assert row_of(house).jobs == {1: Job("job-1")}

    run(body())


@pytest.mark.parametrize("comes", ["before the commit", "after it"])
def test_a_call_while_the_row_is_being_given_up_is_not_lost(comes: str) -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        shop.on_submit = loses
        house = house_of(shop)
        calls: list[asyncio.Task[Heard]] = []
        async with running(house) as engine:
            finish = house.store.finish

            def call() -> None:
                calls.append(asyncio.ensure_future(engine.called(whose(house), "job-1")))

            async def finishes(completion: Completion) -> FinishResult:
                if calls:
                    return await finish(completion)
                if comes == "before the commit":
                    call()
                    await asyncio.sleep(1)
                result = await finish(completion)
                if comes == "after it":
                    call()
                    await asyncio.sleep(1)
                assert not calls[0].done()  # its provider is told once that is true
                return result

            house.store.finish = finishes  # type: ignore[method-assign]
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=30)
            assert await calls[0] is not Heard.NOTHING
        assert len(shop.calls) == 1

    run(body())


def test_a_call_brings_home_a_row_of_which_nobody_knew() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: row_of(house).state is S.UNCERTAIN)
            assert await engine.called(whose(house), None) is Heard.NOTHING
            assert await engine.called(whose(house), "job-1") is Heard.ASKED
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=10)
            assert await engine.called(whose(house), "job-1") is Heard.NOTHING
        assert len(shop.calls) == len(shop.collects) == 1

    run(body())


def test_a_call_is_in_time_for_a_row_that_waits_to_be_sent_again() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        shop.on_submit = loses
        house = house_of(shop)
        house.store.connections[1] = replace(
            house.store.connections[1], on_unknown=OnUnknown.RESEND
        )
        async with running(house) as engine:
            await house.until(lambda: row_of(house).state is S.RETRYING)
            assert await engine.called(whose(house), "job-1") is Heard.ASKED
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=10)
        assert len(shop.calls) == len(shop.collects) == 1

    run(body())


def test_a_call_for_nobody_changes_nothing() -> None:
    async def body() -> None:
        shop = shop_that_calls()
        house = house_of(shop)
        async with running(house) as engine:
            await taken(house)
            for who in (Addressee(99, "mark"), Addressee(1, "mark of another store's row")):
                assert await engine.caller(who) is None
                assert await engine.called(who, "job-1") is Heard.NOTHING
            assert shop.polls == []

    run(body())


def test_a_call_about_a_superseded_edition_changes_nothing() -> None:
    async def body() -> None:
        shop = shop_that_calls()
        house = house_of(shop)
        async with running(house) as engine:
            await taken(house)
            before = whose(house)
            row = row_of(house)
            await engine.called(before, None)
            await house.until(lambda: row.state is S.SUCCESS)
            # The row was changed and runs again, under another key and attempt.
            row.state, row.edition, row.key = S.PENDING, 2, ""
            engine.wake()
            await house.until(lambda: len(shop.made) == 2)
            assert await engine.caller(before) is None
            assert await engine.called(before, "job-1") is Heard.NOTHING
            assert shop.asked_for("job-2") == []

    run(body())


def test_a_late_call_after_a_cancel_finds_the_verdict_of_the_provider() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=60.0)
        house = house_of(shop)
        async with running(house) as engine:
            await taken(house)
            await engine.cancel(TaskFilter(batch_id=1))
            await house.until(lambda: row_of(house).state is S.CANCELLED, timeout_s=30)
            assert await engine.called(whose(house), "job-1") is Heard.NOTHING
        assert shop.cancels == ["job-1"]
        assert row_of(house).kept is None

    run(body())


def test_what_is_signed_for_each_call_has_a_secret_of_its_own() -> None:
    async def body() -> None:
        shop = shop_that_calls()
        shop.rule = CallbackRule("hmac-sha256", "X-Sig")
        house = house_of(shop)
        async with running(house) as engine:
            await taken(house)
            found = await engine.caller(whose(house))
        assert shop.told == [("https://me.test/1", "secret of 1 for hmac-sha256")]
        assert found is not None
        assert (found.rule, found.secret) == (shop.rule, "secret of 1 for hmac-sha256")
        assert found.job_called({"id": "x"}) == "x"
        assert "secret of" not in repr(found)

    run(body())


def test_what_a_provider_signs_with_is_asked_once() -> None:
    async def body() -> None:
        shop = shop_that_calls()
        shop.rule = CallbackRule("svix")
        asked = []

        async def secret() -> str:
            asked.append(1)
            return "whsec_QUJD"

        shop.signs_with = secret
        house = house_of(shop, rows=3, concurrency=3)
        async with running(house) as engine:
            await house.until(lambda: len(shop.told) == 3)
            found = await engine.caller(whose(house))
        assert asked == [1]
        assert shop.told[0] == ("https://me.test/1", None)
        assert found is not None
        assert found.secret == "whsec_QUJD"

    run(body())


@pytest.mark.expect_log("is polled, it does not call")
def test_who_does_not_say_with_what_they_sign_is_polled() -> None:
    async def body() -> None:
        shop = shop_that_calls()
        shop.rule = CallbackRule("svix")

        async def fails() -> str:
            raise failure(FailureClass.TRANSIENT, "http_503")

        shop.signs_with = fails
        house = house_of(shop)
        async with running(house):
            await house.finished(timeout_s=40)
        assert shop.told == [(None, None)]

    run(body())


@pytest.mark.expect_log("is polled, it does not call")
def test_what_a_person_enters_is_what_calls_are_signed_with() -> None:
    async def body() -> None:
        shop = shop_that_calls(callback_secret_entered=True)
        shop.rule = SIGNED
        house = house_of(shop)
        async with running(house) as engine:
            await taken(house)
            assert shop.told == [(None, None)]  # nobody has entered it yet
            name = house.store.connections[1].name
            house.secrets.keys[callback_entry(name)] = "s3cret"
            await engine.connection_changed(1)
            found = await engine.caller(whose(house))
        assert found is not None
        assert found.secret == "s3cret"

    run(body())


def test_a_provider_that_takes_its_time_to_say_does_not_hold_a_row() -> None:
    async def body() -> None:
        shop = shop_that_calls()
        shop.rule = CallbackRule("svix")

        async def never() -> str:
            await asyncio.sleep(10_000)
            return ""

        shop.signs_with = never
        house = house_of(shop)
        async with running(house):
            await house.finished(timeout_s=60)
        assert shop.told == [(None, None)]

    run(body())


@pytest.mark.parametrize("takes_s", [5, 10_000])
def test_a_row_given_back_while_that_is_asked_is_not_sent(takes_s: float) -> None:
    async def body() -> None:
        shop = shop_that_calls()
        shop.rule = CallbackRule("svix")

        async def slow() -> str:
            await asyncio.sleep(takes_s)
            return "whsec_QUJD"

        shop.signs_with = slow
        house = house_of(shop)
        async with running(house) as engine:
            await asyncio.sleep(1)
            await engine.pause(1, now=True)
            await asyncio.sleep(20)
            assert shop.calls == []
            assert row_of(house).state is S.PENDING

    run(body())
