"""A sheet that comes again with changed rows runs those and nothing else."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from desktop_app.domain.filing import filed_digest
from desktop_app.domain.money import Money
from desktop_app.domain.ports import KnownRow, Updated
from desktop_app.domain.task import Draft, Request, TaskState, request_digest
from desktop_app.domain.text import OperatorError, message
from desktop_app.domain.views import TaskFilter
from desktop_app.services import packed_rows
from desktop_app.services.import_batch import ImportPlan
from desktop_app.services.import_plan import Earlier
from desktop_app.services.sheet_changes import SheetChanges, compare
from tests.services.services_kit import Kit

S = TaskState


def known(row_no: int, prompt: str, key: str | None) -> KnownRow:
    return KnownRow(row_no * 10, row_no, key, 1, request_digest(Request(prompt)))


def now(row_no: int, prompt: str | None, key: str | None) -> Draft:
    request = None if prompt is None else Request(prompt)
    problem = message("text.plain", text="empty") if prompt is None else None
    return Draft(row_no, (), request, "stem", key, problem=problem)


def test_rows_are_known_by_their_key_wherever_they_stand() -> None:
    before = [known(2, "red", "A"), known(3, "blue", "B"), known(4, "green", "C")]
    found = compare(before, [now(2, "new", "N"), now(3, "red", "A"), now(4, "navy", "B")])
    assert [(c.known.row_no, c.draft.request) for c in found.changed] == [(3, Request("navy"))]
    assert [(d.key, d.row_no) for d in found.new] == [("N", 5)]
    assert (found.same, found.gone, found.bad) == (1, 1, 0)


def test_without_a_key_the_place_counts() -> None:
    before = [known(2, "red", None), known(3, "blue", None)]
    found = compare(before, [now(2, "red", None), now(3, "navy", None), now(4, "x", None)])
    assert [c.known.row_no for c in found.changed] == [3]
    assert [d.row_no for d in found.new] == [4]


def test_equal_keys_are_matched_in_their_order() -> None:
    before = [known(2, "red", "A"), known(3, "blue", "A")]
    found = compare(before, [now(2, "red", "A"), now(3, "navy", "A"), now(4, "x", "A")])
    assert [c.known.row_no for c in found.changed] == [3]
    assert [d.row_no for d in found.new] == [4]


def test_a_row_that_became_unusable_leaves_the_earlier_one_alone() -> None:
    found = compare([known(2, "red", "A")], [now(2, None, "A")])
    assert (found.changed, found.bad) == ((), 1)


def test_a_row_put_above_others_changes_none_of_them() -> None:
    before = [known(2, "red", None), known(3, "green", None), known(4, "blue", None)]
    found = compare(
        before, [now(n, p, None) for n, p in enumerate(("x", "red", "green", "blue"), 2)]
    )
    assert (found.changed, found.same, found.gone) == ((), 3, 0)
    assert [(d.row_no, d.request) for d in found.new] == [(5, Request("x"))]
    moved = compare(before, [now(n, p, None) for n, p in enumerate(("blue", "red", "green"), 2)])
    assert moved == SheetChanges(same=3)


def test_a_row_edited_below_a_new_one_is_that_row() -> None:
    before = [known(2, "red", None), known(3, "green", None), known(4, "blue", None)]
    rows = [now(n, p, None) for n, p in enumerate(("x", "red", "lime", "blue"), 2)]
    found = compare(before, rows)
    assert [(c.known.row_no, c.draft.request) for c in found.changed] == [(3, Request("lime"))]
    assert [d.request for d in found.new] == [Request("x")]


def test_equal_rows_are_as_many_as_they_are() -> None:
    before = [known(2, "red", None), known(3, "red", None)]
    found = compare(before, [now(n, "red", None) for n in (2, 3, 4)])
    assert (found.same, [d.row_no for d in found.new]) == (2, [4])
    fewer = compare(before, [now(2, "red", None)])
    assert (fewer.same, fewer.gone, fewer.waiting_gone) == (1, 1, (30,))


def test_a_key_that_came_later_or_was_renamed_finds_its_row_by_what_it_asks() -> None:
    before = [known(2, "red", None), known(3, "blue", "B")]
    found = compare(before, [now(2, "red", "A"), now(3, "blue", "B2")])
    assert (found.same, found.new, found.gone) == (2, (), 0)
    other = compare(before, [now(2, "red", "A"), now(3, "navy", "B2")])
    assert [d.key for d in other.new] == ["B2"]


def test_a_cell_that_changed_is_seen_though_the_request_is_the_same() -> None:
    row = replace(now(3, "red", "A"), cells=("A", "red", "note"), lane="x")
    as_it_was = replace(known(2, "red", "A"), filed=filed_digest(row.cells, "A", "x", 0))
    assert compare([as_it_was], [row]) == SheetChanges(same=1)
    for other in (replace(row, cells=("A", "red", "")), replace(row, lane=None)):
        found = compare([as_it_was], [other])
        assert (found.same, [c.draft for c in found.refiled]) == (1, [replace(other, row_no=2)])


def test_rows_past_the_limit_are_neither_new_nor_changed_nor_gone() -> None:
    before = [known(2, "red", "A"), known(3, "blue", "B")]
    rows = [now(2, "rose", "A"), now(3, "navy", "B"), now(4, "x", "C")]
    found = compare(before, rows, limit=1)
    assert [c.known.row_no for c in found.changed] == [2]
    assert (found.new, found.gone, found.same) == ((), 0, 1)


def test_a_row_cancelled_as_gone_comes_back_with_the_sheet() -> None:
    gone = replace(known(2, "red", "A"), gone=True, state=S.CANCELLED)
    assert [c.known for c in compare([gone], [now(2, "red", "A")]).changed] == [gone]
    assert compare([gone], []).gone == 0


def test_the_file_of_a_row_is_named_after_its_number_in_the_batch() -> None:
    row = replace(now(4, "navy", "B"), stem="0004_B")
    (change,) = compare([known(3, "blue", "B")], [row]).changed
    assert (change.draft.row_no, change.draft.stem) == (3, "0003_B")
    (new,) = compare([known(2, "red", "A")], [replace(now(2, "x", "N"), stem="0002_N")]).new
    assert (new.row_no, new.stem) == (3, "0003_N")


async def shop_plan(kit: Kit, prompts: list[str], **changes: Any) -> ImportPlan:
    connection = await kit.connections.by_name("shop")
    assert connection is not None
    return await kit.plan(kit.sheet(prompts), connection, **changes)


async def test_an_update_runs_what_changed_and_what_came_in(kit: Kit) -> None:
    batch_id = await kit.batch(["red", "blue", "green"])
    first, second = await kit.claim(batch_id, 2)
    await kit.end(first, S.SUCCESS)
    await kit.end(second, S.SUCCESS)
    plan = await shop_plan(kit, ["red", "navy", "olive", "pink"])
    found = await kit.imports.lineage(plan)
    assert found is not None
    assert found.batch.id == batch_id
    differs = await kit.imports.differences(plan, batch_id)
    assert (differs.changed, differs.same, differs.new) == (1, 1, 1)
    assert (differs.again, differs.again_rows) == ({second.task_pk}, (3,))
    assert (differs.again_cost, differs.uncertain) == (Money(Decimal("0.04"), "USD"), 0)
    assert differs.cost is not None
    assert differs.cost.values["total"] == "0.08"
    done = await kit.imports.update(plan, batch_id)
    assert done == Updated(replaced=1, left=1, new=1)
    assert [c.request.prompt for c in await kit.claim(batch_id)] == ["olive", "pink"]
    # The paid row runs again only once a person has said so.
    done = await kit.imports.update(plan, batch_id, again=differs.again)
    assert done == Updated(again=1)
    assert [c.request.prompt for c in await kit.claim(batch_id)] == ["navy"]
    assert (await kit.queries.ledger(batch_id)).imported == 4
    # Once more, the same sheet changes nothing.
    assert await kit.imports.update(plan, batch_id) == Updated()
    assert (await kit.imports.continue_or_new(plan, new=False))[0] == batch_id


async def test_a_sheet_that_ran_otherwise_is_not_paid_for_again_unasked(kit: Kit) -> None:
    batch_id = await kit.batch(["red", "blue"])
    plan = await shop_plan(kit, ["red", "navy"])
    second, continued = await kit.imports.continue_or_new(plan, new=False)
    assert not continued  # nothing of the first was ever sent
    await kit.end((await kit.claim(batch_id, 1))[0], S.SUCCESS)
    plan = await shop_plan(kit, ["red", "teal"])
    for other in (plan, replace(plan, out_dir=str(kit.folder / "elsewhere"))):
        with pytest.raises(OperatorError) as caught:
            await kit.imports.continue_or_new(other, new=False)
        said = caught.value.message
        assert (said.code, said.values["batch"]) == ("services.ran_before", batch_id)
    third, _ = await kit.imports.continue_or_new(plan, new=True)
    assert third not in {batch_id, second}


async def test_a_left_row_is_asked_about_again_the_next_time(kit: Kit) -> None:
    batch_id = await kit.batch(["red", "blue"])
    for claim in await kit.claim(batch_id):
        await kit.end(claim, S.SUCCESS)
    plan = await shop_plan(kit, ["red", "navy"])
    assert await kit.imports.update(plan, batch_id) == Updated(left=1)
    found = await kit.imports.pre_run(plan)
    assert (found.earlier, len(found.differs.again)) == ((), 1)
    with pytest.raises(OperatorError):
        await kit.imports.continue_or_new(plan, new=False)


@pytest.mark.parametrize("header", ["sku,prompt,size", "key,prompt", "note,sku,prompt"])
async def test_another_header_is_the_same_sheet_still(kit: Kit, header: str) -> None:
    batch_id = await kit.batch(["red", "blue"])
    first, _ = await kit.claim(batch_id)
    await kit.end(first, S.SUCCESS)
    connection = await kit.connections.by_name("shop")
    assert connection is not None
    sheet = kit.sheet(["red"])
    names = header.split(",")
    cells = {"prompt": "red", "size": "big", "note": "n"}
    sheet.write_text(f"{header}\n{','.join(cells.get(name, 'K1') for name in names)}\n")
    plan = await kit.plan(sheet, connection)
    key = "key" if "key" in names else "sku"
    plan = replace(plan, mapping=replace(plan.mapping, key_column=key))
    differs = await kit.imports.differences(plan, batch_id)
    assert (differs.same, differs.new, differs.gone, differs.again) == (1, 0, 1, frozenset())
    await kit.imports.update(plan, batch_id)
    rows = [row async for rows in kit.store.pages.export_rows(TaskFilter(batch_id)) for row in rows]
    was = {"prompt": "blue", "sku": "K2"}
    assert [dict(zip(names, row.cells, strict=True)) for row in rows] == [
        {name: cells.get(name, "K1") for name in names},
        {name: was.get(name, "") for name in names},  # gone from the sheet: what is known of it
    ]


async def test_rows_gone_from_the_sheet_wait_or_are_cancelled_as_a_person_says(kit: Kit) -> None:
    batch_id = await kit.batch(["red", "blue", "green"])
    await kit.end((await kit.claim(batch_id, 1))[0], S.SUCCESS)
    whole = await shop_plan(kit, ["red"])
    differs = await kit.imports.differences(whole, batch_id)
    assert (differs.gone, differs.waiting_gone) == (2, 2)
    assert await kit.imports.update(whole, batch_id) == Updated()
    assert (await kit.queries.ledger(batch_id)).pending == 2
    assert await kit.imports.update(whole, batch_id, cancel_gone=True) == Updated(cancelled=2)
    assert (await kit.queries.ledger(batch_id)).cancelled == 2
    back = await shop_plan(kit, ["red", "blue"])
    assert await kit.imports.update(back, batch_id) == Updated(again=1)
    assert [c.request.prompt for c in await kit.claim(batch_id)] == ["blue"]


async def test_a_row_that_became_unusable_is_not_sent_as_it_was(kit: Kit) -> None:
    batch_id = await kit.batch(["red", "blue"])
    await kit.end((await kit.claim(batch_id, 1))[0], S.SUCCESS)
    plan = await shop_plan(kit, ["", ""])
    differs = await kit.imports.differences(plan, batch_id)
    assert (differs.unusable, differs.changed, differs.again) == (2, 0, frozenset())
    assert await kit.imports.update(plan, batch_id) == Updated(unusable=2)
    assert await kit.claim(batch_id) == []
    ledger = await kit.queries.ledger(batch_id)
    assert (ledger.success, ledger.failed, ledger.imported) == (1, 1, 2)
    (group,) = await kit.dead.groups(batch_id)
    assert group.said.code == "ingest.empty_prompt"
    # A person who requeues all that failed sends neither the old prompt nor an empty one.
    assert await kit.store.actions.requeue(TaskFilter(batch_id), kit.clock.now()) == 0
    mended = await shop_plan(kit, ["red", "navy"])
    assert await kit.imports.update(mended, batch_id) == Updated(again=1)
    assert [c.request.prompt for c in await kit.claim(batch_id)] == ["navy"]


async def test_only_failed_and_new_rows_are_found_where_rows_moved(kit: Kit) -> None:
    batch_id = await kit.batch(["red", "blue", "green", "grey"])
    ends = (S.SUCCESS, S.DEAD, S.UNCERTAIN)
    for claim, to in zip(await kit.claim(batch_id, 3), ends, strict=True):
        await kit.end(claim, to)
    plan = await shop_plan(kit, ["x", "red", "blue", "green", "grey"])
    plan = replace(plan, mapping=replace(plan.mapping, key_column=None))
    # What may have been billed, or waits, is for its own batch.
    assert await kit.imports.rows_for(plan, Earlier.SKIP) == {2, 4}


async def test_the_check_before_a_run_counts_what_changed(kit: Kit) -> None:
    batch_id = await kit.batch(["red", "blue"])
    found = await kit.imports.pre_run(await shop_plan(kit, ["red", "navy", "pink"]))
    assert found.lineage is not None
    assert found.lineage.batch.id == batch_id
    assert (found.differs.changed, found.differs.new) == (1, 1)
    same = await kit.imports.pre_run(await shop_plan(kit, ["red", "blue"]))
    assert ([run.batch.id for run in same.earlier], same.lineage) == ([batch_id], None)


async def test_a_long_sheet_is_compared_in_a_process_of_its_own(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch_id = await kit.batch(["red", "blue", "green"])
    first, *_ = await kit.claim(batch_id, 1)
    await kit.end(first, S.SUCCESS)
    plan = await shop_plan(kit, ["scarlet", "navy", "green", "pink"])
    here = (
        await kit.imports.differences(plan, batch_id),
        await kit.imports.changed_rows(plan, batch_id),
        await kit.imports.rows_for(plan, Earlier.SKIP),
    )
    assert (here[0].changed, len(here[0].again), here[0].new) == (1, 1, 1)
    monkeypatch.setattr(packed_rows, "APART", 1)
    there = (
        await kit.imports.differences(plan, batch_id),
        await kit.imports.changed_rows(plan, batch_id),
        await kit.imports.rows_for(plan, Earlier.SKIP),
    )
    assert here == there


async def test_a_store_that_cannot_be_read_there_is_said(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch_id = await kit.batch(["red"])
    source = await kit.store.imports.known_source(batch_id)
    assert [row.row_no for row in source()] == [2]

    async def gone(*_: Any) -> Any:
        return replace(source, path=str(kit.folder / "gone.db"))  # type: ignore[type-var]

    monkeypatch.setattr(packed_rows, "APART", 1)
    monkeypatch.setattr(kit.store.imports, "known_source", gone)
    with pytest.raises(OperatorError) as caught:
        await kit.imports.differences(await shop_plan(kit, ["navy"]), batch_id)
    assert caught.value.message.code == "store.cannot_write"
