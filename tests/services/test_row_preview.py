"""Any row of a long sheet is shown by its number; what is near the last one is not read again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.ports import SheetInfo, SheetLine, Sheets
from desktop_app.ingest.drafter import RowDrafter
from desktop_app.services.import_plan import ImportPlan
from desktop_app.services.plan_rows import PlanRows
from desktop_app.services.row_preview import AFTER, BEFORE, RowPreviews
from tests.services.services_kit import PICTURES

INFO = SheetInfo(Path("a.csv"), Path("copy"), "0" * 64, ("p",), None, "utf-8", ",", None)
PLAN = ImportPlan(INFO, SheetMapping(prompt_column="p"), 1)


class CountedSheets:
    """Rows 2, 4, 6 ...; ``gate`` holds a read before its row ``held``."""

    def __init__(self, rows: int = 5_000) -> None:
        self.numbers = range(2, 2 + 2 * rows, 2)
        self.read = 0
        self.reads = 0
        self.held: int | None = None
        self.gate = threading.Event()
        self.waits = threading.Event()

    def lines(self, _info: SheetInfo) -> Iterator[SheetLine]:
        self.reads += 1
        for number in self.numbers:
            if number == self.held:
                self.waits.set()
                self.gate.wait(20)
            self.read += 1
            yield number, [f"shoe {number}"], None


class OneConnection:
    async def get(self, _ident: int) -> Any:
        return type("Connection", (), {"adapter": "a", "model": "m"})()


class PlainAdapters:
    def capabilities(self, _adapter: str, _connection: Any) -> Any:
        return PICTURES

    def open(self, *_: object) -> Any:
        return self

    def body_preview(self, request: Any) -> dict[str, str]:
        return {"prompt": request.prompt}

    async def close(self) -> None: ...


def made(sheets: CountedSheets) -> RowPreviews:
    adapters = cast(Any, PlainAdapters())
    rows = PlanRows(
        sheets=cast(Sheets, sheets),
        drafter=RowDrafter(),
        connections=cast(Any, OneConnection()),
        adapters=adapters,
    )
    return RowPreviews(sheets=cast(Sheets, sheets), rows=rows, adapters=adapters)


async def number(previews: RowPreviews, row_no: int | None, back: bool = False) -> int | None:
    found = await previews.of(PLAN, row_no, back=back)
    if found is not None:
        assert found.body == {"prompt": f"shoe {found.row_no}"}
    return None if found is None else found.row_no


@pytest.mark.parametrize("rows", [1, BEFORE, AFTER, AFTER + BEFORE, 5_000])
async def test_every_number_leads_to_its_row_or_the_nearest(rows: int) -> None:
    last = 2 * rows
    for row_no, back, found in [
        (None, False, 2), (0, True, 2), (1, True, 2), (2, False, 2), (last, False, last),
        (last - 1, False, last), (last + 1, True, last), (last + 9, False, last),
    ]:  # fmt: skip
        assert await number(made(CountedSheets(rows)), row_no, back) == found
    previews = made(CountedSheets(rows))
    seen = [await number(previews, n) for n in (1, rows, last, rows + 1, 2)]
    assert seen == [2, rows + rows % 2, last, min(rows + 1 + (rows + 1) % 2, last), 2]


async def test_a_gap_is_stepped_over_in_both_directions() -> None:
    previews = made(CountedSheets())
    assert await number(previews, 3_001) == 3_002
    assert await number(previews, 3_001, back=True) == 3_000


async def test_rows_nearby_and_another_mapping_cost_no_reading() -> None:
    sheets = CountedSheets()
    previews = made(sheets)
    assert await number(previews, 4_000) == 4_000
    read = sheets.read
    assert read < 2_000 + AFTER + 10
    for row_no in range(4_000 - 2 * BEFORE + 2, 4_000 + 2 * AFTER - 4, 7):
        assert await number(previews, row_no) is not None
    other = replace(PLAN, mapping=SheetMapping(template="red {{p}}"))
    shown = await previews.of(other, 4_000)
    assert shown is not None
    assert shown.prompt == "red shoe 4000"
    assert (sheets.read, sheets.reads) == (read, 1)
    await previews.of(replace(PLAN, info=replace(INFO)), 4_000)
    assert sheets.reads == 2


async def test_no_rows_is_none() -> None:
    assert await number(made(CountedSheets(0)), 7) is None


async def test_of_many_wishes_only_the_last_is_read_for() -> None:
    sheets = CountedSheets()
    sheets.held = 100
    previews = made(sheets)
    first = asyncio.ensure_future(number(previews, 9_000))
    assert await asyncio.to_thread(sheets.waits.wait, 20)
    others = [asyncio.ensure_future(number(previews, n)) for n in (10, 8_000, 20)]
    await asyncio.sleep(0)
    sheets.held = None
    sheets.gate.set()
    assert await asyncio.gather(first, *others) == [9_000, None, None, 20]
    assert sheets.reads == 2


async def test_a_read_that_nobody_waits_for_ends() -> None:
    sheets = CountedSheets()
    sheets.held = 100
    previews = made(sheets)
    wish = asyncio.ensure_future(number(previews, 9_000))
    assert await asyncio.to_thread(sheets.waits.wait, 20)
    wish.cancel()
    with pytest.raises(asyncio.CancelledError):
        await wish
    sheets.held = None
    sheets.gate.set()
    assert await number(previews, 6) == 6
    assert sheets.read < 100 + AFTER + 10
