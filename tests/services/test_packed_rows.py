"""A long sheet is read in a process of its own, and nothing else about it is different."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from desktop_app.domain.ports import Packed
from desktop_app.domain.task import DraftValues
from desktop_app.domain.text import OperatorError
from desktop_app.services import packed_rows
from desktop_app.services.packed_rows import PackedRows, read_packed, reader_for
from tests.services.services_kit import PICTURES, Kit

Pack = Callable[[Iterable[DraftValues], int], Iterator[Packed]]


@pytest.fixture(autouse=True)
def every_sheet_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_rows, "APART", 1)


def where(rows: Iterable[DraftValues], chunk: int) -> Iterator[Packed]:
    rows = iter(rows)
    while count := len(list(islice(rows, chunk))):
        yield Packed(count, 0, (str(os.getpid()).encode(), b"more"))


def prompts(rows: Iterable[DraftValues], _chunk: int) -> Iterator[Packed]:
    said = [f"{row[2]} {row[5]}" for row in rows]
    yield Packed(len(said), 0, (", ".join(said).encode(),))


def ends_the_process(rows: Iterable[DraftValues], _chunk: int) -> Iterator[Packed]:
    for row in rows:
        if row[0] > 2:
            os._exit(1)
        yield Packed(1, 0)


def has_a_fault(_rows: Iterable[DraftValues], _chunk: int) -> Iterator[Packed]:
    raise ValueError("a fault of ours")
    yield


async def packed(kit: Kit, pack: Pack, source: Path | None = None, chunk: int = 2) -> PackedRows:
    plan = await kit.plan(source or kit.sheet(["a", "b", "c", "d", "e"]), await kit.connect())
    return PackedRows(kit.imports._sheets, kit.imports._drafter, pack, plan, PICTURES, chunk)


def pid_of(chunk: Packed) -> int:
    pid, more = chunk.parts
    assert more == b"more"
    return int(pid)


async def everything(rows: PackedRows) -> list[Packed]:
    async with read_packed(rows) as chunks:
        return [chunk async for chunk in chunks]


async def test_a_long_sheet_is_read_in_another_process_that_ends_with_it(kit: Kit) -> None:
    found = await everything(await packed(kit, where))
    assert [chunk.rows for chunk in found] == [2, 2, 1]
    (pid,) = {pid_of(chunk) for chunk in found}
    assert pid != os.getpid()
    assert multiprocessing.active_children() == []


async def test_a_process_that_was_made_ready_reads_the_sheet(kit: Kit) -> None:
    rows = await packed(kit, where)
    async with reader_for(rows.plan, rows.sheets, rows.drafter) as reader:
        (pid,) = [process.pid for process in multiprocessing.active_children()]
        async with read_packed(rows, reader) as chunks:
            found = [chunk async for chunk in chunks]
    assert {pid_of(chunk) for chunk in found} == {pid}
    assert sum(chunk.rows for chunk in found) == 5
    assert multiprocessing.active_children() == []


async def test_a_process_that_nobody_needs_in_the_end_is_ended(kit: Kit) -> None:
    plan = await kit.plan(kit.sheet(["a", "b", "c", "d", "e"]), await kit.connect())
    with pytest.raises(OperatorError) as caught:
        await kit.imports.run(replace(plan, connection_id=99))
    assert caught.value.message.code == "services.no_connection"
    assert multiprocessing.active_children() == []


async def test_a_short_sheet_is_read_right_here(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_rows, "APART", 6)
    rows = await packed(kit, where)
    assert {pid_of(chunk) for chunk in await everything(rows)} == {os.getpid()}
    async with reader_for(rows.plan) as reader:
        assert reader is None
    monkeypatch.setattr(packed_rows, "APART", 5)
    assert rows.is_long
    assert not replace(rows, plan=replace(rows.plan, limit=4)).is_long
    assert not replace(rows, plan=replace(rows.plan, only_rows=frozenset({2}))).is_long


async def test_an_import_by_the_other_process_stores_what_one_by_this_stores(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = kit.sheet(["红鞋", " ", "b", "c"])
    apart = await kit.imports.run(await kit.plan(source, await kit.connect()))
    monkeypatch.setattr(packed_rows, "APART", 100)
    here = await kit.imports.run(await kit.plan(source, await kit.connect("other")))
    columns = "t.row_no, t.state, t.key, t.stem, t.stem_fold, t.note, p.prompt, p.cells, p.digest"
    select = (
        f"SELECT {columns} FROM task t JOIN payload p ON p.task_pk = t.id "
        "WHERE t.batch_id = ? ORDER BY t.row_no"
    )
    with closing(sqlite3.connect(kit.store._path)) as conn:
        stored = [conn.execute(select, (batch_id,)).fetchall() for batch_id in (apart, here)]
    assert stored[0] == stored[1]
    assert len(stored[0]) == 4


async def test_trouble_with_the_sheet_is_said_as_it_is_here(kit: Kit) -> None:
    rows = await packed(kit, where)
    rows.plan.info.copy.write_text('sku,prompt\nK1,a\nK2,"b\n', encoding="utf-8")
    with pytest.raises(OperatorError) as caught:
        await everything(rows)
    assert caught.value.message.code == "ingest.open_quote"
    assert caught.value.message.values == {"row": 3}


async def test_a_reading_that_is_ended_from_outside_is_said(kit: Kit) -> None:
    with pytest.raises(OperatorError) as caught:
        await everything(await packed(kit, ends_the_process))
    assert caught.value.message.code == "services.reading_ended"


async def test_a_fault_over_there_is_told_with_its_place(kit: Kit) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)has_a_fault.*a fault of ours"):
        await everything(await packed(kit, has_a_fault))


async def test_who_leaves_early_leaves_no_process_behind(kit: Kit) -> None:
    prompts = [f"prompt {n} " + "x" * 1_000 for n in range(2_000)]
    rows = await packed(kit, kit.store.imports.pack, kit.sheet(prompts), chunk=500)
    async with read_packed(rows) as chunks:
        first = await anext(aiter(chunks))
    assert first.rows == 500
    assert multiprocessing.active_children() == []


async def test_a_text_with_logic_that_was_used_here_is_filled_over_there(kit: Kit) -> None:
    found = await packed(kit, prompts, chunk=9)
    text = "{{prompt|upper}}{% if prompt == 'b' %}!{% endif %}"
    mapping = replace(found.plan.mapping, prompt_column=None, template=text, output_name="{row}")
    plan = replace(found.plan, mapping=mapping)
    await kit.imports.preview(plan)
    (chunk,) = await everything(replace(found, plan=plan))
    assert chunk.parts == (b"A 0002, B! 0003, C 0004, D 0005, E 0006",)
