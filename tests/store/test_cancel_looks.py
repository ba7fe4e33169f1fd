"""Who asks at one moment shares a read, and is told of the row that was asked about."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from desktop_app.domain.views import TaskFilter
from desktop_app.store.cancel_looks import CancelLooks, Cancels
from tests.store.store_kit import Kit


class Reads:
    """A reader that counts, and fails while told to."""

    def __init__(self, kit: Kit) -> None:
        self._reader = kit.store.engine._reader  # type: ignore[attr-defined]
        self.count = 0
        self.error: Exception | None = None

    async def read(self, fn: Callable[[sqlite3.Connection], Any]) -> Any:
        self.count += 1
        if self.error is not None:
            raise self.error
        return await self._reader.read(fn)


@pytest.fixture
def reads(kit: Kit) -> Reads:
    return Reads(kit)


@pytest.fixture
def looks(reads: Reads) -> CancelLooks:
    return CancelLooks(reads, Cancels())  # type: ignore[arg-type]


async def test_each_hears_of_its_own_row(kit: Kit, looks: CancelLooks, reads: Reads) -> None:
    claims = await kit.claim(await kit.batch(4))
    await kit.store.actions.cancel(TaskFilter(pks=(claims[2].task_pk,)), kit.clock.at)
    asked = [looks.requested(claim.task_pk) for claim in claims]
    assert await asyncio.gather(*asked, looks.requested(99)) == [False, False, True, False, False]
    assert reads.count == 1


async def test_who_asks_after_a_cancel_is_not_told_what_was_read_before(
    kit: Kit, looks: CancelLooks
) -> None:
    (claim,) = await kit.claim(await kit.batch(1))
    first = asyncio.ensure_future(looks.requested(claim.task_pk))
    await asyncio.sleep(0)
    await kit.store.actions.cancel(TaskFilter(pks=(claim.task_pk,)), kit.clock.at)
    assert await looks.requested(claim.task_pk) is True
    await first


async def test_one_who_leaves_takes_no_answer_from_the_others(kit: Kit, looks: CancelLooks) -> None:
    one, two = await kit.claim(await kit.batch(2))
    leaves = asyncio.ensure_future(looks.requested(one.task_pk))
    stays = asyncio.ensure_future(looks.requested(two.task_pk))
    await asyncio.sleep(0)
    leaves.cancel()
    assert await stays is False
    with pytest.raises(asyncio.CancelledError):
        await leaves


async def test_a_read_that_fails_is_told_to_all_who_wait(looks: CancelLooks, reads: Reads) -> None:
    reads.error = OSError("away")
    found = await asyncio.gather(looks.requested(1), looks.requested(2), return_exceptions=True)
    assert found == [reads.error, reads.error]
    reads.error = None
    assert await looks.requested(1) is False


async def test_a_claimed_row_is_looked_up_only_where_a_cancel_was_asked_for_since(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = kit.store.engine
    reads = Reads(kit)
    monkeypatch.setattr(engine._looks, "_reader", reads)  # type: ignore[attr-defined]
    batch = await kit.batch(4)
    one, two = await kit.claim(batch, 2)
    assert await engine.cancel_requested(one.task_pk) is False
    assert reads.count == 0
    await kit.store.actions.cancel(TaskFilter(pks=(two.task_pk,)), kit.clock.at)
    assert await engine.cancel_requested(one.task_pk) is False
    assert await engine.cancel_requested(two.task_pk) is True
    assert reads.count == 2
    (three,) = await kit.claim(batch, 1)
    assert await engine.cancel_requested(three.task_pk) is False
    assert reads.count == 2


async def test_a_cancel_on_its_way_while_the_row_is_claimed_is_looked_up(kit: Kit) -> None:
    batch = await kit.batch(1)
    claiming = asyncio.ensure_future(kit.claim(batch, 1))
    cancelling = asyncio.ensure_future(
        kit.store.actions.cancel(TaskFilter(batch_id=batch), kit.clock.at)
    )
    (claim,) = await claiming
    await cancelling
    assert await kit.store.engine.cancel_requested(claim.task_pk) is True
