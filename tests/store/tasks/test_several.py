"""A row may have several results: all are stored with the first, shown with it, and named apart
from those of other rows."""

from __future__ import annotations

import sqlite3
from asyncio import gather
from contextlib import closing
from dataclasses import replace
from decimal import Decimal

import pytest

from desktop_app.domain.attempt import PARTIAL, Kept
from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.ports import RowChange
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.store.stems import beside
from tests.store.store_kit import Kit, draft

S = TaskState


def three(stem: str) -> Kept:
    more = tuple(Kept(f"{stem}-{n}.txt", 3, "text/plain", text=f"{n}") for n in (2, 3))
    return Kept(f"{stem}.txt", 3, "text/plain", text="1", more=more)


def asking(row_no: int, stem: str, n: object = 3) -> Draft:
    return draft(row_no, stem=stem, request=Request(f"p{row_no}", {"n": n}, {}))


async def test_each_is_shown_with_its_row(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    claims = await kit.claim(batch_id)
    for claim in claims[:1]:
        await kit.end(claim, S.SUCCESS, kept=three(claim.file_stem))
    row = await kit.row(batch_id, 2)
    assert row.output == "/out/0002_sku2.txt"
    assert row.more == ("/out/0002_sku2-2.txt", "/out/0002_sku2-3.txt")
    assert (await kit.row(batch_id, 3)).more == ()
    # Whoever asks for a row once a result gets it so.
    assert await kit.store.pages.rows([row.pk] * 3) == [row] * 3
    detail = await kit.store.pages.detail(row.pk)
    assert detail is not None
    assert (detail.text, [piece.text for piece in detail.more]) == ("1", ["2", "3"])
    which = TaskFilter(batch_id=batch_id)
    (exported,) = [rows async for rows in kit.store.pages.export_rows(which)]
    assert [piece.output for piece in exported[0].more] == list(row.more)
    assert dict(await kit.store.pages.several(which)) == {row.pk: 3}
    assert dict(await kit.store.pages.several(TaskFilter(batch_id=batch_id + 1))) == {}


async def test_rows_that_came_in_part_are_counted_while_they_are_done(kit: Kit) -> None:
    batch_id, other = await kit.batch(3), await kit.batch(1)
    less = three("a").flagged(PARTIAL)
    for claim in await kit.claim(batch_id, 2):
        await kit.end(claim, S.SUCCESS, kept=replace(less, path=claim.file_stem))
    claim = await kit.claim_one(batch_id)
    await kit.end(claim, S.SUCCESS, kept=three(claim.file_stem).flagged("other_model"))
    found = {each.batch.id: each.in_part for each in await kit.store.pages.batches()}
    assert found == {batch_id: 2, other: 0}
    # A result that is not the row's own any more is history.
    known = {row.row_no: row for row in await kit.store.imports.known_rows(batch_id)}
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    newer = [RowChange(known[2], asking(2, "b"))]
    await kit.store.imports.update(replace(batch, sheet_hash="newer"), newer, kit.clock.at)
    summary = await kit.store.pages.batch_summary(batch_id)
    assert summary is not None
    assert summary.in_part == 1


async def test_a_doubled_answer_is_stored_once(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    for _ in range(2):
        await kit.end(claim, S.SUCCESS, kept=three("a"), cost=Decimal("0.1"), currency="USD")
    assert kit.sql("SELECT count(*) FROM more_result") == [(2,)]


async def test_many_at_once_keep_their_own(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    claims = await kit.claim(batch_id)
    await gather(*(kit.end(c, S.SUCCESS, kept=three(c.file_stem)) for c in claims))
    for claim in claims:
        row = await kit.row(batch_id, claim.row_no)
        assert row.more == (f"/out/{claim.file_stem}-2.txt", f"/out/{claim.file_stem}-3.txt")


async def test_no_result_takes_the_name_of_another_row(kit: Kit) -> None:
    rows = [asking(2, "Shoe"), asking(3, "shoe"), asking(4, "shoe-4", 1)]
    batch_id = await kit.batch(rows)
    claims = await kit.claim(batch_id)
    assert [(c.file_stem, c.more_stems) for c in claims] == [
        ("Shoe", ("Shoe-3", "Shoe-5")),
        ("shoe-2", ("shoe-2-2", "shoe-2-3")),
        ("shoe-4", ()),
    ]
    again = [orphan.claim for orphan in await kit.store.engine.orphans()]
    assert [claim.more_stems for claim in again] == [claim.more_stems for claim in claims]


@pytest.mark.parametrize(("n", "names"), [(10**9, 127), ("", 0), ("x", 0), (0, 0), ("2", 1)])
async def test_a_mistyped_number_names_no_million_files(kit: Kit, n: object, names: int) -> None:
    batch_id = await kit.batch([asking(2, "a", n)])
    assert len((await kit.claim_one(batch_id)).more_stems) == names


async def test_a_pattern_that_counts_names_the_further_results(kit: Kit) -> None:
    rows = [asking(2, "A/1_1"), asking(3, "A/1_3", n=1), asking(4, "A/x", n=2)]
    batch_id = await kit.batch(rows)
    pattern = '{"prompt_column": "prompt", "output_name": "{sku}/{row}_{n}"}'
    await kit.store.imports._writer.do(
        lambda txn: txn.execute("UPDATE batch SET mapping = ? WHERE id = ?", (pattern, batch_id))
    )
    with closing(sqlite3.connect(kit.path)) as conn:
        assert beside(conn, batch_id, "A/1_1", 3) == ("A/1_2", "A/1_4")
        assert beside(conn, batch_id, "A/x", 2) == ("A/x-2",)


async def test_a_count_within_a_pattern_names_the_further_results_by_the_rows_cells(
    kit: Kit,
) -> None:
    rows = [
        replace(asking(2, "a_1_front"), cells=("a",)),
        replace(asking(3, "a_1_front"), cells=("a",)),
        replace(asking(4, "b_1_front"), cells=("b",)),
    ]
    mapping = SheetMapping("sku", output_name="{sku}_{n}_front")
    batch_id = await kit.batch(rows, columns=("sku",), mapping=mapping)
    claims = await kit.claim(batch_id)
    assert [(claim.file_stem, claim.more_stems) for claim in claims] == [
        ("a_1_front", ("a_2_front", "a_3_front")),
        ("a_1_front-2", ("a_1_front-2-2", "a_1_front-2-3")),
        ("b_1_front", ("b_2_front", "b_3_front")),
    ]
