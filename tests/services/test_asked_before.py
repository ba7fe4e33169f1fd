"""Rows are known by what they ask for, whatever their sheet is called; what asks for something else
is never taken for done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError, Translator
from desktop_app.services import earlier_runs, packed_rows
from desktop_app.services.asked_before import AskedBefore, said
from desktop_app.services.import_plan import Earlier, ImportPlan
from tests.services.services_kit import Kit

S = TaskState
FIRST = ["red", "blue", "green", "grey", "pink"]
EDITED = ["red", "blue", "navy", "grey", "pink"]


async def shop(kit: Kit) -> Connection:
    return await kit.connections.by_name("shop") or await kit.connect()


async def copy(kit: Kit, prompts: Sequence[str], name: str = "shoes v2.csv") -> ImportPlan:
    return await kit.plan(kit.sheet(prompts, name), await shop(kit))


async def ran(kit: Kit, *ends: TaskState, prompts: Sequence[str] = FIRST) -> int:
    """A batch whose first rows ended so; the others wait."""
    batch_id = await kit.batch(prompts)
    for claim, to in zip(await kit.claim(batch_id, len(ends)), ends, strict=True):
        if to is not S.RUNNING:
            await kit.end(claim, to)
    return batch_id


async def test_a_copy_under_another_name_runs_its_edited_rows_alone(kit: Kit) -> None:
    batch_id = await ran(kit, *[S.SUCCESS] * 5)
    plan = await copy(kit, EDITED)
    found = await kit.imports.pre_run(plan)
    (asked,) = found.asked
    assert (found.earlier, found.lineage) == ((), None)
    assert (asked.run.batch.id, asked.done, asked.waiting, asked.is_version) == (
        batch_id,
        4,
        0,
        True,
    )
    told = Translator().say(next(said(found.asked)))
    assert told == f"4 of these rows ask for exactly what batch {batch_id} (shoes) has done."
    assert (await kit.imports.asked_before(plan)).usual is Earlier.SKIP
    only = await kit.imports.rows_for(plan, Earlier.SKIP)
    assert only == {4}
    assert (await kit.imports.pre_run(replace(plan, only_rows=only))).calls == 1
    # What would be changed in that run is said, so that it can be chosen.
    assert (len(found.differs.again), found.differs.same) == (1, 4)


async def test_what_waits_or_may_be_billed_is_for_its_own_batch_and_what_failed_is_not(
    kit: Kit,
) -> None:
    await ran(kit, S.SUCCESS, S.UNCERTAIN, S.RUNNING, S.DEAD)
    plan = await copy(kit, [*FIRST, "white"])
    (asked,) = (await kit.imports.asked_before(plan)).runs
    assert (asked.done, asked.waiting, asked.over) == (3, 1, 1)
    assert await kit.imports.rows_for(plan, Earlier.SKIP) == {5, 7}
    assert await kit.imports.rows_for(plan, Earlier.FAILED) == {5}
    assert await kit.imports.rows_for(plan, Earlier.ALL) is None


async def test_other_parameters_keys_or_connections_are_something_else(kit: Kit) -> None:
    await ran(kit, *[S.SUCCESS] * 5)
    plan = await copy(kit, EDITED)
    none = AskedBefore()
    big = replace(plan, mapping=replace(plan.mapping, params={"size": "2048x2048"}))
    assert await kit.imports.asked_before(big) == none
    other = await kit.connect("other")
    assert await kit.imports.asked_before(replace(plan, connection_id=other.id)) == none
    keys = kit.folder / "keys.csv"
    keys.write_text("sku,prompt\nX1,red\nK2,blue\n,green\n", encoding="utf-8")
    renamed = await kit.plan(keys, await shop(kit))
    assert await kit.imports.rows_for(renamed, Earlier.SKIP) == {2}
    keyless = replace(renamed, mapping=replace(renamed.mapping, key_column=None))
    assert await kit.imports.rows_for(keyless, Earlier.SKIP) == frozenset()


@pytest.mark.parametrize(
    "change", [{"model": "m2"}, {"params": {"size": "1K"}}, {"base_url": "https://b.example/v1"}]
)
async def test_a_connection_that_asks_for_something_else_now_has_done_nothing_yet(
    kit: Kit, change: dict[str, object]
) -> None:
    await ran(kit, *[S.SUCCESS] * 5)
    plan = await copy(kit, EDITED)
    await kit.connections.save(replace(await shop(kit), **change))
    assert await kit.imports.asked_before(plan) == AskedBefore()
    assert await kit.imports.rows_for(plan, Earlier.SKIP) is None


async def test_a_server_on_this_machine_is_the_same_on_another_port(kit: Kit) -> None:
    local = await kit.connections.save(
        replace(await shop(kit), base_url="http://127.0.0.1:4000/v1")
    )
    await ran(kit, *[S.SUCCESS] * 5)
    await kit.connections.save(replace(local, base_url="http://127.0.0.1:4001/v1"))
    (asked,) = (await kit.imports.asked_before(await copy(kit, EDITED))).runs
    assert asked.done == 4


async def test_another_price_asks_for_the_same_and_where_it_is_free_all_rows_run(kit: Kit) -> None:
    await ran(kit, *[S.SUCCESS] * 5)
    plan = await copy(kit, EDITED)
    free = Price(Decimal(0), PriceUnit.IMAGE, "USD")
    await kit.connections.save(replace(await shop(kit), price=free))
    asked = await kit.imports.asked_before(plan)
    assert (asked.runs[0].done, asked.usual) == (4, Earlier.ALL)


async def test_equal_rows_are_done_as_often_as_they_were_asked_for(kit: Kit) -> None:
    await ran(kit, *[S.SUCCESS] * 2, prompts=["red", "red"])
    table = kit.folder / "other.csv"
    table.write_text("prompt\n" + "red\n" * 3, encoding="utf-8")
    plan = await kit.plan(table, await shop(kit))
    plan = replace(plan, mapping=replace(plan.mapping, key_column=None))
    assert await kit.imports.rows_for(plan, Earlier.SKIP) == {4}


async def test_several_runs_are_named_and_one_that_shares_little_is_no_version(kit: Kit) -> None:
    first = await ran(kit, *[S.SUCCESS] * 5)
    second = await kit.imports.run(await copy(kit, ["x1", "x2", "x3", "white"], "more.csv"))
    for claim in await kit.claim(second):
        await kit.end(claim, S.SUCCESS)
    table = kit.folder / "mixed.csv"
    lines = ["sku,prompt", "K1,red", "K2,blue", "K3,green", "K4,white", "K9,new"]
    table.write_text("\n".join(lines), encoding="utf-8")
    plan = await kit.plan(table, await shop(kit))
    asked = (await kit.imports.asked_before(plan)).runs
    assert [(a.run.batch.id, a.done, a.is_version) for a in asked] == [
        (first, 3, True),
        (second, 1, False),
    ]
    assert await kit.imports.rows_for(plan, Earlier.SKIP) == {6}


async def test_the_same_sheet_keeps_its_own_rule(kit: Kit) -> None:
    batch_id = await ran(kit, *[S.SUCCESS] * 5)
    plan = await kit.plan(kit.sheet(EDITED), await shop(kit))
    assert await kit.imports.asked_before(plan) == AskedBefore()
    found = await kit.imports.pre_run(plan)
    assert found.lineage is not None
    assert (found.lineage.batch.id, found.asked) == (batch_id, ())


async def test_a_long_sheet_is_looked_through_in_a_process_of_its_own(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ran(kit, *[S.SUCCESS] * 4, S.DEAD)
    plan = await copy(kit, EDITED)
    here = await kit.imports.asked_before(plan)
    monkeypatch.setattr(packed_rows, "APART", 1)
    monkeypatch.setattr(earlier_runs, "APART", 1)
    assert await kit.imports.asked_before(plan) == here
    assert (here.rest, here.failed) == (frozenset({4, 6}), frozenset({6}))


async def test_a_run_of_the_rest_does_not_forget_what_other_sheets_have_done(kit: Kit) -> None:
    await ran(kit, *[S.SUCCESS] * 5)
    plan = await copy(kit, EDITED)
    rest = await kit.imports.rows_for(plan, Earlier.SKIP)
    second = await kit.imports.run(replace(plan, only_rows=rest))
    for claim in await kit.claim(second):
        await kit.end(claim, S.SUCCESS)
    assert await kit.imports.rows_for(plan, Earlier.SKIP) == frozenset()
    assert await kit.imports.rows_for(plan, Earlier.FAILED) == frozenset()
    newer = await copy(kit, [*EDITED, "white"])
    differs = await kit.imports.differences(newer, second)
    assert (differs.new, differs.runs) == (1, 1)


async def test_a_run_whose_rows_all_wait_still_is_an_earlier_one(kit: Kit) -> None:
    batch_id = await kit.batch(FIRST)
    asked = await kit.imports.asked_before(await copy(kit, EDITED))
    assert [(each.run.batch.id, each.done, each.waiting) for each in asked.runs] == [
        (batch_id, 0, 4)
    ]
    assert asked.usual is Earlier.SKIP
    told = [Translator().say(line) for line in said(asked.runs)]
    assert told == [f"4 of these rows wait in batch {batch_id} (shoes)."]


@pytest.mark.parametrize("was_sent", [False, True])
async def test_the_same_copy_once_more_goes_on_with_the_run_of_its_rest(
    kit: Kit, *, was_sent: bool
) -> None:
    await ran(kit, *[S.SUCCESS] * 5)
    plan = await copy(kit, EDITED)
    rest = (await kit.imports.asked_before(plan)).rows_for(Earlier.SKIP)
    second, continued = await kit.imports.continue_or_new(replace(plan, only_rows=rest), new=True)
    assert not continued
    if was_sent:
        (claim,) = await kit.claim(second)
        await kit.end(claim, S.SUCCESS)
    assert not (await kit.imports.asked_before(plan)).runs
    assert await kit.imports.continue_or_new(plan, new=False) == (second, True)
    assert (await kit.queries.ledger(second)).imported == 1
    # With another output it is another run: its rows would be paid for again.
    elsewhere = replace(plan, out_dir=str(kit.folder / "elsewhere"))
    with pytest.raises(OperatorError) as caught:
        await kit.imports.continue_or_new(elsewhere, new=False)
    assert caught.value.message.code == "services.ran_before"


async def test_a_run_is_not_extended_by_rows_that_were_done_elsewhere(kit: Kit) -> None:
    await ran(kit, *[S.SUCCESS] * 5)
    plan = await copy(kit, [*EDITED, "white"])
    rest = (await kit.imports.asked_before(plan)).rows_for(Earlier.SKIP)
    second = await kit.imports.run(replace(plan, only_rows=rest, limit=1))
    assert await kit.imports.extend(plan, second) == 1
    assert await kit.imports.extend(plan, second) == 0
    assert [c.request.prompt for c in await kit.claim(second)] == ["navy", "white"]
