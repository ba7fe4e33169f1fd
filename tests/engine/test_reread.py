"""An answer that had come home before the kill decides at the next start, as it would have then."""

from __future__ import annotations

import pytest

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.ports import Answer, Content, RawAnswer
from desktop_app.domain.task import Request, TaskState
from desktop_app.domain.text import message
from tests.engine.fakes import Opened, Provider, Row, answers
from tests.engine.house import House
from tests.engine.test_orphans import crash, new_house, start_again
from tests.engine.virtual import run

PICTURE = RawAnswer(200, {}, b"\x89PNG", 1.0)
REFUSALS = {
    429: FailureClass.THROTTLED,
    500: FailureClass.TRANSIENT,
    400: FailureClass.REFUSED,
    504: FailureClass.UNKNOWN,
}


class Understanding(Opened):
    async def reread(self, request: Request, raw: RawAnswer) -> Answer:
        if raw.status != 200:
            kind, said = REFUSALS[raw.status], message("engine.crashed")
            raise ProviderFailure(Failure(kind, str(raw.status), said, http_status=raw.status))
        return Answer((Content(raw.body, "image/png"),), request_id="req-7")


class Reader(Provider):
    def open(self, connection: Connection, secret: str | None) -> Opened:
        self.secrets.append(secret)
        return Understanding(self)


def reading_house() -> House:
    house = new_house()
    house.provider = Reader(answers())
    return house


async def after(house: House, raw: RawAnswer) -> Row:
    await crash(house)
    house.store.raw[1] = raw
    return await start_again(house)


def test_a_picture_that_was_in_is_kept_and_known_to_be_paid() -> None:
    async def body() -> None:
        house = reading_house()
        row = await after(house, PICTURE)
        assert (row.state, row.history[-1].outcome) == (TaskState.SUCCESS, Outcome.ADOPTED)
        assert (row.history[-1].billed, row.history[-1].request_id) == (Billed.YES, "req-7")
        assert house.files.kept[1].size == 4
        assert house.files.settled_ == [1]
        # It is read by an adapter that could not send.
        assert house.provider.secrets[0] is None

    run(body())


def test_a_refusal_that_was_in_is_no_doubt() -> None:
    async def body() -> None:
        found = {}
        for status in REFUSALS:
            row = await after(reading_house(), RawAnswer(status, {}, b"", 1.0))
            found[status] = (row.state, row.history[-1].billed)
        assert found == {
            429: (TaskState.PENDING, Billed.NO),
            500: (TaskState.RETRYING, Billed.NO),
            400: (TaskState.FAILED, Billed.MAYBE),
            504: (TaskState.UNCERTAIN, Billed.MAYBE),
        }

    run(body())


def test_a_picture_that_does_not_decode_was_billed() -> None:
    async def body() -> None:
        house = reading_house()
        house.files.bad = {row.prompt for row in house.store.rows.values()}
        row = await after(house, PICTURE)
        assert (row.state, row.history[-1].billed) == (TaskState.UNCERTAIN, Billed.YES)

    run(body())


def test_an_answer_that_nobody_understands_leaves_the_doubt() -> None:
    async def body() -> None:
        row = await after(new_house(), PICTURE)
        assert (row.state, row.history[-1].billed) == (TaskState.UNCERTAIN, Billed.MAYBE)

    run(body())


class Broken(Understanding):
    async def reread(self, request: Request, raw: RawAnswer) -> Answer:
        raise KeyError("data")


class BrokenReader(Reader):
    def open(self, connection: Connection, secret: str | None) -> Opened:
        return Broken(self)


@pytest.mark.expect_log("could not be read; it is kept")
def test_an_answer_over_which_the_program_itself_fails_stays_for_a_later_start() -> None:
    async def body() -> None:
        house = new_house()
        house.provider = BrokenReader(answers())
        row = await after(house, PICTURE)
        assert (row.state, row.history[-1].unread) == (TaskState.UNCERTAIN, True)
        read = await after(reading_house(), PICTURE)
        assert not read.history[-1].unread

    run(body())


@pytest.mark.expect_log("waits for its folder")
def test_while_the_folder_is_gone_the_answer_waits() -> None:
    async def body() -> None:
        house = reading_house()
        await crash(house)
        house.store.raw[1] = PICTURE
        house.files.trouble = True
        house.new_engine()
        await house.engine.start()
        assert house.store.rows[100_000].state is TaskState.RUNNING
        house.files.trouble = False
        await house.until(lambda: house.store.rows[100_000].state is TaskState.SUCCESS, 120)
        await house.engine.stop()

    run(body())
