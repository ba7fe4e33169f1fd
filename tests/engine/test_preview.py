"""Who looks at a running row sees what has come of its answer, and nobody else is bothered."""

from __future__ import annotations

import asyncio

from desktop_app.domain.ports import Answer, Call, Preview
from desktop_app.domain.task import TaskState
from tests.engine.fakes import PICTURE
from tests.engine.house import House, running
from tests.engine.virtual import run


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
