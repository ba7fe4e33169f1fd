"""Who waits for the next day only, and who waits for a person."""

from __future__ import annotations

import asyncio

from desktop_app.domain.batch import RunState
from desktop_app.domain.budget import day_of
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, message
from tests.store.store_kit import Kit

NOON = 1_700_000_000.0
DAY_S = 86_400.0
TODAY = message("store.budget_day", day=day_of(NOON), name="fal")
RESTARTED = message("engine.restarted")


async def paused(kit: Kit, reason: Message | None) -> int:
    batch_id = await kit.batch(1)
    await kit.store.engine.set_run_state(batch_id, RunState.PAUSED, reason)
    return batch_id


async def standing(kit: Kit, batch_id: int) -> tuple[RunState, str | None]:
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    return batch.run_state, None if batch.pause_reason is None else batch.pause_reason.code


async def test_a_day_that_is_over_lets_go_what_it_alone_held(kit: Kit) -> None:
    kit.clock.at = NOON
    waits = await paused(kit, TODAY)
    unnamed = await paused(kit, message("store.budget_day", name="fal"))
    others = [
        await paused(kit, reason)
        for reason in (
            None,
            message("services.paused_by_you"),
            message("store.budget_batch", day=day_of(NOON)),
            message("text.plain", text='["store.budget_day", {}]'),
        )
    ]
    assert await kit.store.engine.next_day(NOON) == [unnamed]
    assert await kit.store.engine.next_day(NOON - DAY_S) == []
    assert await standing(kit, waits) == (RunState.PAUSED, "store.budget_day")
    kit.clock.at += DAY_S
    assert await kit.store.engine.next_day(kit.clock.at) == [waits]
    assert await kit.store.engine.next_day(kit.clock.at) == []
    running = [batch.id for batch in await kit.store.engine.running_batches()]
    assert running == [waits, unnamed]
    for batch_id in others:
        assert (await standing(kit, batch_id))[0] is RunState.PAUSED
    assert len(await kit.claim(waits)) == 1


async def test_a_batch_at_its_end_is_let_be(kit: Kit) -> None:
    kit.clock.at = NOON
    batch_id = await kit.batch(1)
    await kit.end(await kit.claim_one(batch_id), TaskState.SUCCESS)
    await kit.store.engine.set_run_state(batch_id, RunState.PAUSED, TODAY)
    assert await kit.store.engine.next_day(NOON + DAY_S) == []
    assert await standing(kit, batch_id) == (RunState.PAUSED, "store.budget_day")


async def test_a_person_who_pauses_just_then_keeps_his_word(kit: Kit) -> None:
    kit.clock.at = NOON
    batch_id = await paused(kit, TODAY)
    engine = kit.store.engine
    by_you = message("services.paused_by_you")
    await asyncio.gather(
        engine.next_day(NOON + DAY_S), engine.set_run_state(batch_id, RunState.PAUSED, by_you)
    )
    assert await standing(kit, batch_id) == (RunState.PAUSED, by_you.code)


async def test_left_to_a_person_no_day_lets_it_go(kit: Kit) -> None:
    kit.clock.at = NOON
    waits, other = await paused(kit, TODAY), await paused(kit, None)
    assert await kit.store.engine.leave_to_person(RESTARTED) == [waits]
    assert await standing(kit, waits) == (RunState.PAUSED, RESTARTED.code)
    assert await standing(kit, other) == (RunState.PAUSED, None)
    assert await kit.store.engine.next_day(NOON + DAY_S) == []
