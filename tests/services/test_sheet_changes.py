"""A sheet that comes again with changed rows runs those and nothing else."""

from __future__ import annotations

import pytest

from desktop_app.domain.ports import KnownRow, Updated
from desktop_app.domain.task import Draft, Request, TaskState, request_digest
from desktop_app.domain.text import message
from desktop_app.services.sheet_changes import compare
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


async def test_an_update_runs_what_changed_and_what_came_in(kit: Kit) -> None:
    prompts = ["red", "blue", "green"]
    batch_id = await kit.batch(prompts)
    for claim in await kit.claim(batch_id, 2):
        await kit.end(claim, S.SUCCESS)
    connection = await kit.connections.by_name("shop")
    assert connection is not None
    plan = await kit.plan(kit.sheet(["red", "navy", "olive", "pink"]), connection)
    found = await kit.imports.lineage(plan)
    assert found is not None
    assert found.id == batch_id
    done = await kit.imports.update(plan, batch_id)
    assert done == Updated(replaced=1, again=1, new=1)
    asked = [claim.request.prompt for claim in await kit.claim(batch_id)]
    assert asked == ["navy", "olive", "pink"]
    assert (await kit.queries.ledger(batch_id)).imported == 4
    # Once more, the same sheet changes nothing.
    assert await kit.imports.update(plan, batch_id) == Updated()
    assert (await kit.imports.continue_or_new(plan, new=False))[0] == batch_id


@pytest.mark.parametrize("header", ["sku,prompt,size", "key,prompt"])
async def test_another_header_is_another_sheet(kit: Kit, header: str) -> None:
    await kit.batch(2)
    connection = await kit.connections.by_name("shop")
    assert connection is not None
    sheet = kit.sheet(["red"])
    sheet.write_text(sheet.read_text().replace("sku,prompt", header))
    plan = await kit.plan(sheet, connection)
    assert await kit.imports.lineage(plan) is None


async def test_the_check_before_a_run_counts_what_changed(kit: Kit) -> None:
    batch_id = await kit.batch(["red", "blue"])
    connection = await kit.connections.by_name("shop")
    assert connection is not None
    plan = await kit.plan(kit.sheet(["red", "navy", "pink"]), connection)
    found = await kit.imports.pre_run(plan)
    assert found.lineage is not None
    assert (found.lineage.batch.id, found.changed, found.new) == (batch_id, 1, 1)
    same = await kit.imports.pre_run(await kit.plan(kit.sheet(["red", "blue"]), connection))
    assert ([run.batch.id for run in same.earlier], same.lineage) == ([batch_id], None)
