"""A call that went on after it was given up: its answer is kept, and the row not sent again."""

from __future__ import annotations

import asyncio

import pytest

from desktop_app.domain.attempt import Outcome
from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.ports import Answer, Call, Job
from desktop_app.engine.late_answers import LISTEN_S
from desktop_app.engine.lines import DEADLINE_GRACE_S
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


@pytest.mark.parametrize("picture_is_good", [True, False])
def test_a_row_is_not_sent_again_while_its_late_answer_is_written(picture_is_good: bool) -> None:
    async def script(call: Call, nth: int) -> Answer | Job:
        if nth == 1:
            return await deaf(GIVEN_UP_S + 5)(call, nth)
        return Answer((PICTURE,))

    async def body() -> None:
        house = House(script)
        house.connect(1, timeout_s=60.0, on_unknown=OnUnknown.RESEND)
        house.store.add_batch(1)
        async with running(house):
            row = house.store.rows[100_000]
            await house.until(lambda: bool(house.provider.calls))
            house.provider.connect_s = 10.0
            house.files.keep_s = 20.0
            house.files.bad = set() if picture_is_good else {row.prompt}
            await house.until(lambda: row.attempt_no == 2)
            await house.until(lambda: row.history[-1].outcome is Outcome.NOT_SENT)
            house.provider.connect_s = 0.0
            await house.until(lambda: bool(house.files.tries))
            await asyncio.sleep(18)
            assert len(house.provider.calls) == 1
            house.files.bad = set()
            if picture_is_good:
                late = (1, Outcome.SUCCESS)
                await house.until(lambda: late in [(d.attempt_pk, d.outcome) for d in row.history])
            else:  # what nobody can look at is no result: the row is sent as it would have been
                await house.until(lambda: len(house.provider.calls) == 2, 60)

    run(body())
