"""Of a job's several results some may not be fetched at once: what was paid for is asked for again,
and never costs the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.jobs import RESULT_EXPIRED, Job, JobDone, JobLost, JobState
from desktop_app.domain.ports import Answer
from desktop_app.domain.task import TaskState
from tests.engine.fakes import PICTURE, Row, failure
from tests.engine.house import running
from tests.engine.job_shop import JobOpened, Made, Shop, job_house
from tests.engine.virtual import run

S = TaskState
WHOLE = Answer((PICTURE,) * 3)


def part(count: int, code: str = "download_failed") -> Answer:
    missing = failure(FailureClass.UNKNOWN, code).failure
    return replace(WHOLE, contents=(PICTURE,) * count, missing=missing)


async def collected(shop: Shop, *answers: Answer) -> Row:
    """The row, after its job gave these one after the other, and the last for ever."""
    shop.on_collect = lambda nth: answers[min(nth, len(answers)) - 1]
    house = job_house(shop, params={"n": 3})
    async with running(house):
        await house.finished()
    assert len(shop.calls) == 1
    return house.store.rows[100_000]


def shop_of_several() -> Shop:
    return Shop(several_results=True)


def test_the_rest_is_fetched_later() -> None:
    async def body() -> None:
        shop = shop_of_several()
        row = await collected(shop, part(2), part(1), WHOLE)
        assert row.state is S.SUCCESS
        assert row.kept is not None
        assert (row.kept.count, row.kept.flags) == (3, ())
        assert len(shop.collects) == 3

    run(body())


def test_where_the_rest_is_not_to_be_had_the_most_that_came_is_kept() -> None:
    async def body() -> None:
        shop = shop_of_several()
        row = await collected(shop, part(1), part(2), part(1))
        assert row.state is S.SUCCESS
        assert row.kept is not None
        assert (row.kept.count, row.kept.flags) == (2, ("partial",))
        assert len(shop.collects) == 8

    run(body())


@pytest.mark.parametrize("then", [JobDone({"result": "job-1"}), JobLost()], ids=["there", "lost"])
def test_what_came_before_an_address_ran_out_is_not_lost_with_it(then: JobState) -> None:
    async def body() -> None:
        shop = shop_of_several()

        def states(_made: Made, nth: int) -> JobState | None:
            return then if shop.collects and nth else None

        shop.on_poll = states
        row = await collected(shop, part(2, RESULT_EXPIRED))
        assert row.state is S.SUCCESS
        assert row.kept is not None
        assert (row.kept.count, row.kept.flags) == (2, ("partial",))
        assert len(shop.collects) == (1 if isinstance(then, JobLost) else 4)

    run(body())


class Remembering(JobOpened):
    """Fetches three results, of which each call brings one more; it notes what it had before."""

    had: ClassVar[list[list[int]]] = []

    async def collect(self, job: Job, done: JobDone) -> Answer:
        self.had.append(sorted(done.kept))
        done.kept[len(done.kept)] = PICTURE
        await super().collect(job, done)
        missing = failure(FailureClass.UNKNOWN, self.code(len(self.had))).failure
        short = len(done.kept) < 3
        return replace(
            WHOLE, contents=(PICTURE,) * len(done.kept), missing=missing if short else None
        )

    def code(self, nth: int) -> str:
        return RESULT_EXPIRED if nth == 1 else "download_failed"


def test_what_was_fetched_is_there_at_the_next_try_also_with_a_fresh_address() -> None:
    async def body() -> None:
        Remembering.had.clear()
        shop = shop_of_several()
        shop.open = lambda _connection, secret: Remembering(shop, secret)  # type: ignore[method-assign, assignment]
        row = await collected(shop, WHOLE)
        assert row.state is S.SUCCESS
        assert Remembering.had == [[], [0], [0, 1]]

    run(body())
