"""A newer edition takes the place of what waits, and waits for what runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.domain.attempt import Outcome
from desktop_app.domain.ports import RowChange, Updated
from desktop_app.domain.task import Draft, TaskState
from desktop_app.domain.views import TaskFilter
from tests.store.store_kit import Kit, draft, ending, lane_rows, row_nos

S = TaskState


async def change(kit: Kit, batch_id: int, *rows: Draft) -> Updated:
    """The sheet says these rows otherwise now."""
    known = {row.row_no: row for row in await kit.store.imports.known_rows(batch_id)}
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    changes = [RowChange(known[row.row_no], row) for row in rows]
    return await kit.store.imports.update(
        replace(batch, sheet_hash="newer", fingerprint="newer"), changes, kit.clock.at
    )


async def detail(kit: Kit, batch_id: int, row_no: int) -> Any:
    found = await kit.store.pages.detail((await kit.row(batch_id, row_no)).pk)
    assert found is not None
    return found


async def test_a_waiting_row_is_replaced_in_place(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    done = await change(kit, batch_id, draft(2, prompt="newer"))
    assert done == Updated(replaced=1)
    claim, other = await kit.claim(batch_id)
    assert (claim.row_no, claim.edition, claim.request.prompt) == (2, 2, "newer")
    assert claim.idempotency_key.endswith("-2-0")
    assert (other.edition, other.request.prompt) == (1, "prompt 3")
    assert (await kit.ledger(batch_id)).imported == 2


async def test_a_row_that_waits_for_a_retry_starts_afresh(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    await kit.end(await kit.claim_one(batch_id), S.RETRYING, spend_retry=True, due_at=9e9)
    assert await change(kit, batch_id, draft(2, prompt="newer")) == Updated(replaced=1)
    row = await kit.row(batch_id, 2)
    assert (row.state, row.retries_spent, row.due_at, row.attempt_no) == (S.PENDING, 0, None, 1)
    assert (await kit.claim_one(batch_id)).request.prompt == "newer"


@pytest.mark.parametrize(
    ("to", "outcome"),
    [
        (S.SUCCESS, Outcome.SUCCESS),
        (S.FAILED, Outcome.REFUSED),
        (S.DEAD, Outcome.TRANSIENT),
        (S.UNCERTAIN, Outcome.UNKNOWN),
    ],
)
async def test_a_final_row_runs_again_as_a_newer_edition(
    kit: Kit, to: TaskState, outcome: Outcome
) -> None:
    batch_id = await kit.batch(1)
    await kit.end(await kit.claim_one(batch_id), to, outcome=outcome)
    assert await change(kit, batch_id, draft(2, prompt="newer")) == Updated(again=1)
    summary = await kit.store.pages.batch_summary(batch_id)
    assert summary is not None
    assert summary.batch.finished_at is None
    claim = await kit.claim_one(batch_id)
    assert (claim.edition, claim.attempt_no, claim.request.prompt) == (2, 2, "newer")
    await kit.end(claim, S.SUCCESS)
    history = (await detail(kit, batch_id, 2)).attempts
    assert [(a.attempt_no, a.edition) for a in history] == [(1, 1), (2, 2)]


async def test_a_cancelled_row_that_was_changed_runs(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    await kit.store.actions.cancel(TaskFilter(batch_id=batch_id), kit.clock.at)
    assert await change(kit, batch_id, draft(2, prompt="newer")) == Updated(again=1)
    assert (await kit.claim_one(batch_id)).request.prompt == "newer"


@pytest.mark.parametrize(
    ("to", "outcome"),
    [
        (S.SUCCESS, Outcome.SUCCESS),
        (S.RETRYING, Outcome.TRANSIENT),
        (S.PENDING, Outcome.THROTTLED),
        (S.FAILED, Outcome.REFUSED),
        (S.UNCERTAIN, Outcome.UNKNOWN),
    ],
)
async def test_a_newer_edition_waits_until_the_running_one_has_ended(
    kit: Kit, to: TaskState, outcome: Outcome
) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    assert await change(kit, batch_id, draft(2, prompt="newer")) == Updated(later=1)
    assert await change(kit, batch_id, draft(2, prompt="newest")) == Updated(later=1)
    assert (await detail(kit, batch_id, 2)).prompt == "prompt 2"
    assert await kit.claim(batch_id) == []
    assert (await kit.end(claim, to, outcome=outcome)).applied
    newer = await kit.claim_one(batch_id)
    assert (newer.edition, newer.request.prompt) == (2, "newest")
    assert kit.sql("SELECT count(*) FROM next_edition") == [(0,)]
    assert kit.sql("SELECT count(*) FROM result") == [(int(to is S.SUCCESS),)]


async def test_a_newer_edition_outlasts_a_crash(kit: Kit, opened: Any) -> None:
    batch_id = await kit.batch(1)
    await kit.claim_one(batch_id)
    await change(kit, batch_id, draft(2, prompt="newer"))
    await kit.store.close()
    kit.store = await opened()
    (orphan,) = await kit.store.engine.orphans()
    assert orphan.claim.request.prompt == "prompt 2"
    await kit.store.engine.finish(ending(orphan.claim, S.UNCERTAIN, Outcome.UNKNOWN))
    assert (await kit.claim_one(batch_id)).request.prompt == "newer"


async def test_a_row_cancelled_while_it_runs_gets_no_newer_edition(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await change(kit, batch_id, draft(2, prompt="newer"))
    await kit.store.actions.cancel(TaskFilter(batch_id=batch_id), kit.clock.at)
    await kit.end(claim, S.PENDING, outcome=Outcome.NOT_SENT)
    assert (await kit.row(batch_id, 2)).state is S.CANCELLED
    assert kit.sql("SELECT count(*) FROM next_edition") == [(0,)]


async def test_an_older_late_result_is_history_and_never_over_the_newer_one(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    old = await kit.claim_one(batch_id)
    await kit.end(old, S.RETRYING)
    await change(kit, batch_id, draft(2, prompt="newer"))
    late = await kit.end(old, S.SUCCESS)
    assert (late.applied, late.state) == (False, S.PENDING)
    new = await kit.claim_one(batch_id)
    assert not (await kit.end(old, S.SUCCESS)).applied
    await kit.end(new, S.SUCCESS)
    assert not (await kit.end(old, S.FAILED, outcome=Outcome.REFUSED)).applied
    row = await kit.row(batch_id, 2)
    assert row.state is S.SUCCESS
    found = kit.sql(
        "SELECT a.edition FROM task t JOIN result r ON r.id = t.result_id "
        "JOIN attempt a ON a.id = r.attempt_id"
    )
    assert found == [(2,)]


async def test_a_row_edited_meanwhile_is_left_alone(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    await kit.end(await kit.claim_one(batch_id), S.FAILED, outcome=Outcome.REFUSED)
    seen = await kit.store.imports.known_rows(batch_id)
    assert await kit.store.actions.edit_and_requeue(seen[0].pk, "by hand", kit.clock.at)
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    changes = [RowChange(seen[0], draft(2, prompt="by sheet"))]
    done = await kit.store.imports.update(batch, changes, kit.clock.at)
    assert done == Updated(moved_on=1)
    assert (await kit.claim_one(batch_id)).request.prompt == "by hand"


async def test_a_lane_takes_a_reopened_row_in_its_old_place(kit: Kit) -> None:
    rows = lane_rows("a", "a", "a")
    batch_id = await kit.batch(rows)
    await kit.end(await kit.claim_one(batch_id), S.SUCCESS)
    await change(kit, batch_id, replace(rows[0], request=draft(2, prompt="newer").request))
    assert row_nos(await kit.claim(batch_id)) == [2]


async def test_the_batch_is_filed_under_the_newer_sheet(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    await change(kit, batch_id)
    (found,) = await kit.store.imports.find_runs("newer")
    assert found.batch.id == batch_id
    again = await kit.store.imports.find_fingerprint("newer")
    assert again is not None
    assert again.id == batch_id


async def test_only_a_newer_edition_reopens_a_success(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    await kit.end(await kit.claim_one(batch_id), S.SUCCESS)
    with closing(sqlite3.connect(kit.path)) as conn, pytest.raises(sqlite3.IntegrityError):
        conn.execute("UPDATE task SET state = 0")


async def test_a_lineage_is_the_same_file_and_connection(kit: Kit) -> None:
    first = await kit.batch(1, sheet_path="/a/shoes.csv")
    second = await kit.batch(1, sheet_path="/b/shoes.csv")
    imports = kit.store.imports
    (used,) = await kit.store.connections.all()

    async def found(path: str, on: int = used.id) -> int | None:
        run = await imports.find_lineage(path, on)
        return None if run is None else run.batch.id

    assert await found("/a/shoes.csv") == first
    assert await found("/elsewhere/shoes.csv") == second
    assert await found("/a/boots.csv") is None
    assert await found("/a/shoes.csv", 99) is None
    third = await kit.batch(1, sheet_path="/a/shoes.csv")
    assert await found("/a/shoes.csv") == third
    await kit.claim_one(first)
    assert await found("/a/shoes.csv") == first  # the one that sent something
