"""The whole sheet takes hardly longer than any schedule at these limits must."""

from __future__ import annotations

import asyncio
import heapq
import math
import random
from collections.abc import Sequence

import pytest

from desktop_app.domain.connection import Limits
from desktop_app.domain.ports import Answer, Call
from desktop_app.domain.task import TaskState
from tests.engine.fakes import PICTURE
from tests.engine.house import House, running
from tests.engine.virtual import run

ROWS = 200
MEAN_S, SIGMA = 28.0, 0.5


def lower_bound(
    times: Sequence[float], lanes: Sequence[str] | None, slots: int, rate: float
) -> float:
    """What no schedule can beat: the work over the slots, the last call's token and its time,
    the longest chain of a lane; and at least what greedy list scheduling reaches over its own
    guarantee is not used, so that this stays a bound from below."""
    chains: dict[str, float] = {}
    for time, lane in zip(times, lanes or map(str, range(len(times))), strict=False):
        chains[lane] = chains.get(lane, 0.0) + time
    return max(sum(times) / slots, (len(times) - 1) / rate + min(times), *chains.values())


def list_schedule(
    times: Sequence[float], lanes: Sequence[str] | None, slots: int, rate: float
) -> float:
    """The makespan of plain list scheduling in sheet order, without any overhead."""
    free = [0.0] * slots
    ready: dict[str, float] = {}
    waiting = list(range(len(times)))
    token, end = 0.0, 0.0
    while waiting:
        now = max(heapq.heappop(free), token)
        at = [ready.get(lanes[i], 0.0) if lanes else 0.0 for i in waiting]
        heads: set[str] = set()
        best = -1
        for k, i in enumerate(waiting):
            if lanes and lanes[i] in heads:
                continue
            if lanes:
                heads.add(lanes[i])
            if best < 0 or (at[k] < at[best] and at[best] > now):
                best = k
            if at[best] <= now:
                break
        i = waiting.pop(best)
        start = max(now, at[best])
        done = start + times[i]
        if lanes:
            ready[lanes[i]] = done
        token = start + 1 / rate
        end = max(end, done)
        heapq.heappush(free, done)
    return end


@pytest.mark.parametrize("lanes", [None, 50], ids=["no lanes", "50 lanes"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_makespan_is_within_a_tenth_of_the_bound(lanes: int | None, seed: int) -> None:
    dice = random.Random(seed)
    mu = math.log(MEAN_S) - SIGMA**2 / 2
    times = [dice.lognormvariate(mu, SIGMA) for _ in range(ROWS)]
    names = [f"lane {i % lanes}" for i in range(ROWS)] if lanes else None

    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            await asyncio.sleep(times[int(call.request.prompt[4:])])
            return Answer((PICTURE,))

        house = House(script, commit_s=0.01)
        house.files.keep_s = 0.05
        house.store.add_connection(limits=Limits(concurrency=10, rate=3.0))
        house.store.add_batch(ROWS, lanes=names)
        async with running(house):
            took = await house.finished()
        assert house.count(TaskState.SUCCESS) == ROWS
        assert len(house.provider.calls) == ROWS
        assert house.provider.most_out == 8
        bound = max(lower_bound(times, names, 8, 2.4), list_schedule(times, names, 8, 2.4) / 1.1)
        assert took <= 1.10 * bound
        assert took <= 1.02 * list_schedule(times, names, 8, 2.4)

    run(body())
