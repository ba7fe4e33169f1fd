"""A full disk stops the buying, loses nothing that was bought, and mends by itself."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import cast

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass, LocalTrouble, ProviderFailure
from desktop_app.domain.events import EngineChanged
from desktop_app.domain.ports import Answer, Call, Job
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from tests.engine.fakes import Opened, Provider, answers, failure
from tests.engine.house import House, running
from tests.engine.virtual import run


def test_a_folder_that_is_gone_stops_the_next_paid_call() -> None:
    async def body() -> None:
        house = House(answers())
        house.files.trouble = True
        house.connect(4)
        house.store.add_batch(10)
        async with running(house):
            await asyncio.sleep(100)
            assert house.provider.calls == []
            trouble = house.engine.trouble()
            assert trouble is not None
            assert trouble.code == "exports.gone"
            assert [banner.key for banner in house.engine.banners()] == ["local"]
            assert EngineChanged() in house.events  # what whoever calls a person listens for
            house.files.trouble = False
            await house.finished(timeout_s=30)
            assert house.engine.trouble() is None

    run(body())


def test_a_folder_is_expected_where_an_earlier_process_left_results() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(4)
        house.store.add_batch(2)
        async with running(house):
            await house.finished(timeout_s=30)
            assert house.files.expected == []  # the first results are only coming
        house.store.of(1)[0].state = TaskState.PENDING
        house.new_engine()
        await house.engine.start()
        await house.engine.resume(1)
        assert house.files.expected == ["/out"]
        await house.engine.stop()

    run(body())


def test_a_paid_answer_waits_for_the_disk_and_is_never_bought_again() -> None:
    async def body() -> None:
        house = House(answers(latency_s=1))
        house.connect(4)
        house.store.add_batch(10)
        async with running(house):
            await asyncio.sleep(0.5)
            house.files.trouble = True
            await asyncio.sleep(300)
            calls = len(house.provider.calls)
            assert calls <= 8
            assert house.count(TaskState.SUCCESS) == 0
            house.files.trouble = False
            await house.finished(timeout_s=60)
        assert house.count(TaskState.SUCCESS) == 10
        assert len(house.provider.calls) == 10

    run(body())


def test_a_local_fault_before_sending_gives_the_row_back() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(1)
        house.store.add_batch(3)

        class Broken:
            capabilities = house.provider.caps
            left = 1

            def __init__(self, inner: object) -> None:
                self.inner = inner

            async def submit(self, call: object) -> object:
                if Broken.left:
                    Broken.left = 0
                    raise failure(FailureClass.LOCAL, "no_temp", sent=False)
                return await self.inner.submit(call)  # type: ignore[attr-defined]

            async def close(self) -> None:
                await self.inner.close()  # type: ignore[attr-defined]

        plain = house.provider.open
        house.provider.open = lambda c, s: Broken(plain(c, s))  # type: ignore[assignment,method-assign,return-value]
        async with running(house):
            await asyncio.sleep(0.1)
            assert house.count(TaskState.PENDING) == 3
            await house.finished(timeout_s=60)
        assert all(row.retries_spent == 0 for row in house.store.rows.values())

    run(body())


CODES = ["store.busy", "store.disk_full"]


@pytest.mark.expect_log("a round of the feeder failed")
@pytest.mark.parametrize("code", CODES)
def test_a_store_that_takes_no_claim_is_told_at_once_and_logged_once(
    code: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(2)
        house.store.add_batch(4)
        house.store.fail_claim = 5
        house.store.trouble = LocalTrouble(message(code))
        async with running(house):
            await house.until(lambda: house.store.fail_claim == 4)
            assert house.engine.trouble() == message(code)
            await house.finished()
            assert house.engine.trouble() is None
        assert house.count(TaskState.SUCCESS) == 4
        assert len(house.provider.calls) == 4

    run(body())
    told = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [(record.levelno, record.exc_info) for record in told] == [(logging.WARNING, None)]


@pytest.mark.expect_log("could not be committed")
@pytest.mark.parametrize("code", CODES)
def test_a_store_that_takes_no_answer_says_why_and_logs_it_once(
    code: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def body() -> None:
        house = House(answers(latency_s=1))
        house.connect(1)
        house.store.add_batch(3)
        async with running(house):
            house.store.trouble = LocalTrouble(message(code))
            house.store.fail_finish = 6
            await house.until(lambda: house.store.fail_finish < 6)
            assert house.engine.trouble() == message(code)
            await house.finished()
            assert house.engine.trouble() is None
        assert house.count(TaskState.SUCCESS) == 3
        assert len(house.provider.calls) == 3

    run(body())
    told = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert {(record.levelno, record.exc_info) for record in told} == {(logging.WARNING, None)}
    lines = [record.getMessage() for record in told]
    assert len(lines) == len(set(lines)), "each attempt once"


def gone(folder: str) -> ProviderFailure:
    raised = failure(FailureClass.INVALID, "reference_missing", sent=False)
    return ProviderFailure(replace(raised.failure, lost=folder))


class Sources:
    """Which folders of reference pictures are there; row n takes its picture from folder n."""

    def __init__(self, house: House, lost: str) -> None:
        self.lost = lost
        self.looked: list[str] = []
        house.engine._parts.guard._is_there = self._is_there

    async def _is_there(self, folder: str) -> bool:
        self.looked.append(folder)
        return not self.lost


class Checking(Opened):
    """Looks at a row's file before anything leaves."""

    async def submit(self, call: Call) -> Answer | Job:
        provider = self._provider
        assert isinstance(provider, Taking)
        if call.request.prompt in provider.lost:
            provider.missed += 1
            raise gone(provider.lost[call.request.prompt])
        return await super().submit(call)


class Taking(Provider):
    """Answers, but for rows (by their prompts) whose folder is gone."""

    def __init__(self, lost: dict[str, str]) -> None:
        super().__init__(answers())
        self.lost = lost
        self.missed = 0

    def open(self, connection: Connection, secret: str | None) -> Opened:
        return Checking(self)


@pytest.mark.parametrize("lost", ["/mnt/drive", "/mnt/drive/{n}"])
def test_rows_whose_pictures_are_gone_with_their_folder_wait_for_it(lost: str) -> None:
    """The drive is gone, or is there and empty because nothing is mounted."""

    async def body() -> None:
        missing = {f"row {n}": lost.format(n=n) for n in range(3, 200)}
        house = House(answers(), provider=Taking(missing))
        sources = Sources(house, lost)
        house.connect(4)
        house.store.add_batch(200)
        async with running(house):
            await house.until(lambda: house.engine.trouble() is not None, 60)
            await asyncio.sleep(60)
            assert cast("Taking", house.provider).missed < 20
            trouble = house.engine.trouble()
            assert trouble is not None
            assert (trouble.code, trouble.values["folder"] in missing.values()) == (
                "engine.source_gone",
                True,
            )
            assert [banner.key for banner in house.engine.banners()] == ["local"]
            assert house.count(TaskState.FAILED) == 0
            assert set(sources.looked) <= set(missing.values())
            missing.clear()
            sources.lost = ""
            await house.finished(timeout_s=120)
        assert house.count(TaskState.SUCCESS) == 200

    run(body())


def test_single_rows_whose_picture_is_gone_fail_alone() -> None:
    async def body() -> None:
        missing = {"row 3": "/a/old", "row 7": "/b/old", "row 8": "/b/older", "row 9": ""}
        house = House(answers(), provider=Taking(missing))
        house.connect(4)
        house.store.add_batch(20)
        async with running(house):
            await house.finished(timeout_s=120)
        assert (house.count(TaskState.FAILED), house.count(TaskState.SUCCESS)) == (4, 16)

    run(body())


def test_who_cancels_the_rows_of_a_lost_folder_goes_on_without_it() -> None:
    async def body() -> None:
        missing = {f"row {n}": "/mnt/drive" for n in range(1, 6)}
        house = House(answers(), provider=Taking(missing))
        Sources(house, "/mnt/drive")
        house.connect(2)
        house.store.add_batch(20)
        async with running(house):
            await house.until(lambda: house.engine.trouble() is not None, 60)
            await asyncio.sleep(30)
            await house.engine.look_again()
            await house.until(lambda: house.engine.trouble() is not None, 60)  # tried, and gone
            for row in house.store.of(1):
                if row.prompt in missing:
                    row.state = TaskState.CANCELLED
            await house.engine.look_again()
            await house.finished(timeout_s=120)
        assert (house.count(TaskState.CANCELLED), house.count(TaskState.SUCCESS)) == (5, 15)

    run(body())
