"""A resend is safe only while the provider knows its key, also where the row had to wait for it."""

from __future__ import annotations

import asyncio

import pytest

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Answer, Call, Capabilities
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from tests.engine.fakes import PICTURE, Script, failure
from tests.engine.house import House, running
from tests.engine.virtual import run

S = TaskState
IDEMPOTENT = Capabilities("picture", 600.0, idempotent_s=3600.0)


def first_lost() -> Script:
    async def script(call: Call, nth: int) -> Answer:
        await asyncio.sleep(1)
        if nth == 1:
            raise failure(FailureClass.UNKNOWN, "dropped")
        return Answer((PICTURE,))

    return script


@pytest.mark.parametrize(
    ("away_s", "policy", "state", "calls"),
    [
        (3000, None, S.SUCCESS, 2),
        (4000, None, S.UNCERTAIN, 1),
        (4000, OnUnknown.HOLD, S.UNCERTAIN, 1),
        (4000, OnUnknown.RESEND, S.SUCCESS, 2),
    ],
)
def test_a_row_that_waited_longer_than_its_key_lives_follows_the_policy(
    away_s: float, policy: OnUnknown | None, state: TaskState, calls: int
) -> None:
    async def body() -> None:
        house = House(first_lost(), IDEMPOTENT)
        house.connect(1, on_unknown=policy)
        house.store.add_batch(1)
        async with running(house):
            row = house.store.rows[100_000]
            await house.until(lambda: row.state is S.RETRYING)
            await house.engine.pause(1)
            await asyncio.sleep(away_s)
            await house.engine.resume(1)
            await house.finished()
        assert (row.state, len(house.provider.calls)) == (state, calls)
        if calls == 1:
            last = row.history[-1]
            assert (last.outcome, last.billed) == (Outcome.NOT_SENT, Billed.NO)
            assert last.failure is not None
            assert last.failure.code == "key_expired"

    run(body())


def test_a_key_is_counted_from_its_first_use_also_while_it_is_resent() -> None:
    async def body() -> None:
        async def slow_and_lost(call: Call, nth: int) -> Answer:
            await asyncio.sleep(500)
            raise failure(FailureClass.UNKNOWN, "dropped")

        house = House(slow_and_lost, Capabilities("picture", 600.0, idempotent_s=1200.0))
        house.connect(1, retries=100)
        house.store.add_batch(1)
        async with running(house):
            await house.finished()
        assert house.count(S.UNCERTAIN) == 1
        assert len(house.provider.calls) == 3

    run(body())


def test_a_person_who_sends_again_is_obeyed_however_old_the_key_is() -> None:
    async def body() -> None:
        house = House(first_lost(), Capabilities("picture", 600.0))
        house.connect(1)
        house.store.add_batch(1)
        async with running(house):
            row = house.store.rows[100_000]
            await house.until(lambda: row.state is S.UNCERTAIN)
            await asyncio.sleep(100_000)
            await house.store.requeue(TaskFilter(batch_id=1), house.clock.now())
            house.engine.wake()
            await house.until(lambda: row.state is S.SUCCESS, timeout_s=60)

    run(body())
