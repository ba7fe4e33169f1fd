from __future__ import annotations

import asyncio
import multiprocessing
import threading
from dataclasses import replace
from functools import partial

import pytest

from desktop_app.domain.ports import SheetInfo
from desktop_app.domain.text import OperatorError
from desktop_app.services import packed_rows, spare_reader
from desktop_app.services.spare_reader import SpareReader
from tests.services.services_kit import Kit

PROMPTS = ["a", "b", "c", "d", "e"]


@pytest.fixture(autouse=True)
def _every_sheet_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_rows, "APART", 1)
    monkeypatch.setattr(spare_reader, "APART", 1)
    monkeypatch.setattr(spare_reader, "LONG_BYTES", 1)


def pids() -> list[int | None]:
    return [process.pid for process in multiprocessing.active_children()]


async def test_the_process_that_waits_for_an_open_sheet_reads_it(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = await kit.plan(kit.sheet(PROMPTS), await kit.connect())
    assert len(pids()) == 1
    monkeypatch.setattr(packed_rows, "Reader", None)  # nobody may start another one
    batch_id = await kit.imports.run(plan)
    summary = await kit.queries.batch(batch_id)
    assert summary is not None
    assert summary.ledger.imported == 5
    assert pids() == []


async def test_a_second_import_starts_its_own(kit: Kit) -> None:
    plan = await kit.plan(kit.sheet(PROMPTS), await kit.connect())
    for out in ("a", "b"):
        await kit.imports.run(replace(plan, out_dir=str(kit.folder / out)))
    assert pids() == []


async def test_one_waits_for_the_first_of_several_open_sheets_until_that_is_forgotten(
    kit: Kit,
) -> None:
    source = kit.sheet(PROMPTS)
    first, again = await kit.imports.open(source), await kit.imports.open(source)
    waiting = pids()
    other = await kit.imports.open(kit.sheet(PROMPTS[1:]))
    assert len(waiting) == 1
    assert pids() == waiting
    await kit.imports.forget(other)
    await kit.imports.forget(first)
    assert pids() == waiting
    await kit.imports.forget(again)
    assert pids() == []


async def test_of_two_sheets_opened_at_once_one_has_a_process(kit: Kit) -> None:
    paths = [kit.sheet(PROMPTS), kit.sheet(PROMPTS)]
    infos = [await kit.imports.open(path) for path in paths]
    for info in infos:
        await kit.imports.forget(info)
    infos = [replace(info, copy=kit.folder / f"copy {n}") for n, info in enumerate(infos)]
    spare, both = SpareReader(), threading.Barrier(2)

    def read(info: SheetInfo) -> SheetInfo:
        both.wait(60)
        return info

    opened = [
        spare.open(path, partial(read, info)) for path, info in zip(paths, infos, strict=True)
    ]
    await asyncio.gather(*opened)
    assert len(pids()) == 1
    for info in infos:
        await spare.forget(info)
    assert pids() == []


async def test_none_waits_for_few_rows(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spare_reader, "APART", 6)
    await kit.imports.open(kit.sheet(PROMPTS))
    assert pids() == []
    monkeypatch.setattr(spare_reader, "APART", 5)
    monkeypatch.setattr(spare_reader, "LONG_BYTES", 1 << 20)
    await kit.imports.open(kit.sheet(PROMPTS))
    assert pids() == []


async def test_none_is_left_where_opening_fails(kit: Kit) -> None:
    source = kit.sheet(PROMPTS)
    source.write_text('sku,prompt\nK1,"a\n', encoding="utf-8")
    for path in (source, source.with_name("none.csv")):
        with pytest.raises(OperatorError):
            await kit.imports.open(path)
    assert pids() == []


async def test_an_opening_that_is_cancelled_leaves_none(kit: Kit) -> None:
    source = kit.sheet(PROMPTS)
    info = await kit.imports.open(source)
    await kit.imports.forget(info)
    spare, may_end = SpareReader(), threading.Event()

    def read() -> SheetInfo:
        may_end.wait()
        return info

    opening = asyncio.ensure_future(spare.open(source, read))
    await asyncio.sleep(0)
    opening.cancel()
    await asyncio.wait({opening})
    may_end.set()
    assert opening.cancelled()
    assert spare.take(info) is None
    assert pids() == []


async def test_a_process_that_died_while_it_waited_is_replaced(kit: Kit) -> None:
    plan = await kit.plan(kit.sheet(PROMPTS), await kit.connect())
    (process,) = multiprocessing.active_children()
    process.kill()
    process.join()
    batch_id = await kit.imports.run(plan)
    summary = await kit.queries.batch(batch_id)
    assert summary is not None
    assert summary.ledger.imported == 5
    assert pids() == []


async def test_an_import_that_cannot_begin_ends_the_one_that_waited(kit: Kit) -> None:
    plan = await kit.plan(kit.sheet(PROMPTS), await kit.connect())
    with pytest.raises(OperatorError):
        await kit.imports.run(replace(plan, connection_id=99))
    assert pids() == []
