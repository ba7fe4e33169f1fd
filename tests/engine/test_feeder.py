"""What is bought while answers wait: nothing more for the disk's sake, all for the store's."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from desktop_app.domain.attempt import Claim
from desktop_app.domain.connection import Limits
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Answer, Call
from desktop_app.engine.feeder import UNKEPT_MAX
from tests.engine.fakes import PICTURE, answers, failure
from tests.engine.house import House, running
from tests.engine.virtual import run


def test_no_more_is_bought_while_many_answers_wait_for_a_slow_disk() -> None:
    async def body() -> None:
        house = House(answers(latency_s=1))
        house.files.keep_s = 1_000.0
        house.connect(8)
        house.store.add_batch(200)
        async with running(house):
            await asyncio.sleep(900)
            assert UNKEPT_MAX <= len(house.provider.calls) < UNKEPT_MAX + 8
            await house.finished()

    run(body())


def test_the_next_rows_are_claimed_beside_the_outcomes_of_the_last() -> None:
    async def body() -> None:
        # As many as fill the measure of what may wait, and a store that takes its time.
        house = House(answers(latency_s=10), commit_s=1.0)
        claimed: list[tuple[float, int]] = []

        def note(claims: list[Claim]) -> None:
            claimed.append((house.clock.monotonic(), len(claims)))

        house.store.on_claim = note
        limits = Limits(concurrency=UNKEPT_MAX, rate=1e6, burst=UNKEPT_MAX, headroom=1.0)
        house.store.add_connection(limits=limits)
        house.store.add_batch(3 * UNKEPT_MAX)
        async with running(house):
            await house.finished()
        full = [(at, n) for at, n in claimed if n]
        assert [n for _, n in full] == [UNKEPT_MAX] * 3
        # A call and one commit: those of the claim and of the outcomes before it are one wait.
        assert [round(b - a, 2) for (a, _), (b, _) in pairwise(full)] == [11, 11]

    run(body())


def test_the_end_is_told_at_once_though_the_next_call_could_not_go_for_long() -> None:
    async def body() -> None:
        house = House(answers(latency_s=2))
        house.connect(4, rate=1 / 60)
        house.store.add_batch(2)
        async with running(house):
            took = await house.finished()
        assert took < 60 + 2 + 1

    run(body())


def test_room_that_is_lost_while_the_folder_is_looked_at_is_waited_for() -> None:
    """A poll may be refused meanwhile, and nobody tells when its wait is over."""

    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            if call.request.prompt == "row 1":
                left.append(house.clock.monotonic())
                await asyncio.sleep(3)
                if nth == 1:
                    raise failure(FailureClass.TRANSIENT, "http_503", after_s=10)
            else:
                await asyncio.sleep(600)
            return Answer((PICTURE,))

        left: list[float] = []
        refusals: list[float] = []
        house = House(script)
        house.connect(2)
        house.store.add_batch(2)
        check = house.files.check_folder

        async def refused_meanwhile(out_dir: str) -> None:
            await check(out_dir)
            if left and house.clock.monotonic() > left[0] + 8 and not refusals:
                refusals.append(house.clock.monotonic())
                (line,) = house.engine._parts.accounts.lines.values()
                refused = failure(FailureClass.THROTTLED, "rate", after_s=20).failure
                line.account.limiter.poll_refused(refusals[0], refused)

        house.files.check_folder = refused_meanwhile  # type: ignore[method-assign]
        async with running(house):
            await house.until(lambda: len(left) == 2)
            assert 20 <= left[1] - refusals[0] < 21
            await house.finished()

    run(body())
