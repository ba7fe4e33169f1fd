"""A mistyped model costs a handful of calls, whatever single bad rows say beside it."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Answer, Call
from desktop_app.domain.task import TaskState
from desktop_app.engine.first_answers import FirstAnswers
from tests.engine.fakes import answers, failure
from tests.engine.house import House, running
from tests.engine.virtual import run


def test_a_bad_row_of_its_own_does_not_end_the_watch() -> None:
    first = FirstAnswers()
    assert first.invalid("bad_size", 1, 3) == ()
    assert first.invalid("no_model", 2, 3) == ()
    assert first.room(3, 1) == 1
    assert first.invalid("no_model", 3, 3) == ()
    assert first.invalid("no_model", 4, 3) == (2, 3, 4)
    assert first.room(3, 0) is None


def test_an_answer_of_another_kind_ends_it() -> None:
    first = FirstAnswers()
    first.invalid("no_model", 1, 2)
    first.other()
    assert first.invalid("no_model", 2, 2) == ()
    assert first.room(2, 0) is None


def test_rows_that_can_not_be_sent_say_nothing_of_the_connection() -> None:
    async def body() -> None:
        good = answers()

        async def script(call: Call, nth: int) -> Answer:
            if call.request.prompt == "row 2":
                return await good(call, nth)
            raise failure(FailureClass.INVALID, "reference_missing", sent=False)

        house = House(script)
        house.connect(1)
        house.store.add_batch(3)
        async with running(house):
            await house.until(lambda: house.count(TaskState.SUCCESS) == 1)
        assert house.count(TaskState.FAILED) == 2

    run(body())


def test_ten_thousand_rows_with_a_mistyped_model_behind_one_bad_row() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            code = "bad_size" if call.request.prompt == "row 1" else "model_not_found"
            raise failure(FailureClass.INVALID, code)

        house = House(script)
        house.connect(4)
        house.store.add_batch(10_000)
        async with running(house):
            await house.until(lambda: house.engine.account_states().get(1, ("ok",))[0] != "ok")
        assert len(house.provider.calls) <= 8
        assert house.count(TaskState.FAILED) <= 2

    run(body())
