"""Who looks at a running row sees what has come of its answer, and nobody else is bothered."""

from __future__ import annotations

import asyncio

from desktop_app.domain.attempt import Billed
from desktop_app.domain.ports import Answer, Call, Preview
from desktop_app.domain.task import TaskState
from tests.engine.fakes import PICTURE
from tests.engine.house import House, running
from tests.engine.virtual import run


def test_what_came_of_a_call_that_was_given_up_is_kept() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            call.begin()
            call.peek = lambda: Preview("half an answer")
            await asyncio.Event().wait()
            raise AssertionError

        house = House(script)
        house.connect(1, timeout_s=60.0)
        house.store.add_batch(1)
        async with running(house):
            await house.finished()
        (row,) = house.store.rows.values()
        assert row.state is TaskState.UNCERTAIN
        failure = row.history[-1].failure
        assert failure is not None
        assert (failure.body, failure.billed) == ("half an answer", True)
        assert row.history[-1].billed is Billed.YES

    run(body())


def test_what_has_come_is_seen_while_it_comes_and_not_after() -> None:
    async def body() -> None:
        said = ["half"]
        looks: list[str] = []
        over = asyncio.Event()

        async def script(call: Call, nth: int) -> Answer:
            call.begin()

            def peek() -> Preview:
                looks.append(said[-1])
                return Preview(said[-1])

            call.peek = peek if call.request.prompt == "row 0" else None
            await over.wait()
            return Answer((PICTURE,))

        house = House(script)
        house.connect(2)
        house.store.add_batch(2)
        async with running(house) as engine:
            first, second = sorted(house.store.rows)
            await house.until(lambda: house.provider.out == 2)
            assert engine.preview(first) == Preview("half")
            said.append("half an answer")
            assert engine.preview(first) == Preview("half an answer")
            assert engine.preview(second) is None  # its adapter hears nothing come
            assert engine.preview(99) is None
            assert looks == ["half", "half an answer"]
            over.set()
            await house.finished()
            assert engine.preview(first) is None
        assert house.count(TaskState.SUCCESS) == 2
        assert len(looks) == 2

    run(body())
