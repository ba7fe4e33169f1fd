"""Which batch goes first is told to the window and the engine once it is kept, and to no other."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from desktop_app.domain.batch import BatchPriority
from desktop_app.domain.events import BatchChanged
from desktop_app.domain.ports import Command
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.services.batch_priority import priority_of
from tests.services.services_kit import Kit


async def test_it_is_kept_before_anybody_is_told(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    kept: list[Any] = []

    def note(event: object) -> None:
        if event == BatchChanged(batch_id):
            with closing(sqlite3.connect(kit.folder / "store.db")) as conn:
                kept.extend(conn.execute("SELECT priority FROM batch"))

    kit.events.clear()
    kit.bus.subscribe(note)
    await kit.priorities.set(batch_id, BatchPriority.HIGH)
    assert kept == [(1,)]
    assert kit.engine.told[-1] == ("wake",)
    summary = await kit.queries.batch(batch_id)
    assert summary is not None
    assert summary.batch.priority is BatchPriority.HIGH


async def test_a_batch_that_is_not_there_is_said(kit: Kit) -> None:
    with pytest.raises(OperatorError) as caught:
        await kit.priorities.set(9, BatchPriority.LOW)
    assert caught.value.message == message("services.no_batch", batch=9)
    assert ("wake",) not in kit.engine.told


@pytest.mark.parametrize("priority", list(BatchPriority))
async def test_another_process_names_it_by_its_word(kit: Kit, priority: BatchPriority) -> None:
    batch_id = await kit.batch(1)
    assert priority_of(priority.word) is priority
    command = Command(1, "priority", {"batch": batch_id, "priority": priority.word})
    assert await kit.obey.do(command) == {"ok": True}
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    assert batch.priority is priority


async def test_a_word_that_is_none_changes_nothing(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    with pytest.raises(OperatorError) as caught:
        await kit.obey.do(Command(1, "priority", {"batch": batch_id, "priority": "urgent"}))
    assert caught.value.message.code == "services.bad_priority"
    assert ("wake",) not in kit.engine.told


async def test_a_batch_that_stands_for_another_says_for_which(kit: Kit) -> None:
    async def waits_for(batch_id: int | None) -> Message | None:
        return (await kit.runs.status(batch_id)).waits_for

    first = await kit.batch(["red", "blue"], out_dir=str(kit.folder / "a"))
    second = await kit.batch(["green"], out_dir=str(kit.folder / "b"))
    await kit.runs.start(None)
    await kit.claim(second)
    assert await waits_for(first) is None  # they take turns
    await kit.priorities.set(second, BatchPriority.HIGH)
    summary = await kit.queries.batch(second)
    assert summary is not None
    assert await waits_for(first) == message("services.goes_after", batch=summary.batch.name)
    assert [await waits_for(second), await waits_for(None)] == [None, None]
    await kit.claim(first)
    assert await waits_for(first) is None  # it has rows on their way
