"""Polls have what the provider takes, share it with the rows that wait, and pass no told rate."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.jobs import Job
from desktop_app.domain.limits import Working, usual_burst
from desktop_app.domain.ports import Answer, Call, RateNews
from desktop_app.domain.task import TaskState
from desktop_app.engine.poller import SHARE
from tests.engine.fakes import failure
from tests.engine.house import House, running
from tests.engine.job_shop import Made, Shop, job_house
from tests.engine.test_limiter import make
from tests.engine.virtual import run

S = TaskState


class Refusing:
    """Refuses these submits and these polls, each counted from 1."""

    def __init__(self, shop: Shop, *, submits: tuple[int, ...] = (), polls: tuple[int, ...] = ()):
        self._shop, self._submits, self._polls = shop, submits, polls
        self._asked = 0
        self.at: list[float] = []
        self._take = shop.script
        shop.script, shop.on_poll = self._submit, self._poll

    async def _submit(self, call: Call, nth: int) -> Answer | Job:
        if len(self._shop.calls) in self._submits:
            self._refuse()
        return await self._take(call, nth)

    def _poll(self, _made: Made, _nth: int) -> None:
        self._asked += 1
        if self._asked in self._polls:
            self._refuse()

    def _refuse(self) -> None:
        self.at.append(asyncio.get_running_loop().time())
        raise failure(FailureClass.THROTTLED, "http_429", after_s=0.5)


def requests(house: House, shop: Shop) -> list[float]:
    """When anything left for the provider."""
    return sorted([at for at, _ in shop.calls] + [at for at, _ in shop.polls])


def most_over(times: list[float], rate: float) -> float:
    """How many more than ``rate`` allows left within any time."""
    return max(
        last + 1 - first - rate * (times[last] - times[first])
        for first in range(len(times))
        for last in range(first, len(times))
    )


def test_a_refused_submit_leaves_the_polls_of_twenty_jobs_their_schedule() -> None:
    async def body() -> None:
        shop = Shop(takes_s=4.0)
        Refusing(shop, submits=(1, 7, 12))
        house = job_house(shop, rows=20, concurrency=20, rate=200.0)
        async with running(house):
            await house.finished()
        assert house.count(S.SUCCESS) == 20
        late = []
        for made in shop.made.values():
            asked = [made.at + 0.2, *shop.asked_for(made.id)]
            late += [b - a - max(1.0, (a - made.at) / 2) for a, b in pairwise(asked)]
        assert max(late) < 0.5  # the jitter, and the time that a poll takes

    run(body())


def test_while_no_row_waits_polls_have_the_whole_rate() -> None:
    async def body() -> None:
        shop = Shop(takes_s=120.0, typical_job_s=5.0)
        house = job_house(shop, rows=20, concurrency=20, rate=1.0)
        async with running(house):
            await house.until(lambda: len(shop.calls) == 20)
            await asyncio.sleep(2)
            before = len(shop.polls)
            await asyncio.sleep(40)
            assert 38 <= len(shop.polls) - before <= 41
            await house.finished()

    run(body())


def test_rows_that_wait_and_jobs_that_run_each_have_their_share() -> None:
    async def body() -> None:
        shop = Shop(takes_s=600.0, typical_job_s=5.0)
        house = job_house(shop, rows=220, concurrency=220, rate=2.0)
        async with running(house):
            await house.until(lambda: len(shop.calls) == 20)
            asked, seconds = len(shop.polls), 60
            await asyncio.sleep(seconds)
            sent, polled = len(shop.calls) - 20, len(shop.polls) - asked
            assert abs(sent - seconds * 2.0 * (1 - SHARE)) <= 4
            assert abs(polled - seconds * 2.0 * SHARE) <= 4

    run(body())


def test_a_batch_that_is_paused_leaves_the_polls_all_of_the_rate() -> None:
    async def body() -> None:
        shop = Shop(takes_s=600.0, typical_job_s=5.0)
        house = job_house(shop, rows=220, concurrency=220, rate=2.0)
        async with running(house) as engine:
            await house.until(lambda: len(shop.calls) == 20)
            await engine.pause(1)
            await asyncio.sleep(3)
            asked = len(shop.polls)
            await asyncio.sleep(20)
            assert abs(len(shop.polls) - asked - 20 * 2.0) <= 3

    run(body())


def test_calls_and_polls_together_never_pass_the_told_rate() -> None:
    async def body() -> None:
        for rate in (1.0, 7.0, 40.0):
            shop = Shop(takes_s=15.0, typical_job_s=5.0)
            refusing = Refusing(shop, submits=(15, 40), polls=(20, 60))
            house = job_house(shop, rows=80, concurrency=30, rate=rate)
            async with running(house):
                await house.finished()
            assert (house.count(S.SUCCESS), len(refusing.at)) == (80, 4)
            over = most_over(requests(house, shop), rate)
            assert over <= usual_burst(rate) + 1e-6

    run(body())


def test_only_a_refused_poll_slows_the_polls_and_answers_bring_their_rate_back() -> None:
    async def body() -> None:
        limiter = make(Working(4, rate=10.0))
        sent_at = limiter.sent()
        refused = failure(FailureClass.THROTTLED, "http_429", after_s=0.5).failure
        limiter.throttled(sent_at, refused)
        assert (limiter.allowed_rate or 0.0) < 10.0
        assert limiter.polls.rate == 10.0
        for _ in range(30):
            await asyncio.sleep(0.5)
            limiter.polls.book()
            limiter.polls.answered(limiter.polls.left())
        limiter.polls.book()
        limiter.poll_refused(limiter.polls.left(), refused)
        slowed = limiter.polls.rate or 0.0
        assert 1.0 < slowed < 3.0
        for _ in range(600):
            await asyncio.sleep(0.1)
            limiter.polls.book()
            limiter.polls.answered(limiter.polls.left())
        assert limiter.polls.rate == 10.0

    run(body())


def test_one_poll_that_met_a_busy_server_at_the_beginning_slows_nothing() -> None:
    async def body() -> None:
        limiter = make(Working(4))
        limiter.sent()
        said = failure(FailureClass.THROTTLED, "http_503", after_s=0.5).failure
        limiter.polls.book()
        limiter.poll_refused(limiter.polls.left(), replace(said, http_status=503))
        assert (limiter.allowed_rate, limiter.polls.rate) == (None, None)
        for _ in range(3):
            limiter.polls.book()
            limiter.poll_refused(limiter.polls.left(), replace(said, http_status=503))
        assert limiter.polls.rate is not None

    run(body())


def test_what_a_refusal_asks_for_is_waited_by_polls_too_and_our_own_wait_is_not() -> None:
    async def body() -> None:
        limiter = make(Working(4, rate=10.0))
        now = asyncio.get_running_loop().time()
        limiter.throttled(limiter.sent(), failure(FailureClass.THROTTLED, "http_429").failure)
        assert limiter.slowed_until is not None
        assert limiter.polls.held_until <= now
        hint = failure(FailureClass.THROTTLED, "http_429", after_s=20).failure
        limiter.throttled(limiter.sent(), hint)
        assert limiter.polls.held_until == now + 20

    run(body())


def test_headers_that_name_a_rate_hold_for_calls_and_polls_together() -> None:
    async def body() -> None:
        limiter = make(Working(50))
        limiter.take(1)
        limiter.left()
        limiter.succeeded(limiter.sent(), RateNews(limit_requests=60, window_s=60.0))
        waits = [limiter.polls.book() for _ in range(3)]
        assert [round(wait, 2) for wait in waits] == [1.0, 2.0, 3.0]
        assert limiter.free() == 0

    run(body())
