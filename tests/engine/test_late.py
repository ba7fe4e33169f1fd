"""A call that went on after it was given up: its answer is kept, and the row not sent again."""

from __future__ import annotations

import asyncio

from desktop_app.domain.attempt import Outcome
from desktop_app.domain.ports import Answer, Call
from desktop_app.engine.accounts import DEADLINE_GRACE_S
from desktop_app.engine.late_answers import LISTEN_S
from desktop_app.engine.worker import STUBBORN_S
from tests.engine.fakes import PICTURE, Script
from tests.engine.house import House, running
from tests.engine.virtual import run

GIVEN_UP_S = 60.0 + DEADLINE_GRACE_S + STUBBORN_S


def deaf(latency_s: float) -> Script:
    """A server whose line nobody can hang up."""

    async def script(call: Call, nth: int) -> Answer:
        loop = asyncio.get_running_loop()
        end = loop.time() + latency_s
        while (left := end - loop.time()) > 0:
            try:
                await asyncio.sleep(left)
            except asyncio.CancelledError:
                continue
        return Answer((PICTURE,))

    return script


def test_a_late_answer_is_kept_and_handed_to_the_store() -> None:
    async def body() -> None:
        house = House(deaf(GIVEN_UP_S + 60))
        house.connect(1, timeout_s=60.0)
        house.store.add_batch(1)
        async with running(house):
            row = house.store.rows[100_000]
            await house.until(lambda: bool(row.history))
            assert row.history[0].outcome is Outcome.UNKNOWN
            await house.until(lambda: len(row.history) == 2, timeout_s=100)
            late = row.history[1]
            assert (late.outcome, late.attempt_pk) == (Outcome.SUCCESS, row.history[0].attempt_pk)
            assert late.kept is not None

    run(body())


def test_nobody_listens_for_ever_and_quitting_does_not_wait() -> None:
    async def body() -> None:
        house = House(deaf(GIVEN_UP_S + LISTEN_S + 5))
        house.connect(1, timeout_s=60.0)
        house.store.add_batch(1)
        async with running(house):
            await asyncio.sleep(GIVEN_UP_S + LISTEN_S + 20)
            assert len(house.store.rows[100_000].history) == 1
        house = House(deaf(GIVEN_UP_S + 300))
        house.connect(1, timeout_s=60.0)
        house.store.add_batch(1)
        async with running(house):
            await asyncio.sleep(GIVEN_UP_S + 5)
            start = house.clock.monotonic()
        assert house.clock.monotonic() - start < 5
        await asyncio.sleep(400)  # the line itself ends

    run(body())
