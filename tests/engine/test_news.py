"""What the engine has for a person goes out gathered, and says what it is about."""

from __future__ import annotations

import asyncio

import pytest

from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.events import Alert, AlertKind
from desktop_app.domain.task import TaskState
from tests.engine.fakes import answers, fails
from tests.engine.house import House, running
from tests.engine.virtual import run


def alerts(house: House, kind: AlertKind) -> list[Alert]:
    return [e for e in house.events if isinstance(e, Alert) and e.kind is kind]


@pytest.mark.parametrize("kind", [FailureClass.REFUSED, FailureClass.UNKNOWN])
def test_every_way_to_need_a_person_is_told_of_and_gathered(kind: FailureClass) -> None:
    async def body() -> None:
        house = House(fails(kind, "why"))
        house.connect(8)
        house.store.add_batch(300)
        async with running(house):
            await house.finished()
        told = alerts(house, AlertKind.ROWS)
        assert sum(alert.said.values["n"] for alert in told) == 300
        assert len(told) <= 2
        assert {alert.batch_id for alert in told} == {1}

    run(body())


def test_the_third_timeout_that_leaves_a_row_in_doubt_is_told_of() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.UNKNOWN, "timeout", timeout=True))
        house.connect(1, on_unknown=OnUnknown.RESEND)
        house.store.add_batch(1)
        async with running(house):
            await house.finished()
            await asyncio.sleep(60)
        assert house.count(TaskState.UNCERTAIN) == 1
        assert len(house.provider.calls) == 3
        assert [alert.said.values["n"] for alert in alerts(house, AlertKind.ROWS)] == [1]

    run(body())


def test_a_batch_that_stops_at_its_cap_is_told_of_once() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(4)
        house.store.add_batch(20, max_calls=10)
        async with running(house):
            await house.until(lambda: bool(alerts(house, AlertKind.STOPPED)))
            await asyncio.sleep(3600)
        [told] = alerts(house, AlertKind.STOPPED)
        assert (told.said.code, told.batch_id) == ("engine.max_calls", 1)

    run(body())


def test_two_connections_on_one_key_are_one_account_to_tell_of() -> None:
    async def body() -> None:
        house = House(fails(FailureClass.ACCOUNT, "invalid_api_key"))
        house.connect(2)
        house.connect(2, id=2, name="fal too")
        house.secrets.keys["fal too"] = house.secrets.keys["fal"]
        house.store.add_batch(10)
        house.store.add_batch(10, id=2, connection_id=2)
        async with running(house):
            await house.until(lambda: bool(alerts(house, AlertKind.ACCOUNT)))
            await asyncio.sleep(3600)
            states = house.engine.account_states()
            [banner] = house.engine.banners()
        assert [states[number][0] for number in (1, 2)] == ["paused"] * 2
        [told] = alerts(house, AlertKind.ACCOUNT)
        assert told.account == banner.key
        assert told.connection_id in (1, 2)

    run(body())
