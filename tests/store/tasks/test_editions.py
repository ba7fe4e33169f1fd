"""A newer edition takes the place of what waits, and waits for what runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.domain.attempt import Billed, Claim, Outcome
from desktop_app.domain.batch import LaneOnDead, RunState, SheetMapping
from desktop_app.domain.filing import filed_digest
from desktop_app.domain.money import Price, PriceUnit, spoken
from desktop_app.domain.ports import RowChange, Updated
from desktop_app.domain.references import references_of
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import TaskFilter
from tests.store.store_kit import CENT, STOP, Kit, draft, ending, failure, lane_rows, row_nos

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


async def take(kit: Kit, batch_id: int, row: Draft, *, again: bool) -> Updated:
    """As ``change``, with or without the word of a person to pay for the row once more."""
    known = {each.row_no: each for each in await kit.store.imports.known_rows(batch_id)}
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    found = known[row.row_no]
    return await kit.store.imports.update(
        batch, [RowChange(found, row)], kit.clock.at, again=[found.pk] if again else []
    )


async def money(kit: Kit, batch_id: int) -> tuple[str, int]:
    """What is reserved, and how many calls may have been billed for nothing."""
    summary = await kit.store.pages.batch_summary(batch_id)
    assert summary is not None
    return " + ".join(map(spoken, summary.reserved)), summary.maybe_double


async def priced_claim(kit: Kit) -> tuple[int, Claim]:
    batch_id = await kit.batch(1)
    (used,) = await kit.store.connections.all()
    price = Price(CENT, PriceUnit.IMAGE, "USD")
    await kit.store.connections.save(replace(used, price=price))
    return batch_id, await kit.claim_one(batch_id)


@pytest.mark.parametrize(
    ("to", "outcome", "billed"),
    [
        (S.SUCCESS, Outcome.SUCCESS, Billed.YES),
        (S.UNCERTAIN, Outcome.UNKNOWN, Billed.MAYBE),
        (S.DEAD, Outcome.UNKNOWN, Billed.MAYBE),
    ],
)
@pytest.mark.parametrize("meanwhile", [False, True])
async def test_a_row_that_may_be_paid_stays_as_it_is_unless_a_person_says_so(
    kit: Kit, to: TaskState, outcome: Outcome, billed: Billed, meanwhile: bool
) -> None:
    batch_id, claim = await priced_claim(kit)
    newer = draft(2, prompt="newer", cells=("x", "newer"))
    bill = {"cost": CENT, "currency": "USD"} if to is S.SUCCESS else {"failure": failure()}
    if not meanwhile:
        await kit.end(claim, to, outcome=outcome, billed=billed, **bill)
    assert await take(kit, batch_id, newer, again=False) == Updated(left=1)
    if meanwhile:
        await kit.end(claim, to, outcome=outcome, billed=billed, **bill)
    (known,) = await kit.store.imports.known_rows(batch_id)
    assert (known.paid, known.state, known.edition) == (True, to, 1)
    assert await kit.claim(batch_id) == []
    assert (await detail(kit, batch_id, 2)).prompt == "prompt 2"
    held = "" if to is S.SUCCESS else "0.04 USD"
    assert await money(kit, batch_id) == (held, 0)
    # It runs, once a person has agreed; what is uncertain about the older call stays counted.
    assert await take(kit, batch_id, newer, again=True) == Updated(again=1)
    doubts = int(to is not S.SUCCESS)
    assert await money(kit, batch_id) == (held, doubts)
    newest = await kit.claim_one(batch_id)
    assert (newest.request.prompt, newest.edition) == ("newer", 2)
    await kit.end(newest, S.SUCCESS, cost=CENT, currency="USD")
    assert await money(kit, batch_id) == (held, doubts)
    if doubts:
        # The late answer tells what became of it: it is no doubt any more but money spent.
        assert not (await kit.end(claim, S.SUCCESS, cost=CENT, currency="USD")).applied
        assert await money(kit, batch_id) == ("", 0)


@pytest.mark.parametrize("billed", [Billed.NO, Billed.MAYBE])
async def test_a_doubt_that_is_cleared_is_counted_no_more(kit: Kit, billed: Billed) -> None:
    batch_id, claim = await priced_claim(kit)
    await kit.end(claim, S.UNCERTAIN, outcome=Outcome.UNKNOWN, failure=failure())
    await kit.store.actions.edit_and_requeue(claim.task_pk, "by hand", kit.clock.at)
    assert await money(kit, batch_id) == ("0.04 USD", 1)
    with closing(sqlite3.connect(kit.path)) as conn, conn:
        conn.execute("UPDATE attempt SET billed = ?", (billed.value,))
    assert (await money(kit, batch_id))[1] == int(billed is Billed.MAYBE)


@pytest.mark.parametrize(
    ("to", "outcome"), [(S.PENDING, Outcome.THROTTLED), (S.FAILED, Outcome.REFUSED)]
)
async def test_what_runs_and_is_not_paid_after_all_takes_the_newer_form(
    kit: Kit, to: TaskState, outcome: Outcome
) -> None:
    batch_id, claim = await priced_claim(kit)
    await take(kit, batch_id, draft(2, prompt="newer"), again=False)
    await kit.end(claim, to, outcome=outcome, failure=failure(), billed=Billed.NO)
    assert (await kit.claim_one(batch_id)).request.prompt == "newer"


async def test_a_change_that_was_taken_back_while_the_row_ran_changes_nothing(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    assert await change(kit, batch_id, draft(2, prompt="newer")) == Updated(later=1)
    assert await change(kit, batch_id, draft(2)) == Updated(refiled=1)
    await kit.end(claim, S.SUCCESS)
    row = await kit.row(batch_id, 2)
    assert row.state is S.SUCCESS
    assert await kit.claim(batch_id) == []


async def test_cells_of_every_row_follow_and_the_rest_where_it_waits(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    done, running = await kit.claim(batch_id, 2)
    await kit.end(done, S.SUCCESS)
    newer = [
        draft(n, cells=(f"new{n}", "note"), key=f"K{n}", priority=5, stem=f"{n:04d}_K{n}")
        for n in (2, 3, 4)
    ]
    assert await change(kit, batch_id, *newer) == Updated(refiled=3)
    for row_no, stem in ((2, "0002_sku2"), (3, "0003_sku3"), (4, "0004_K4")):
        found = await detail(kit, batch_id, row_no)
        assert found.cells == (("sku", f"new{row_no}"), ("prompt", "note"))
        assert found.file_stem == stem
    assert kit.sql("SELECT priority, key FROM task ORDER BY id") == [
        (5, "K2"),
        (0, None),
        (5, "K4"),
    ]
    await kit.end(running, S.RETRYING)
    assert (await detail(kit, batch_id, 3)).file_stem == "0003_K3"
    kit.clock.at = 2_000.0
    assert [c.idempotency_key[-4:] for c in await kit.claim(batch_id)] == ["-1-0"] * 2
    known = await kit.store.imports.known_rows(batch_id)
    assert [k.filed for k in known] == [filed_digest(d.cells, d.key, d.lane, 5) for d in newer]


async def test_a_changed_row_gets_a_name_of_its_own(kit: Kit) -> None:
    batch_id = await kit.batch([draft(2, stem="0002_red"), draft(3, stem="0003_x")])
    newer = draft(2, prompt="blue", stem="0002_blue")
    assert await change(kit, batch_id, newer) == Updated(replaced=1)
    assert (await kit.claim_one(batch_id)).file_stem == "0002_blue"
    taken = draft(3, prompt="y", stem="0002_BLUE")
    await change(kit, batch_id, taken)
    await change(kit, batch_id, replace(taken, request=draft(3, prompt="z").request))
    assert (await kit.claim_one(batch_id)).file_stem == "0002_BLUE-2"


async def test_a_higher_priority_goes_first(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    await change(kit, batch_id, draft(4, priority=9))
    assert row_nos(await kit.claim(batch_id)) == [4, 2, 3]


@pytest.mark.parametrize("prompt", ["prompt 2", "newer"])
async def test_a_row_that_changes_its_lane_frees_the_old_one_and_blocks_the_new(
    kit: Kit, prompt: str
) -> None:
    batch_id = await kit.batch(lane_rows("x", "x", "w"))
    await change(kit, batch_id, draft(2, lane="w", prompt=prompt))
    first, second = await kit.claim(batch_id)
    assert row_nos([first, second]) == [2, 3]
    await kit.end(first, S.SUCCESS)
    assert row_nos(await kit.claim(batch_id)) == [4]


async def test_a_row_that_leaves_every_lane_waits_for_nobody(kit: Kit) -> None:
    batch_id = await kit.batch(lane_rows("x", "x", None))
    await change(kit, batch_id, draft(3), draft(4, lane="x"))
    assert row_nos(await kit.claim(batch_id)) == [2, 3]


async def test_a_dead_letter_that_changes_its_lane_stops_another(kit: Kit) -> None:
    batch_id = await kit.batch(lane_rows("x", "x", "y"), lane_on_dead=STOP)
    await kit.end(await kit.claim_one(batch_id), S.DEAD, failure=failure(), billed=Billed.NO)
    await change(kit, batch_id, draft(2, lane="y"))
    assert row_nos(await kit.claim(batch_id)) == [3]


async def test_the_running_row_takes_its_new_lane_once_it_waits_again(kit: Kit) -> None:
    batch_id = await kit.batch(lane_rows("x", "x", "y"))
    running, other = await kit.claim(batch_id)
    await change(kit, batch_id, draft(2, lane="y"))
    assert await kit.claim(batch_id) == []  # it holds the old lane as long as it runs
    await kit.end(running, S.PENDING, outcome=Outcome.NOT_SENT)
    await kit.end(other, S.SUCCESS)
    assert row_nos(await kit.claim(batch_id)) == [2, 3]


async def test_the_newer_rule_for_lanes_holds(kit: Kit) -> None:
    batch_id = await kit.batch(lane_rows("x", "x"), lane_on_dead=STOP)
    await kit.end(await kit.claim_one(batch_id), S.DEAD, failure=failure(), billed=Billed.NO)
    assert await kit.claim(batch_id) == []
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    newer = replace(batch, lane_on_dead=LaneOnDead.GO, mapping=SheetMapping(lane_column="l"))
    await kit.store.imports.update(newer, [], kit.clock.at)
    assert row_nos(await kit.claim(batch_id)) == [3]
    assert (await kit.store.engine.batch(batch_id)) == replace(newer, run_state=RunState.RUNNING)


@pytest.mark.parametrize("state", [S.PENDING, S.RETRYING, S.RUNNING])
async def test_a_row_that_became_unusable_is_not_sent_as_it_was(kit: Kit, state: S) -> None:
    batch_id = await kit.batch(lane_rows("x", "x"))
    bad = draft(
        2, lane="x", request=None, cells=("sku2", ""), problem=message("ingest.empty_prompt")
    )
    if state is not S.PENDING:
        claim = await kit.claim_one(batch_id)
    if state is S.RETRYING:
        await kit.end(claim, S.RETRYING)
    assert await change(kit, batch_id, bad) == Updated(
        **{"later" if state is S.RUNNING else "unusable": 1}
    )
    if state is S.RUNNING:
        await kit.end(claim, S.PENDING, outcome=Outcome.THROTTLED)
    row = await kit.row(batch_id, 2)
    assert (row.state, row.error_code, row.note) == (S.FAILED, bad.problem.code, bad.problem)
    assert row_nos(await kit.claim(batch_id)) == [3]
    assert await kit.store.actions.requeue(TaskFilter(batch_id=batch_id), kit.clock.at) == 0
    assert await kit.store.actions.edit_and_requeue(row.pk, "by hand", kit.clock.at)
    (mended,) = kit.sql("SELECT prompt FROM payload WHERE task_pk = ?", row.pk)
    assert mended == ("by hand",)


async def test_a_row_that_became_unusable_was_not_tried(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    await change(kit, batch_id, draft(2, request=None, problem=message("ingest.empty_prompt")))
    row = await kit.row(batch_id, 2)
    assert (row.state, row.tries) == (S.FAILED, 0)


async def test_a_doubt_about_a_row_that_became_unusable_stays_counted(kit: Kit) -> None:
    batch_id, claim = await priced_claim(kit)
    await kit.end(claim, S.RETRYING, outcome=Outcome.UNKNOWN)
    await change(kit, batch_id, draft(2, request=None, problem=message("ingest.empty_prompt")))
    assert await money(kit, batch_id) == ("0.04 USD", 1)


async def test_a_running_row_that_became_unusable_keeps_what_it_brings(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await change(kit, batch_id, draft(2, request=None, problem=message("ingest.empty_prompt")))
    await kit.end(claim, S.SUCCESS)
    assert (await kit.row(batch_id, 2)).state is S.SUCCESS


async def test_gone_rows_that_wait_are_cancelled_and_come_back(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    done = await kit.claim_one(batch_id)
    await kit.end(done, S.SUCCESS)
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    pks = await kit.pks(batch_id=batch_id)
    gone = await kit.store.imports.update(batch, [], kit.clock.at, gone=pks)
    assert gone == Updated(cancelled=2)
    assert [k.gone for k in await kit.store.imports.known_rows(batch_id)] == [False, True, True]
    note = (await kit.row(batch_id, 3)).note
    assert note is not None
    assert note.code == "store.gone"
    assert await change(kit, batch_id, draft(3)) == Updated(again=1)
    assert row_nos(await kit.claim(batch_id)) == [3]


async def test_other_columns_keep_the_cells_they_know(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    await kit.claim_one(batch_id)
    await change(kit, batch_id, draft(2, prompt="newer"))
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    newer = replace(batch, columns=("prompt", "note", "sku"))
    known = await kit.store.imports.known_rows(batch_id, newer.columns)
    assert {each.filed for each in known} == {""}
    await kit.store.imports.update(newer, [], kit.clock.at)
    for row_no in (2, 3):
        cells = (await detail(kit, batch_id, row_no)).cells
        assert cells == (("prompt", f"prompt {row_no}"), ("note", ""), ("sku", f"sku{row_no}"))
    assert kit.sql("SELECT cells FROM next_edition") == [('["newer","","sku2"]',)]


async def test_a_picture_that_was_moved_is_sent_from_where_it_lies_now(kit: Kit) -> None:
    def row(path: str) -> Draft:
        shown = {"reference": [{"path": path, "sha256": "a" * 64}]}
        return replace(draft(2, cells=(path, "note")), request=Request("prompt 2", shown))

    batch_id = await kit.batch([row("/old/a.png")])
    assert await change(kit, batch_id, row("/new/b.png")) == Updated(refiled=1)
    claim = await kit.claim_one(batch_id)
    assert (claim.edition, references_of(claim.request.params)[0].path) == (1, "/new/b.png")
