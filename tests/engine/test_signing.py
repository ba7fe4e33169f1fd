"""With what a provider signs is asked for when it may have changed, and never all the time."""

from __future__ import annotations

import asyncio

import pytest

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import CallbackRule
from desktop_app.domain.ports.callbacks import Addressee, Caller
from desktop_app.engine.engine import Engine
from desktop_app.engine.signing import AGAIN_S, ANEW_S, KEPT_S
from tests.engine.fakes import failure
from tests.engine.house import House, running
from tests.engine.job_shop import Shop, job_house
from tests.engine.virtual import run


class Keys:
    """What the provider says when it is asked; None: nothing comes."""

    def __init__(self) -> None:
        self.now: str | None = "old"
        self.asked = 0

    async def __call__(self) -> str:
        self.asked += 1
        await asyncio.sleep(0.1)
        if self.now is None:
            raise failure(FailureClass.TRANSIENT, "http_503")
        return self.now


def house_of(keys: Keys) -> House:
    shop = Shop(2 * KEPT_S, calls_back=True, poll_after_s=180.0)
    shop.rule = CallbackRule("ed25519-jwks", "X-Sign", time_header="X-Time", signs=("X-Time",))
    shop.signs_with = keys
    house = job_house(shop, 1, 1, callbacks=True)
    house.addresses.listens = True
    return house


async def caller(house: House, engine: Engine) -> Caller:
    row = house.store.rows[100_000]
    await house.until(lambda: bool(row.jobs))
    assert row.last_attempt_pk is not None
    whose: Addressee = house.addresses.addressee(row.last_attempt_pk, row.key)
    found = await engine.caller(whose)
    assert found is not None
    return found


async def anew(found: Caller) -> str | None:
    assert found.anew is not None
    return await found.anew()


def test_a_changed_key_is_learned_once_a_call_does_not_fit_the_old_one() -> None:
    async def body() -> None:
        keys = Keys()
        house = house_of(keys)
        async with running(house) as engine:
            found = await caller(house, engine)
            assert found.secret == "old"
            keys.now = "new"
            await asyncio.sleep(ANEW_S)
            assert await asyncio.gather(*(anew(found) for _ in range(20))) == ["new"] * 20
            assert keys.asked == 2
            assert (await caller(house, engine)).secret == "new"
            # Whoever still has the old one is told at once.
            assert await anew(found) == "new"
            assert keys.asked == 2

    run(body())


def test_bad_calls_have_it_asked_once_a_minute_at_most() -> None:
    async def body() -> None:
        keys = Keys()
        house = house_of(keys)
        async with running(house) as engine:
            found = await caller(house, engine)
            for _ in range(300):
                assert await anew(found) is None
                await asyncio.sleep(1)
            assert 4 <= keys.asked <= 6

    run(body())


@pytest.mark.expect_log("does not say with what it signs")
def test_what_is_known_stays_where_it_cannot_be_asked_anew() -> None:
    async def body() -> None:
        keys = Keys()
        house = house_of(keys)
        async with running(house) as engine:
            found = await caller(house, engine)
            keys.now = None
            await asyncio.sleep(ANEW_S)
            assert await anew(found) is None
            assert keys.asked == 2
            assert (await caller(house, engine)).secret == "old"

    run(body())


@pytest.mark.expect_log("is polled, it does not call")
def test_it_is_believed_for_a_day_and_nobody_after_that() -> None:
    async def body() -> None:
        keys = Keys()
        house = house_of(keys)
        async with running(house) as engine:
            await caller(house, engine)
            keys.now = None
            await asyncio.sleep(KEPT_S - 60)
            assert (await caller(house, engine)).secret == "old"
            assert keys.asked == 1
            await asyncio.sleep(60)
            found = await caller(house, engine)
            assert (found.secret, found.anew, found.rule.is_signed) == (None, None, True)
            keys.now = "new"
            await asyncio.sleep(AGAIN_S)
            assert (await caller(house, engine)).secret == "new"
            assert keys.asked == 3

    run(body())
