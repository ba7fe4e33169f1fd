"""The report before a run: everything that is said there is what the import then does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from openpyxl import load_workbook

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.connection import Limits
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import AddressNews, Capabilities, Param, ReferenceRule
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Translator, message
from desktop_app.services import disk_need, packed_rows, row_check
from desktop_app.services.import_plan import Earlier
from desktop_app.services.trial import Pick, Trial
from tests.services import services_kit
from tests.services.services_kit import Kit

S = TaskState


async def test_duplicates_are_kept_and_counted_or_left_out_everywhere(kit: Kit) -> None:
    source = kit.folder / "shoes.csv"
    lines = ["sku,prompt", "A,red", "B,red", "A,red", ",blue", ",blue", "A,", "A,", "A,red "]
    source.write_text("\n".join(lines), encoding="utf-8")
    plan = await kit.plan(source, await kit.connect())
    kept = await kit.imports.pre_run(plan)
    assert (kept.rows, kept.found, kept.bad_rows, kept.calls) == (8, 8, 2, 6)
    assert (kept.duplicates, kept.duplicate_rows) == (2, (4, 6))
    skipping = replace(plan, skip_duplicates=True)
    left = await kit.imports.pre_run(skipping)
    assert (left.rows, left.found, left.bad_rows, left.calls) == (6, 8, 2, 4)
    batch_id = await kit.imports.run(skipping)
    ledger = await kit.queries.ledger(batch_id)
    assert (ledger.imported, ledger.failed, ledger.pending) == (left.rows, 2, 4)
    # Going on with that batch brings none of them in, nor does comparing the sheet with it.
    assert await kit.imports.continue_or_new(skipping, new=False) == (batch_id, True)
    assert (await kit.queries.ledger(batch_id)).imported == left.rows
    assert not (await kit.imports.differences(skipping, batch_id)).new


@pytest.mark.parametrize(
    ("text", "gaps", "rows", "columns"),
    [
        ("{{prompt}} in {{style}}", 3, (3, 4, 6), ("prompt", "style")),
        ("{{prompt}} on white", 0, (), ()),  # alone, a blank one makes no request: a bad row
        ("a shoe", 0, (), ()),
        # Whoever writes a condition has thought of the blank ones.
        ("{{prompt}}{% if style %} in {{style}}{% endif %}", 0, (), ()),
    ],
)
async def test_rows_that_leave_a_column_of_the_text_blank_are_told(
    kit: Kit, text: str, gaps: int, rows: tuple[int, ...], columns: tuple[str, ...]
) -> None:
    source = kit.folder / "shoes.csv"
    lines = ["prompt,style", "red,bold", "blue,", "green,  ", "grey,soft", " ,soft", ","]
    source.write_text("\n".join(lines), encoding="utf-8")
    plan = await kit.plan(source, await kit.connect())
    plan = replace(plan, mapping=SheetMapping(template=text))
    found = await kit.imports.pre_run(plan)
    assert (found.gaps, found.gap_rows, found.gap_columns) == (gaps, rows, columns)


REFERRING = Capabilities(
    "picture",
    600.0,
    params=(Param("reference", "reference"),),
    references=(ReferenceRule(4, ("image/png",), 1_000_000),),
)


async def test_a_row_with_a_dead_address_cannot_be_used_in_report_and_import(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services_kit, "PICTURES", REFERRING)
    source = kit.folder / "shoes.csv"
    good, dead, odd = (f"https://pics.example/{name}.png" for name in ("good", "dead", "odd"))
    lines = [
        "prompt,pic",
        f"red,{good}",
        f"blue,{good};{dead}",
        f"green,{odd}",
        "grey,",
        f"x,{dead}",
    ]
    source.write_text("\n".join(lines), encoding="utf-8")
    plan = await kit.plan(source, await kit.connect())
    mapping = SheetMapping(prompt_column="prompt", params={"reference": "@pic"})
    plan = replace(plan, mapping=mapping)
    gone = message("providers.address_gone", url=dead, status=404)
    kit.addresses.news = AddressNews({dead: gone}, {odd: "HTTP 403"}, 2)
    found = await kit.imports.pre_run(plan)
    assert kit.addresses.asked == [(good, dead, odd)]
    assert (found.rows, found.bad_rows, found.calls) == (5, 2, 3)
    assert [problem.row_no for problem in found.problems] == [3, 6]
    assert "Row 3: " in Translator().say(found.problems[0].said)
    assert [doubt.code for doubt in found.address_doubts] == [
        "services.addresses_doubtful",
        "services.addresses_unseen",
    ]
    batch_id = await kit.imports.run(replace(plan, dead=found.dead))
    ledger = await kit.queries.ledger(batch_id)
    assert (ledger.failed, ledger.pending) == (2, 3)


async def test_without_a_network_no_row_is_blamed(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services_kit, "PICTURES", REFERRING)
    source = kit.folder / "shoes.csv"
    source.write_text("prompt,pic\nred,https://pics.example/a.png", encoding="utf-8")
    plan = await kit.plan(source, await kit.connect())
    mapping = SheetMapping(prompt_column="prompt", params={"reference": "@pic"})
    kit.addresses.news = AddressNews(offline=message("providers.dns", host="shop.example"))
    found = await kit.imports.pre_run(replace(plan, mapping=mapping))
    assert (found.bad_rows, found.calls) == (0, 1)
    (doubt,) = found.address_doubts
    assert "shop.example" in Translator().say(doubt)


async def test_the_rows_of_a_trial_are_the_rows_that_run(kit: Kit) -> None:
    trial = Trial(Pick.RANDOM, 4, seed=7)
    plan = await kit.plan(kit.sheet([f"p{n}" for n in range(40)]), await kit.connect(), trial=trial)
    shown = [row.row_no for row in (await kit.imports.pre_run(plan)).trial]
    assert shown != [2, 3, 4, 5]
    batch_id = await kit.imports.run(replace(plan, gate=tuple(shown)))
    claims = await kit.claim(batch_id)
    assert sorted(claim.row_no for claim in claims) == shown
    assert (await kit.queries.ledger(batch_id)).imported == 40
    for claim in claims:
        await kit.end(claim, S.SUCCESS)
    assert await kit.claim(batch_id) == []
    await kit.runs.run_rest(batch_id)
    rest = [claim.row_no for claim in await kit.claim(batch_id)]
    assert sorted(rest + shown) == list(range(2, 42))


async def test_a_further_trial_tries_other_rows_until_the_rest_runs(kit: Kit) -> None:
    batch_id = await kit.batch(6, gate=(3,))
    (claim,) = await kit.claim(batch_id)
    assert claim.row_no == 3
    await kit.runs.try_rows(batch_id, [5, 7])
    assert [claim.row_no for claim in await kit.claim(batch_id)] == [5, 7]
    await kit.runs.run_rest(batch_id)
    with pytest.raises(Exception, match="trial_late"):
        await kit.runs.try_rows(batch_id, [2])


async def test_what_is_done_in_any_earlier_run_is_not_paid_for_again(kit: Kit) -> None:
    source, shop = kit.sheet(["a", "b", "c", "d"]), await kit.connect()
    plan = await kit.plan(source, shop)
    first = await kit.imports.run(plan)
    for claim, to in zip(
        await kit.claim(first), (S.SUCCESS, S.DEAD, S.DEAD, S.UNCERTAIN), strict=True
    ):
        await kit.end(claim, to)
    rows = await kit.imports.rows_for(plan, Earlier.FAILED)
    assert rows == {3, 4}
    second = await kit.imports.run(replace(plan, only_rows=rows))
    for claim, to in zip(await kit.claim(second), (S.SUCCESS, S.DEAD), strict=True):
        await kit.end(claim, to)
    # The newest run knows nothing of rows 2 and 5: the one before does.
    assert await kit.imports.rows_for(plan, Earlier.SKIP) == {4}
    assert await kit.imports.rows_for(plan, Earlier.FAILED) == {4}
    assert await kit.imports.rows_for(plan, Earlier.ALL) is None
    source.write_text(source.read_text(encoding="utf-8") + "K5,e\n", encoding="utf-8")
    newer = await kit.plan(source, shop)
    assert await kit.imports.rows_for(newer, Earlier.SKIP) == {4, 6}
    assert await kit.imports.rows_for(newer, Earlier.FAILED) == {4}
    assert (await kit.imports.differences(newer, second)).new == 1


async def test_a_run_elsewhere_does_not_count_where_there_is_one_here(kit: Kit) -> None:
    source = kit.sheet(["a", "b"])
    practice, shop = await kit.connect("practice"), await kit.connect("shop")
    for name in (practice, shop):
        batch_id = await kit.imports.run(await kit.plan(source, name))
        for claim in (await kit.claim(batch_id))[: 2 if name is practice else 1]:
            await kit.end(claim, S.SUCCESS)
    runs = await kit.imports.earlier(await kit.plan(source, shop))
    assert [run.connection_name for run in runs] == ["shop"]


async def test_a_sheet_that_ran_as_it_is_under_another_mapping_is_compared(kit: Kit) -> None:
    source, shop = kit.sheet(["a", "b"]), await kit.connect()
    plan = await kit.plan(source, shop)
    await kit.imports.run(plan)
    other = replace(plan, mapping=replace(plan.mapping, params={"size": "512x512"}))
    assert (await kit.imports.pre_run(plan)).differs.changed == 0
    assert (await kit.imports.pre_run(other)).differs.changed == 2


async def test_the_disk_is_told_by_earlier_results_or_by_a_guess(kit: Kit) -> None:
    shop = await kit.connect()
    plan = await kit.plan(kit.sheet(["a", "b"]), shop)
    found = (await kit.imports.pre_run(plan)).disk
    assert found is not None
    assert (found.measured, found.needed) == (False, 4_000_000)
    batch_id = await kit.imports.run(plan)
    for claim in await kit.claim(batch_id):
        await kit.end(claim, S.SUCCESS)
    found = (await kit.imports.pre_run(plan)).disk
    assert found is not None
    assert (found.measured, found.each, found.needed) == (True, 9, 18)


async def test_a_cap_of_calls_holds_calls_cost_and_disk(kit: Kit) -> None:
    plan = await kit.plan(kit.sheet([f"p{n}" for n in range(40)]), await kit.connect(), max_calls=5)
    found = await kit.imports.pre_run(plan)
    assert found.calls == 5
    assert found.cost is not None
    assert Translator().say(found.cost) == "About 0.20 USD"
    assert found.disk is not None
    assert found.disk.needed == 5 * disk_need.GUESS["picture"]


def test_the_disk_of_a_folder_that_is_not_there_yet_is_its_parents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def usage(place: Path) -> SimpleNamespace:
        asked.append(place)
        if not place.exists():
            raise FileNotFoundError(place)
        return SimpleNamespace(free=7)

    monkeypatch.setattr(disk_need.shutil, "disk_usage", usage)
    assert disk_need.free_at(str(tmp_path / "a" / "b")) == 7
    assert asked[-1] == tmp_path
    short = disk_need.need("picture", 100, None, 150_000_000)
    assert short.is_short
    assert Translator().say(short.said()) == (
        "The disk may be too small: 200 MB needed, 150 MB free (at a guess of 2.0 MB each)"
    )
    wide = disk_need.need("text", 100, 1500.0, 80_000_000_000)
    assert Translator().say(wide.said()) == (
        "150 KB needed, 80 GB free (1.5 KB each, as earlier results took)"
    )


async def test_tokens_are_bounded_where_answers_are(kit: Kit) -> None:
    price = Price(Decimal("0.002"), PriceUnit.KTOKENS, "CNY")
    shop = await kit.connect(price=price, params={"max_tokens": 1000})
    found = await kit.imports.pre_run(await kit.plan(kit.sheet(["a", "b"]), shop))
    assert found.cost is not None
    assert found.cost.code == "services.cost_tokens_up_to"


async def test_the_time_counts_the_tokens_of_every_row_where_a_limit_does(kit: Kit) -> None:
    limits = Limits(tokens_per_minute=1000)
    shop = await kit.connect(limits=limits, params={"max_tokens": 1000})
    sheet = kit.sheet([f"p{n}" for n in range(40)])
    found = await kit.imports.pre_run(await kit.plan(sheet, shop))
    assert found.duration == message("services.duration", minutes=25)
    found = await kit.imports.pre_run(await kit.plan(sheet, shop, max_calls=20))
    assert found.duration is not None
    assert found.duration.values == {"minutes": 12}


async def test_rows_that_cannot_be_used_are_saved_with_their_numbers(kit: Kit) -> None:
    plan = await kit.plan(kit.sheet(["a", "", "c", " "]), await kit.connect())
    saved = await kit.exports.unusable(
        plan.info.columns, kit.imports.unusable_rows(plan), kit.folder / "bad.xlsx"
    )
    assert saved.rows == 2
    header, *rows = load_workbook(saved.path).active.iter_rows(values_only=True)
    assert header[:4] == ("Excel row", "sku", "prompt", "state")
    assert [row[:2] for row in rows] == [("3", "K2"), ("5", "K4")]
    assert "no prompt" in rows[0][header.index("error")]


async def test_a_long_check_says_how_far_it_is_and_ends_when_cancelled(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_check, "CHUNK", 2)
    plan = await kit.plan(kit.sheet([f"p{n}" for n in range(7)]), await kit.connect())
    seen: list[int] = []
    await kit.imports.pre_run(plan, seen.append)
    assert seen == [2, 4, 6, 7]
    begun = asyncio.Event()
    running = asyncio.ensure_future(kit.imports.pre_run(plan, lambda _rows: begun.set()))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_long_sheet_is_checked_in_a_process_of_its_own(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = await kit.plan(kit.sheet(["a", "", "a", "b", "c"]), await kit.connect())
    here = await kit.imports.pre_run(plan)
    monkeypatch.setattr(packed_rows, "APART", 1)
    assert replace(await kit.imports.pre_run(plan), disk=None) == replace(here, disk=None)
