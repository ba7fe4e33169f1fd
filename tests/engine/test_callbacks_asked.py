"""A call that names no job says that its attempt has arrived: where the provider can be asked about
that, it is, and the row is not sent meanwhile, nor for it."""

from __future__ import annotations

import asyncio

import pytest

from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.errors import FailureClass, LocalTrouble
from desktop_app.domain.jobs import Arrival, Asked, Job
from desktop_app.domain.ports.callbacks import Heard
from desktop_app.domain.task import TaskState
from tests.engine.fakes import failure
from tests.engine.house import House, running
from tests.engine.job_shop import Made, Shop, loses
from tests.engine.test_callbacks import house_of, row_of, shop_that_calls, whose
from tests.engine.test_late_jobs import first_loses, house_that_sends_again, overtaken
from tests.engine.virtual import run

S = TaskState
UNKNOWN = Asked(Arrival.UNKNOWN)
NEVER = Asked(Arrival.NOT_ARRIVED)


def shop_that_can_be_asked(*first: Asked) -> Shop:
    """Its first answers are these; then it says what it knows."""
    shop = shop_that_calls(takes_s=1.0, askable=True)
    shop.on_ask = lambda nth: first[nth - 1] if nth <= len(first) else None
    return shop


async def in_doubt(house: House) -> None:
    await house.until(lambda: row_of(house).state is S.UNCERTAIN)


def test_a_row_in_doubt_is_asked_about_at_once_and_its_job_followed() -> None:
    async def body() -> None:
        shop = shop_that_can_be_asked(UNKNOWN)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await in_doubt(house)
            assert await engine.called(whose(house), None) is Heard.ASKED
            assert row_of(house).state is S.RUNNING  # stored before it is answered
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=10)
        assert len(shop.calls) == len(shop.collects) == 1
        assert len(shop.asked) == 2

    run(body())


def test_ten_calls_are_one_question() -> None:
    async def body() -> None:
        shop = shop_that_can_be_asked(UNKNOWN)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await in_doubt(house)
            calls = [engine.called(whose(house), None) for _ in range(10)]
            heard = await asyncio.gather(*calls)
            assert set(heard) <= {Heard.ASKED, Heard.KEPT}
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=10)
            assert await engine.called(whose(house), None) is Heard.NOTHING
        assert len(shop.asked) == 2

    run(body())


@pytest.mark.parametrize("answer", [UNKNOWN, NEVER, Asked(Arrival.ARRIVED)])
@pytest.mark.parametrize("policy", [OnUnknown.HOLD, OnUnknown.RESEND])
def test_whatever_is_answered_a_row_that_is_a_persons_is_not_sent(
    answer: Asked, policy: OnUnknown
) -> None:
    async def body() -> None:
        shop = shop_that_can_be_asked(*[UNKNOWN] * 3, answer)
        shop.on_submit = loses
        house = house_that_sends_again(shop) if policy is OnUnknown.RESEND else house_of(shop)
        async with running(house) as engine:
            row = row_of(house)
            row.retries_spent = 3
            await in_doubt(house)
            shop.on_ask = lambda _nth: answer
            assert await engine.called(whose(house), None) is Heard.ASKED
            await in_doubt(house)
            await asyncio.sleep(600)
            assert row.state is S.UNCERTAIN
        assert len(shop.calls) == 1

    run(body())


@pytest.mark.parametrize("answer", [UNKNOWN, NEVER])
def test_a_row_that_was_to_be_sent_again_still_is_and_that_spends_nothing(answer: Asked) -> None:
    async def body() -> None:
        shop = shop_that_can_be_asked(UNKNOWN, answer)
        shop.on_submit = first_loses
        house = house_that_sends_again(shop)
        async with running(house) as engine:
            await house.until(lambda: row_of(house).state is S.RETRYING)
            assert await engine.called(whose(house), None) is Heard.ASKED
            assert await house.finished(timeout_s=300)
        row = row_of(house)
        assert (row.state, row.retries_spent) == (S.SUCCESS, 1)
        assert len(shop.calls) == 2

    run(body())


def test_a_row_that_was_to_be_sent_again_is_not_where_the_answer_names_its_job() -> None:
    async def body() -> None:
        shop = shop_that_can_be_asked(UNKNOWN)
        shop.on_submit = loses
        house = house_that_sends_again(shop)
        async with running(house) as engine:
            await house.until(lambda: row_of(house).state is S.RETRYING)
            assert await engine.called(whose(house), None) is Heard.ASKED
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=20)
        assert len(shop.calls) == len(shop.collects) == 1

    run(body())


def test_a_row_that_was_sent_again_is_asked_about_where_that_comes_to_nothing() -> None:
    async def submits(made: Made, nth: int) -> None:
        await asyncio.sleep(5)
        if nth == 1:
            raise failure(FailureClass.UNKNOWN, "dropped")
        raise failure(FailureClass.REFUSED, "moderated")

    async def body() -> None:
        shop = shop_that_can_be_asked(UNKNOWN)
        shop.on_submit = submits
        house = house_that_sends_again(shop)
        async with running(house) as engine:
            first = await overtaken(house, shop)
            assert await engine.called(first, None) is Heard.KEPT
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=300)
        assert len(shop.calls) == 2
        assert row_of(house).history[-1].attempt_pk == 1

    run(body())


def test_a_call_that_was_said_to_be_under_way_is_never_said_not_to_have_arrived() -> None:
    """Its provider has called about it before the answer of its submit was lost."""

    async def body() -> None:
        shop = shop_that_can_be_asked(NEVER)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            assert await engine.called(whose(house), None) is Heard.KEPT
            await in_doubt(house)
        assert len(shop.calls) == 1

    run(body())


@pytest.mark.parametrize("kind", [FailureClass.TRANSIENT, FailureClass.THROTTLED])
@pytest.mark.parametrize(("answers", "state"), [((), S.SUCCESS), ((UNKNOWN,), S.UNCERTAIN)])
def test_a_call_that_is_said_to_have_come_to_nothing_is_asked_about_if_its_provider_has_called(
    kind: FailureClass, answers: tuple[Asked, ...], state: TaskState
) -> None:
    async def fails(_made: Made, _nth: int) -> None:
        await asyncio.sleep(5)
        raise failure(kind, "http")

    async def body() -> None:
        shop = shop_that_can_be_asked(*answers)
        shop.on_submit = fails
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            assert await engine.called(whose(house), None) is Heard.KEPT
            await house.until(lambda: row_of(house).state is state, timeout_s=120)
            await asyncio.sleep(600)
            assert row_of(house).state is state
        assert len(shop.calls) == 1

    run(body())


def test_who_refuses_a_call_and_has_called_about_it_is_not_asked() -> None:
    async def refuses(_made: Made, _nth: int) -> None:
        await asyncio.sleep(5)
        raise failure(FailureClass.REFUSED, "moderated")

    async def body() -> None:
        shop = shop_that_can_be_asked()
        shop.on_submit = refuses
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            assert await engine.called(whose(house), None) is Heard.KEPT
            await house.until(lambda: row_of(house).state is S.FAILED)
        assert shop.asked == []

    run(body())


def test_that_it_has_arrived_is_known_after_a_restart() -> None:
    async def never(_made: Made, _nth: int) -> None:
        await asyncio.sleep(1000)

    async def body() -> None:
        shop = shop_that_can_be_asked(NEVER)
        shop.on_submit = never
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: bool(shop.made))
            await engine.called(whose(house), None)
        assert row_of(house).state is S.RUNNING
        house.new_engine()
        async with running(house):
            await in_doubt(house)
            await asyncio.sleep(60)
        assert len(shop.calls) == 1
        assert len(shop.asked) == 1

    run(body())


def test_it_is_asked_after_a_restart_also_where_it_could_be_sent_again_safely() -> None:
    """The key is still honoured; but the question costs nothing, and no retry."""

    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0, askable=True, idempotent_s=3600.0)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await house.until(lambda: row_of(house).state is S.RETRYING)
            assert await engine.called(whose(house), None) is Heard.ASKED
        assert row_of(house).state is S.RUNNING
        house.new_engine()
        async with running(house):
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=60)
        assert len(shop.calls) == 1

    run(body())


def test_who_can_not_be_asked_is_not() -> None:
    async def body() -> None:
        shop = shop_that_calls(takes_s=1.0)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await in_doubt(house)
            assert await engine.called(whose(house), None) is Heard.NOTHING
        assert shop.asked == []

    run(body())


@pytest.mark.expect_log("could not be committed")
def test_a_call_that_the_disk_does_not_take_is_to_come_again_and_nothing_is_sent_meanwhile() -> (
    None
):
    async def body() -> None:
        shop = shop_that_can_be_asked(UNKNOWN)
        shop.on_submit = loses
        house = house_that_sends_again(shop)
        async with running(house) as engine:
            await house.until(lambda: row_of(house).state is S.RETRYING)
            house.store.fail_taken = 10
            with pytest.raises(LocalTrouble):
                await engine.called(whose(house), None)
            assert row_of(house).state is S.RETRYING
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=120)
        assert len(shop.calls) == 1

    run(body())


def test_a_job_that_is_named_while_it_is_asked_about_is_followed() -> None:
    async def body() -> None:
        shop = shop_that_can_be_asked(UNKNOWN)
        shop.on_submit = loses
        house = house_of(shop)
        async with running(house) as engine:
            await in_doubt(house)

            def silent(_nth: int) -> Asked:
                raise failure(FailureClass.OFFLINE, "dns")

            shop.on_ask = silent
            assert await engine.called(whose(house), None) is Heard.ASKED
            await asyncio.sleep(2)
            assert await engine.called(whose(house), "job-1") is Heard.KEPT
            await house.until(lambda: row_of(house).state is S.SUCCESS, timeout_s=20)
        assert row_of(house).jobs[1] == Job("job-1")
        assert len(shop.calls) == 1

    run(body())
