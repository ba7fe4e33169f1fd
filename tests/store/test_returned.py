"""Rows of a failure sheet go back together, once, and only those that stand as they stood."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.domain.ports.failure_store import KnownFailure, ReturnedRow
from desktop_app.domain.task import Request, TaskState
from desktop_app.store import returned
from desktop_app.store.store import open_store
from desktop_app.store.tasks.editions import Superseded
from tests.store.store_kit import Kit, draft, failure

S = TaskState


async def failed(kit: Kit, *states: TaskState) -> list[KnownFailure]:
    """A batch whose rows ended in these states; rows from 2 on."""
    batch_id = await kit.batch(len(states))
    for claim, state in zip(await kit.claim(batch_id), states, strict=True):
        await kit.end(claim, state, failure=failure())
    return await known(kit)


async def known(kit: Kit) -> list[KnownFailure]:
    ids = [task_id for (task_id,) in kit.sql("SELECT task_id FROM task")]
    return sorted(await kit.store.returned.failures(ids), key=lambda row: row.row_no)


def keys(kit: Kit) -> dict[int, tuple[int, int]]:
    """What makes the key of a row: its edition, and how often it got a new one."""
    found = kit.sql("SELECT row_no, edition, key_seq FROM task")
    return {row_no: (edition, seq) for row_no, edition, seq in found}


def edited(row: KnownFailure, prompt: str) -> ReturnedRow:
    cells = (row.cells[0], prompt)
    request = Request(prompt, {"size": "1024x1024"}, {"seed": row.row_no})
    return ReturnedRow(row, draft(row.row_no, cells=cells, request=request))


async def test_edited_rows_get_a_new_key_and_unchanged_ones_keep_theirs(kit: Kit) -> None:
    rows = await failed(kit, S.FAILED, S.DEAD, S.UNCERTAIN)
    before = keys(kit)
    work = [edited(rows[0], "a better prompt"), *map(ReturnedRow, rows[1:])]
    assert await kit.store.returned.take_back(work, 2_000.0) == {row.pk for row in rows}
    after = keys(kit)
    assert (after[3], after[4]) == (before[3], before[4])
    assert after[2][0] == before[2][0] + 1
    now = await known(kit)
    assert [row.state for row in now] == [S.PENDING] * 3
    assert now[0].prompt == "a better prompt"
    assert now[0].cells == ("sku2", "a better prompt")
    assert (await kit.ledger(rows[0].batch_id)).pending == 3


async def test_a_cell_that_is_no_part_of_the_request_changes_no_key(kit: Kit) -> None:
    (row,) = await failed(kit, S.DEAD)
    work = [ReturnedRow(row, draft(2, cells=("another sku", "prompt 2")))]
    assert await kit.store.returned.take_back(work, 2_000.0) == {row.pk}
    (now,) = await known(kit)
    assert (now.edition, now.cells, now.state) == (
        row.edition,
        ("another sku", "prompt 2"),
        S.PENDING,
    )


async def test_what_has_moved_on_is_left_and_twice_is_once(kit: Kit) -> None:
    rows = await failed(kit, S.FAILED, S.FAILED)
    work = [edited(rows[0], "new"), ReturnedRow(rows[1])]
    assert len(await kit.store.returned.take_back(work, 2_000.0)) == 2
    assert await kit.store.returned.take_back(work, 2_001.0) == frozenset()
    # Failed once more: still not the row that the sheet knew.
    for claim in await kit.claim(rows[0].batch_id):
        await kit.end(claim, S.FAILED, failure=failure())
    assert await kit.store.returned.take_back(work, 2_002.0) == frozenset()
    assert {row.state for row in await known(kit)} == {S.FAILED}


async def test_what_is_not_here_is_not_found(kit: Kit) -> None:
    (row,) = await failed(kit, S.FAILED)
    assert await kit.store.returned.failures(["elsewhere"]) == []
    gone = ReturnedRow(replace(row, pk=99, task_id="elsewhere"))
    assert await kit.store.returned.take_back([gone], 2_000.0) == frozenset()


async def test_a_fault_in_the_middle_leaves_all_as_they_were(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = await failed(kit, S.FAILED, S.FAILED, S.FAILED)
    real, done = returned.editions.supersede, []

    def breaks(*args: object, **more: object) -> Superseded:
        if len(done) == 2:
            raise RuntimeError("in the middle")
        done.append(args)
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(returned.editions, "supersede", breaks)
    work = [edited(row, "new") for row in rows]
    with pytest.raises(RuntimeError):
        await kit.store.returned.take_back(work, 2_000.0)
    assert await known(kit) == rows


_KILLED = """
import asyncio, os, sys
from pathlib import Path
from desktop_app.domain.ports.failure_store import ReturnedRow
from desktop_app.store import returned
from desktop_app.store.store import open_store
from tests.store.test_returned import edited

async def main():
    store = await open_store(Path(sys.argv[1]))
    rows = await store.returned.failures(sys.argv[2:])
    real, done = returned.editions.supersede, []
    def dies(*args, **more):
        if len(done) == 2:
            os._exit(9)
        done.append(args)
        return real(*args, **more)
    returned.editions.supersede = dies
    await store.returned.take_back([edited(row, "new") for row in rows], 2_000.0)

asyncio.run(main())
"""


async def test_killed_in_the_middle_nothing_has_changed_and_the_next_try_takes_all(
    kit: Kit,
) -> None:
    rows = await failed(kit, S.FAILED, S.FAILED, S.FAILED)
    ids = [row.task_id for row in rows]
    await kit.store.close()
    command = [sys.executable, "-c", _KILLED, str(kit.path), *ids]
    root = Path(__file__).parents[2]
    assert await (await asyncio.create_subprocess_exec(*command, cwd=root)).wait() == 9
    store = await open_store(kit.path)
    try:
        found = sorted(await store.returned.failures(ids), key=lambda row: row.row_no)
        assert found == rows
        work = [edited(row, "new") for row in rows]
        assert len(await store.returned.take_back(work, 2_000.0)) == 3
    finally:
        await store.close()
