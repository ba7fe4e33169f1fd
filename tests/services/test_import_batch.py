"""A sheet becomes a batch once, and the same sheet again goes on where it was."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.domain.batch import BatchStage, SheetMapping
from desktop_app.domain.events import BatchChanged
from desktop_app.domain.safe_names import safe_name
from desktop_app.domain.task import Draft, TaskState
from desktop_app.domain.text import OperatorError
from desktop_app.services import import_batch
from desktop_app.services.import_plan import Earlier, fingerprint
from tests.services.services_kit import Kit, exists


async def test_a_sheet_becomes_a_batch_and_nothing_is_started(kit: Kit) -> None:
    seen: list[int] = []
    plan = await kit.plan(kit.sheet(["a", "", "c"]), await kit.connect(), max_calls=7)
    await kit.imports.run(plan)
    assert "out_parent" not in kit.choices.values
    plan = replace(plan, remember_out=True)
    batch_id = await kit.imports.run(plan, seen.append)
    summary = await kit.queries.batch(batch_id)
    assert summary is not None
    assert (summary.batch.stage, summary.batch.max_calls) == (BatchStage.SEALED, 7)
    assert (summary.ledger.imported, summary.ledger.pending, summary.ledger.failed) == (3, 2, 1)
    assert seen == [3]
    assert kit.engine.told == [("changed", 1)]
    assert BatchChanged(batch_id) in kit.events
    assert kit.choices.values["out_parent"] == str(kit.folder)


async def test_the_private_copy_goes_when_everybody_is_done_with_it(kit: Kit) -> None:
    source = kit.sheet(["a"])
    first, second = await kit.imports.open(source), await kit.imports.open(source)
    copies = kit.folder / "copies"
    await kit.imports.forget(first)
    assert list(copies.iterdir())
    await kit.imports.forget(second)
    assert not list(copies.iterdir())
    assert source.exists()


async def test_pre_run_counts_every_row_and_says_what_is_wrong_with_which(kit: Kit) -> None:
    plan = await kit.plan(kit.sheet(["a", "", "c", "d", "e"]), await kit.connect(), out_dir=None)
    found = await kit.imports.pre_run(plan)
    assert (found.rows, found.valid, found.bad_rows, found.paid) == (5, 4, 1, True)
    assert [row.row_no for row in found.trial] == [2, 4, 5]
    assert [problem.row_no for problem in found.problems] == [3]
    assert found.cost is not None
    assert found.cost.values == {"total": "0.16", "currency": "USD"}
    assert found.duration is not None
    assert found.earlier == ()
    assert Path(found.out_dir).parent == kit.folder / "Pictures" / "Batchwright"
    assert not exists(found.out_dir)
    await kit.imports.run(plan)
    again = await kit.imports.pre_run(plan)
    assert [summary.batch.id for summary in again.earlier] == [1]


async def test_a_sheet_no_longer_than_a_trial_has_none(kit: Kit) -> None:
    found = await kit.imports.pre_run(await kit.plan(kit.sheet(["a", "b"]), await kit.connect()))
    assert found.trial == ()


async def test_a_preview_is_what_would_be_sent(kit: Kit) -> None:
    plan = await kit.plan(kit.sheet(["a red shoe", ""]), await kit.connect())
    plan = replace(plan, mapping=replace(plan.mapping, params={"size": "512x512"}))
    shown = await kit.imports.preview(plan)
    assert shown is not None
    assert (shown.row_no, shown.body) == (2, {"prompt": "a red shoe", "size": "512x512"})
    assert shown.file_name.startswith("0002_K1")
    bad = await kit.imports.preview(plan, 3)
    assert bad is not None
    assert bad.problem is not None
    assert await kit.imports.head(plan.info, 1) == [(2, ("K1", "a red shoe"))]
    assert kit.adapters.closed == 1


async def test_the_same_sheet_continues_and_another_mapping_does_not(kit: Kit) -> None:
    source, shop = kit.sheet(["a", "b", "c", "d"]), await kit.connect()
    plan = await kit.plan(source, shop)
    batch_id, continued = await kit.imports.continue_or_new(replace(plan, limit=2), new=False)
    assert not continued
    assert await kit.imports.continue_or_new(replace(plan, limit=3), new=False) == (batch_id, True)
    assert await kit.imports.continue_or_new(plan, new=False) == (batch_id, True)
    assert await kit.imports.continue_or_new(plan, new=False) == (batch_id, True)
    assert (await kit.queries.ledger(batch_id)).imported == 4
    others = [
        (plan, True),
        (replace(plan, mapping=SheetMapping(prompt_column="sku")), False),
        (replace(plan, out_dir=str(kit.folder / "elsewhere")), False),
        (replace(plan, connection_id=(await kit.connect("other")).id), False),
    ]
    made = [await kit.imports.continue_or_new(p, new=new) for p, new in others]
    assert [known for _, known in made] == [False] * 4
    assert len({batch_id, *(pk for pk, _ in made)}) == 5
    source.write_text(source.read_text(encoding="utf-8") + "K5,e\n", encoding="utf-8")
    changed = await kit.plan(source, shop)
    assert fingerprint(changed) != fingerprint(plan)


async def test_only_failed_and_new_rows_are_found(kit: Kit) -> None:
    source, shop = kit.sheet(["a", "b", "c"]), await kit.connect()
    batch_id = await kit.imports.run(await kit.plan(source, shop))
    claims = await kit.claim(batch_id)
    await kit.end(claims[0], TaskState.SUCCESS)
    await kit.end(claims[1], TaskState.DEAD)
    await kit.end(claims[2], TaskState.SUCCESS)
    text = source.read_text(encoding="utf-8").replace("K3,c", "K3,changed")
    source.write_text(text + "K4,new\n", encoding="utf-8")
    plan = await kit.plan(source, shop)
    rows = await kit.imports.rows_for(plan, Earlier.SKIP)
    assert rows == {3, 4, 5}
    second = await kit.imports.run(replace(plan, only_rows=rows))
    assert [claim.request.prompt for claim in await kit.claim(second)] == ["b", "changed", "new"]


async def test_s12_an_import_that_fails_in_the_middle_leaves_nothing(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_batch, "CHUNK", 2)
    add = kit.store.imports.add
    chunks = 0

    async def second_fails(batch_id: int, drafts: list[Draft]) -> None:
        nonlocal chunks
        chunks += 1
        if chunks == 2:
            raise OSError("no space")
        await add(batch_id, drafts)

    monkeypatch.setattr(kit.store.imports, "add", second_fails)
    plan = await kit.plan(kit.sheet(["a", "b", "c"]), await kit.connect())
    with pytest.raises(OSError, match="no space"):
        await kit.imports.run(plan)
    assert await kit.queries.batches() == []
    assert await kit.store.imports.discard_unsealed() == 0


async def test_a_cancelled_import_leaves_nothing(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()

    async def never(batch_id: int, drafts: list[Draft]) -> None:
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(kit.store.imports, "add", never)
    plan = await kit.plan(kit.sheet(["a"]), await kit.connect())
    running = asyncio.ensure_future(kit.imports.run(plan))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await kit.store.imports.discard_unsealed() == 0


async def test_no_rows_in_the_plan_is_said(kit: Kit) -> None:
    plan = await kit.plan(kit.sheet(["a"]), await kit.connect(), only_rows=frozenset({77}))
    with pytest.raises(OperatorError) as caught:
        await kit.imports.run(plan)
    assert caught.value.message.code == "services.no_rows"
    for call in (kit.imports.run, kit.imports.pre_run, kit.imports.preview):
        with pytest.raises(OperatorError) as caught:
            await call(replace(plan, connection_id=99))
        assert caught.value.message.code == "services.no_connection"


def test_two_batches_of_one_second_get_two_folders(kit: Kit) -> None:
    first = Path(kit.imports.default_out_dir(Path("鞋.csv")))
    first.mkdir(parents=True)
    second = Path(kit.imports.default_out_dir(Path("鞋.csv")))
    assert (second.parent, second.name) == (first.parent, f"{first.name} (2)")
    assert first.name.startswith("鞋 ")


def test_two_batches_of_a_sheet_with_a_long_name_get_two_folders(kit: Kit) -> None:
    sheet = Path("春季新品" * 20 + ".csv")
    first = Path(kit.imports.default_out_dir(sheet))
    first.mkdir(parents=True)
    second = Path(kit.imports.default_out_dir(sheet))
    assert second.name.endswith(" (2)")
    for folder in (first, second):
        assert folder.name.startswith("春季新品")
        assert len(folder.name.encode()) <= 120
        assert safe_name(folder.name) == folder.name


async def test_a_sheet_that_was_changed_since_it_was_opened_is_not_imported(kit: Kit) -> None:
    sheet = kit.sheet(["red", "blue"])
    connection = await kit.connect()
    plan = await kit.plan(sheet, connection)
    batch_id = await kit.imports.run(plan)
    kit.sheet(["red", "navy", "green"])
    for act in (
        lambda: kit.imports.run(plan),
        lambda: kit.imports.continue_or_new(plan, new=False),
        lambda: kit.imports.continue_or_new(plan, new=True),
        lambda: kit.imports.update(plan, batch_id),
    ):
        with pytest.raises(OperatorError) as caught:
            await act()
        assert caught.value.message.code == "services.sheet_changed"
    assert len(await kit.queries.batches()) == 1
    again = await kit.plan(sheet, connection)
    assert (await kit.imports.pre_run(again)).found == 3
    await kit.imports.run(again)
    sheet.unlink()  # what was read is whole all the same
    await kit.imports.run(again)
