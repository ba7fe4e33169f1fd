"""Which batches run, and in which order an operator hears of those that have come to their end."""

from __future__ import annotations

from desktop_app.domain.batch import RunState
from desktop_app.domain.events import BatchFinished
from desktop_app.domain.task import TaskState
from tests.engine.fakes import answers
from tests.engine.house import House
from tests.engine.virtual import run


def test_batches_that_ended_together_are_announced_in_their_order() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(1)
        house.new_engine()
        roster = house.engine._parts.roster
        for batch_id in (1, 8, 16):
            house.store.add_batch(1, id=batch_id, run_state=RunState.RUNNING)
            house.store.rows[batch_id * 100_000].state = TaskState.SUCCESS
            roster.watch(batch_id)
        await roster.look()
        ended = [event.batch_id for event in house.events if isinstance(event, BatchFinished)]
        assert ended == [1, 8, 16]

    run(body())
