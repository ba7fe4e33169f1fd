"""A job that its provider does not know is lost once that was said for long enough, no sooner."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.jobs import Job, JobCancelled, JobLost, JobState
from desktop_app.domain.task import TaskState
from tests.engine.fakes import failure
from tests.engine.house import House, running
from tests.engine.job_shop import JobOpened, Made, Shop, job_house
from tests.engine.virtual import run

S = TaskState
OUTAGE = failure(FailureClass.TRANSIENT, "http_502")
OFFLINE = failure(FailureClass.OFFLINE, "dns", sent=False)
Poll = Callable[[Made, int], JobState | None]


def age(made: Made) -> float:
    return asyncio.get_running_loop().time() - made.at


def states(house: House) -> list[TaskState]:
    return [row.state for row in house.store.rows.values()]


def code(house: House) -> str | None:
    failure = house.store.rows[100_000].history[-1].failure
    return None if failure is None else failure.code


def test_a_job_that_is_not_known_for_ten_minutes_is_in_doubt_and_its_slot_free() -> None:
    async def body() -> None:
        shop = Shop()
        shop.on_poll = lambda made, _nth: JobLost() if made.id == "job-1" else None
        house = job_house(shop, rows=2)
        async with running(house):
            await house.finished()
        assert states(house) == [S.UNCERTAIN, S.SUCCESS]
        assert house.store.rows[100_000].jobs[1].id == "job-1"
        assert code(house) == "job_lost"
        first, second = shop.made["job-1"], shop.made["job-2"]
        assert 600 <= second.at - first.at < 700
        assert len(shop.calls) == 2

    run(body())


@pytest.mark.parametrize(("lost_after_s", "asked"), [(0.0, 1), (60.0, None)])
def test_how_long_is_the_adapters_to_declare(lost_after_s: float, asked: int | None) -> None:
    async def body() -> None:
        shop = Shop(lost_after_s=lost_after_s)
        shop.on_poll = lambda _made, _nth: JobLost()
        house = job_house(shop)
        async with running(house):
            await house.finished()
        times = shop.asked_for("job-1")
        assert states(house) == [S.UNCERTAIN]
        assert lost_after_s <= times[-1] - times[0] <= lost_after_s * 2
        assert asked is None or len(times) == asked

    run(body())


def nothing_yet(made: Made, _nth: int) -> JobState | None:
    return JobLost() if age(made) < 500 else None


def away_between(made: Made, nth: int) -> JobState | None:
    if nth == 1 or 7200 < age(made) < 7230:
        return JobLost()
    if age(made) < 7200:
        raise OUTAGE
    return None


def no_line_between(made: Made, nth: int) -> JobState | None:
    if nth == 1 or 7200 < age(made) < 7230:
        return JobLost()
    if age(made) < 7200:
        raise OFFLINE
    return None


def seen_between(made: Made, nth: int) -> JobState | None:
    return JobLost() if nth % 3 and age(made) < 3600 else None


@pytest.mark.parametrize("said", [nothing_yet, away_between, no_line_between, seen_between])
def test_a_job_that_is_seen_in_time_is_followed_to_its_result(said: Poll) -> None:
    async def body() -> None:
        shop = Shop(takes_s=4000.0, typical_job_s=30.0)
        shop.on_poll = said
        house = job_house(shop)
        async with running(house):
            await house.finished()
        assert states(house) == [S.SUCCESS]
        assert len(shop.calls) == 1

    run(body())


def test_breakdowns_alone_never_make_a_job_lost() -> None:
    async def body() -> None:
        shop = Shop(takes_s=60.0)

        def broken(made: Made, nth: int) -> JobState | None:
            if age(made) < 20 * 3600:
                raise OUTAGE if nth % 2 else OFFLINE
            return None

        shop.on_poll = broken
        house = job_house(shop)
        async with running(house):
            await house.finished(timeout_s=24 * 3600)
        assert (states(house), len(shop.calls)) == ([S.SUCCESS], 1)

    run(body())


def test_past_its_deadline_one_that_is_not_known_is_lost_and_not_merely_late() -> None:
    async def body() -> None:
        shop = Shop(takes_s=1e9, job_deadline_s=3600.0)
        shop.on_poll = lambda made, _nth: JobLost() if age(made) > 3500 else None
        house = job_house(shop)
        async with running(house):
            await house.finished()
        assert code(house) == "job_lost"

    run(body())


def test_one_that_was_cancelled_before_it_began_is_cancelled_and_not_lost() -> None:
    async def body() -> None:
        shop = Shop(lost_after_s=1.0)
        shop.on_poll = lambda _made, _nth: JobLost(JobCancelled(billed=False), hint_s=2.0)
        house = job_house(shop)
        async with running(house):
            await house.finished()
        assert states(house) == [S.FAILED]
        assert code(house) == "job_cancelled"
        times = shop.asked_for("job-1")
        assert (len(times), round(times[1] - times[0], 1)) == (2, 2.1)

    run(body())


class Listing(Shop):
    """One call tells of the jobs ``seen``; a job alone is asked for by its own address."""

    def __init__(self, seen: Callable[[str], bool], **capabilities: Any) -> None:
        super().__init__(polls_many=10, **capabilities)
        self.seen = seen

    def open(self, connection: Any, secret: str | None) -> JobOpened:
        shop = self

        class Opened(JobOpened):
            async def poll(self, jobs: Sequence[Job]) -> Mapping[str, JobState]:
                states = await super().poll(jobs)
                if len(jobs) == 1:
                    return states
                return {one: state for one, state in states.items() if shop.seen(one)}

        return Opened(self, secret)


@pytest.mark.parametrize("seen", [lambda job: job != "job-2", lambda _job: False])
def test_a_job_that_an_answer_about_several_leaves_out_is_asked_for_alone(
    seen: Callable[[str], bool],
) -> None:
    async def body() -> None:
        shop = Listing(seen, takes_s=60.0)
        shop.on_poll = lambda made, _nth: JobLost() if made.id == "job-3" else None
        house = job_house(shop, rows=3, concurrency=3)
        async with running(house):
            await house.finished()
        assert states(house) == [S.SUCCESS, S.SUCCESS, S.UNCERTAIN]
        together = [ids for _, ids in shop.polls if len(ids) > 1 and "job-2" in ids]
        assert len(together) == 1

    run(body())
