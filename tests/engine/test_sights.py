"""What is to be seen of a run is how it is now."""

from __future__ import annotations

import asyncio

from desktop_app.domain.ports import Answer, Call
from tests.engine.fakes import PICTURE
from tests.engine.house import House, running
from tests.engine.virtual import run


def test_how_long_the_oldest_call_is_out() -> None:
    async def body() -> None:
        over = asyncio.Event()

        async def script(call: Call, nth: int) -> Answer:
            call.begin()
            await over.wait()
            return Answer((PICTURE,))

        house = House(script)
        house.connect(2)
        house.store.add_batch(2)
        async with running(house) as engine:
            await house.until(lambda: house.provider.out == 2)
            began = engine.oldest_s()
            assert began is not None
            await house.clock.sleep(34)
            assert engine.oldest_s(1) == began + 34
            assert engine.oldest_s(2) is None  # no such batch
            over.set()
            await house.finished()
            assert engine.oldest_s() is None

    run(body())
