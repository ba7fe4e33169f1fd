from __future__ import annotations

import csv
import json
import tracemalloc
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import openpyxl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from desktop_app.domain.guard import needs_guard
from desktop_app.domain.long_cells import CELL_LIMIT, stands_for
from desktop_app.domain.ports import ExportRow, SheetOptions
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, OperatorError, Translator, message
from desktop_app.domain.views import Piece
from desktop_app.exports import sheets
from desktop_app.exports.columns import ADDED, added_names
from desktop_app.exports.sheets import SheetFiles

# The tests of a round trip may know both rooms; the rooms do not know each other.
from desktop_app.ingest.sheet import SheetReader
from tests.exports.results_for_test import names, picture
from tests.helpers.examples import sharing_fixtures

LINK = '=HYPERLINK("http://evil.example","click")'
SAY = Translator().say


def row(*cells: str, **values: Any) -> ExportRow:
    given: dict[str, Any] = {
        "row_no": 2,
        "cells": cells,
        "state": TaskState.SUCCESS,
        "output": None,
        "text": None,
        "error_class": None,
        "error": None,
        "attempts": 1,
        "cost": None,
        "started_at": None,
        "ended_at": None,
        "task_id": "t-1",
        "request_id": None,
    }
    return ExportRow(**{**given, **values})


async def chunks(*parts: Sequence[ExportRow]) -> AsyncIterator[Sequence[ExportRow]]:
    for part in parts:
        yield part


async def write(target: Path, columns: tuple[str, ...], *rows: ExportRow) -> Path:
    path, count = await SheetFiles().write(target, columns, chunks(rows), SAY)
    assert count == len(rows)
    return path


def imported(path: Path, *, at: Path) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    reader = SheetReader()
    info = reader.open(path, at / "copies", SheetOptions())
    return info.columns, [found.cells for found in reader.rows(info)]


FULL = row(
    "00123",
    "红色运动鞋",
    output="/tmp/图 1/0002_a#.png",
    text="an answer",
    error_class="refused",
    error=message("text.plain", text="said no"),
    attempts=3,
    cost="0.04 USD",
    started_at=1_796_000_000.5,
    ended_at=1_796_000_028.0,
    request_id="req-1",
    state=TaskState.FAILED,
)


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
async def test_own_columns_come_first_and_unchanged(tmp_path: Path, suffix: str) -> None:
    path = await write(tmp_path / f"a{suffix}", ("货号", "提示词"), FULL)
    columns, cells = imported(path, at=tmp_path)
    assert columns == ("货号", "提示词", *ADDED)
    assert cells[0][:7] == (
        "00123",
        "红色运动鞋",
        "failed",
        "/tmp/图 1/0002_a#.png",
        "an answer",
        "refused",
        "said no",
    )
    assert cells[0][7:9] == ("3", "0.04 USD")
    assert cells[0][11:] == ("t-1", "req-1", "/tmp/图 1/0002_a#.png")
    started = datetime.fromisoformat(cells[0][9])
    assert started.timestamp() == 1_796_000_000
    assert started.tzinfo is not None


async def test_a_workbooks_figures_can_be_summed(tmp_path: Path) -> None:
    from openpyxl import load_workbook

    two = replace(FULL, cost="1.50 CNY + 0.04 USD")
    path = await write(tmp_path / "a.xlsx", ("id", "n"), FULL, two, replace(FULL, cells=("1", "2")))
    sheet = load_workbook(path).active
    assert sheet is not None
    assert [(cell.value, cell.data_type) for cell in sheet[4][:2]] == [("1", "s"), ("2", "s")]
    attempts, cost = sheet["H2"], sheet["I2"]
    assert (attempts.value, attempts.data_type) == (3, "n")
    assert (cost.value, cost.data_type, cost.number_format) == (0.04, "n", '0.00####### "USD"')
    assert sheet["I3"].value == "1.50 CNY + 0.04 USD"


async def test_jsonl_is_one_object_a_row(tmp_path: Path) -> None:
    thought = replace(FULL, thinking="because")
    path = await write(tmp_path / "a.jsonl", ("货号", "state"), thought, row("1"))
    first, second = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert list(first) == ["货号", "state", "bw_state", *ADDED[1:], "reasoning"]
    assert (first["reasoning"], second["reasoning"]) == ("because", None)
    assert (first["货号"], first["state"], first["bw_state"]) == ("00123", "红色运动鞋", "failed")
    assert (first["attempts"], first["cost"]) == (3, "0.04 USD")
    assert (second["state"], second["output"], second["request_id"]) == ("", None, None)


def test_names_that_clash_get_a_prefix() -> None:
    assert added_names(("State", "text", "bw_text"))[:3] == ("bw_state", "output", "bw_bw_text")


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
async def test_s19_formulas_are_inert_and_come_back_unchanged(tmp_path: Path, suffix: str) -> None:
    answer = json.dumps({"a": [1, "二"], "b": None}, ensure_ascii=False)
    path = await write(
        tmp_path / f"a{suffix}",
        ("id", "=1+1", "'=x"),
        row("1", LINK, "-5", text=answer),
        row("+2", "'=quoted", "@a", text=LINK),
        row("\t3", "#N/A", "", text="\r=x"),
    )
    columns, cells = imported(path, at=tmp_path)
    assert columns[:3] == ("id", "=1+1", "'=x")
    assert [found[:3] for found in cells] == [
        ("1", LINK, "-5"),
        ("+2", "'=quoted", "@a"),
        ("\t3", "#N/A", ""),
    ]
    assert [found[5] for found in cells] == [answer, LINK, "\r=x"]


async def test_s19_no_csv_cell_starts_a_formula(tmp_path: Path) -> None:
    import csv

    path = await write(tmp_path / "a.csv", ("a", "=b"), row(LINK, "\r=1", text="@x"))
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.reader(file))
    assert table[0][-1] == "bw_guard"
    assert json.loads(table[1][-1]) == ["a", "=b", "text"]
    assert not any(needs_guard(cell) for line in table for cell in line)


async def test_s19_no_xlsx_cell_is_a_formula(tmp_path: Path) -> None:
    path = await write(tmp_path / "a.xlsx", ("=h",), row(LINK, text="=1"), row("#REF!"))
    sheet = openpyxl.load_workbook(path).active
    kinds = {cell.data_type for line in sheet.rows for cell in line if cell.value is not None}
    assert kinds == {"s", "n"}  # our count of tries
    assert {cell.data_type for cell in sheet["A"]} == {"s"}


CELL = st.text(
    st.one_of(st.sampled_from("=+-@'\t\r\n,\";"), st.characters(exclude_categories=("Cs",)))
).map(lambda text: text.replace("\0", ""))
ROWS = st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=5)
ANY = sharing_fixtures(60)


@given(ROWS, st.lists(CELL.filter(str.strip), min_size=2, max_size=2, unique=True))
@ANY
async def test_any_csv_export_is_imported_unchanged(
    tmp_path: Path, table: list[tuple[str, str, str]], names: list[str]
) -> None:
    if any(len(name) > 300 for name in names) or "bw_guard" in names:
        return
    rows = [row(a, b, text=c) for a, b, c in table]
    path = await write(tmp_path / "any.csv", tuple(names), *rows)
    columns, cells = imported(path, at=tmp_path)
    assert columns == (*names, *added_names(names))
    assert [(found[0], found[1], found[4]) for found in cells] == table


XML = ROWS.filter(lambda table: not any(c in "\ufffe\uffff" for r in table for x in r for c in x))


@given(XML)
@example([("", "", "\n")])
@example([("_x0041_", " \t", "\r")])
@example([("\u2000", " \u3000", "\u2000 ")])
@ANY
async def test_any_xlsx_export_is_imported_unchanged(
    tmp_path: Path, table: list[tuple[str, str, str]]
) -> None:
    rows = [row(a, b, text=c) for a, b, c in table]
    path = await write(tmp_path / "any.xlsx", ("a", "b"), *rows)
    cells = imported(path, at=tmp_path)[1]
    assert [(found[0], found[1], found[4]) for found in cells] == table


async def test_xlsx_survives_what_xml_forbids(tmp_path: Path) -> None:
    path = await write(tmp_path / "a.xlsx", ("a",), row("nul\0\ud800\uffff", text="_x0041_"))
    cells = imported(path, at=tmp_path)[1]
    assert cells[0][0] == "nul\ufffd\ufffd\ufffd"
    assert cells[0][3] == "_x0041_"


async def test_xlsx_has_a_frozen_header_a_filter_and_links(tmp_path: Path) -> None:
    output = tmp_path / "图 #1.png"
    path = await write(tmp_path / "a.xlsx", ("a",), row("1", output=str(output)), row("2"))
    sheet = openpyxl.load_workbook(path).active
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == "A1:M3"
    assert sheet["C2"].value == str(output)
    assert sheet["C2"].hyperlink.target == output.as_uri()
    assert sheet["C3"].hyperlink is None


@pytest.mark.parametrize("letter", ["红", "🙂", "\r"])
async def test_what_excel_cannot_hold_goes_whole_into_a_file_and_the_cell_says_so(
    tmp_path: Path, letter: str
) -> None:
    long = letter * 40_000
    path = await write(tmp_path / "a.xlsx", ("a",), row("1", text=long), row("x" * CELL_LIMIT))
    first, second = imported(path, at=tmp_path)[1]
    assert len(first[3].encode("utf-16-le")) // 2 <= CELL_LIMIT
    assert first[3].startswith(letter * 16_000)
    (file,) = (tmp_path / "a_texts").iterdir()
    assert first[3].endswith(f" … [40,000 characters; whole text: a_texts/{file.name}]")
    assert file.read_bytes() == b"\xef\xbb\xbf" + long.encode()
    assert stands_for(first[3], long)
    assert not stands_for("y" + first[3][1:], long)
    assert second[0] == "x" * CELL_LIMIT
    link = openpyxl.load_workbook(path).active["D2"].hyperlink
    assert (tmp_path / unquote(link.target)).samefile(file)


async def test_long_texts_of_an_open_sheet_are_not_touched_by_the_next_export(
    tmp_path: Path,
) -> None:
    target = tmp_path / "a.xlsx"
    await write(target, ("a/b",), row("old" * 20_000))
    (first,) = (tmp_path / "a_texts").iterdir()
    assert first.name.startswith("0002_a_b_")
    first.touch()
    before = first.stat().st_mtime_ns
    await write(target, ("a/b",), row("old" * 20_000), row("new" * 20_000, row_no=3))
    assert first.stat().st_mtime_ns == before
    assert len(list((tmp_path / "a_texts").iterdir())) == 2
    assert len(names(tmp_path)) == 3


async def test_small_pictures_stand_in_the_sheet_where_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    wide, text = tmp_path / "wide.png", tmp_path / "a.txt"
    wide.write_bytes(picture(size=(800, 200)))
    text.write_text("no picture")
    rows = [row("1", output=str(wide)), row("2", output=str(text)), row("3", output="/gone.png")]
    path, _ = await SheetFiles().write(
        tmp_path / "a.xlsx", ("picture",), chunks([*rows, rows[0]]), SAY, thumbnails=True
    )
    sheet = openpyxl.load_workbook(path).active
    assert [cell.value for cell in sheet[1]][:3] == ["picture", "bw_picture", "state"]
    found = [(image.anchor._from.row, image.anchor._from.col) for image in sheet._images]
    assert found == [(1, 1), (4, 1)]
    assert (sheet._images[0].width, sheet._images[0].height) == (96, 24)
    assert [sheet.row_dimensions[n].height for n in (2, 3, 5)] == [75.0, None, 75.0]
    assert sheet["D2"].hyperlink.target == wide.as_uri()
    assert sheet["J2"].data_type == "n"
    assert names(tmp_path) == ["a.txt", "a.xlsx", "wide.png"]


async def test_where_small_pictures_end_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_app.exports.sheet_pictures.MOST", 1)
    shown = tmp_path / "a.png"
    shown.write_bytes(picture())
    rows = [row(str(n), output=str(shown)) for n in range(3)]
    path, _ = await SheetFiles().write(
        tmp_path / "a.xlsx", ("a",), chunks(rows), SAY, thumbnails=True
    )
    sheet = openpyxl.load_workbook(path).active
    assert [cell.value for cell in sheet["B"]] == [
        "picture",
        None,
        "No small pictures from here on: a workbook gets 1.",
        None,
    ]


async def test_pictures_that_break_off_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shown = tmp_path / "a.png"
    shown.write_bytes(picture())

    async def breaks() -> AsyncIterator[Sequence[ExportRow]]:
        yield [row("1", output=str(shown))]
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await SheetFiles().write(tmp_path / "a.xlsx", ("a",), breaks(), SAY, thumbnails=True)
    assert names(tmp_path) == ["a.png"]


async def test_xlsx_goes_on_in_another_worksheet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_app.exports.xlsx_sheet.SHEET_ROWS", 3)
    monkeypatch.setattr("desktop_app.exports.xlsx_sheet.LINKS", 1)
    rows = [row(str(n), output=f"/o/{n}.png") for n in range(5)]
    book = openpyxl.load_workbook(await write(tmp_path / "a.xlsx", ("a",), *rows))
    assert [[c.value for c in sheet["A"]] for sheet in book] == [
        ["a", "0", "1"],
        ["a", "2", "3"],
        ["a", "4"],
    ]
    assert [cell.hyperlink is None for cell in book.worksheets[0]["C"]] == [True, False, True]


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl"])
async def test_memory_is_flat(tmp_path: Path, suffix: str) -> None:
    async def many() -> AsyncIterator[Sequence[ExportRow]]:
        for _ in range(20):
            yield [row("x" * 2000, "y" * 2000, text="z" * 2000) for _ in range(100)]

    await write(tmp_path / f"warm{suffix}", ("a", "b"), row("1", "2"))
    tracemalloc.start()
    try:
        _, count = await SheetFiles().write(tmp_path / f"a{suffix}", ("a", "b"), many(), SAY)
        assert count == 2000
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


async def test_a_target_that_exists_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    target.write_text("old")
    assert await write(target, ("a",), row("1")) == target
    assert "old" not in target.read_text()
    assert names(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("note", ["~$a.xlsx", ".~lock.a.xlsx#"])
async def test_a_target_open_elsewhere_stays(tmp_path: Path, note: str) -> None:
    target = tmp_path / "a.xlsx"
    target.write_text("old")
    (tmp_path / note).write_text("someone")
    assert await write(target, ("a",), row("1")) == tmp_path / "a-2.xlsx"
    assert await write(target, ("a",), row("1")) == tmp_path / "a-3.xlsx"
    assert target.read_text() == "old"


async def test_a_target_that_windows_holds_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.csv"
    target.write_text("old")
    real = Path.replace

    def held(self: Path, to: Path) -> Path:
        if to == target:
            raise PermissionError(13, "held")
        return real(self, to)

    monkeypatch.setattr(Path, "replace", held)
    assert await write(target, ("a",), row("1")) == tmp_path / "a-2.csv"
    assert target.read_text() == "old"


async def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    for target, code in [
        (tmp_path / "a.pdf", "exports.unknown_suffix"),
        (tmp_path / "gone" / "a.csv", "exports.sheet_not_written"),
        (tmp_path / "gone" / "a.xlsx", "exports.sheet_not_written"),
        (tmp_path / "dir.csv", "exports.sheet_not_written"),
    ]:
        if target.name == "dir.csv":
            target.mkdir()
        with pytest.raises(OperatorError) as caught:
            await write(target, ("a",), row("1"))
        assert caught.value.message.code == code
    assert names(tmp_path) == []


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl"])
async def test_an_export_that_breaks_off_leaves_the_old_sheet(tmp_path: Path, suffix: str) -> None:
    async def breaks() -> AsyncIterator[Sequence[ExportRow]]:
        yield [row("1")]
        raise RuntimeError("the store went away")

    target = tmp_path / f"a{suffix}"
    target.write_text("old")
    with pytest.raises(RuntimeError):
        await SheetFiles().write(target, ("a",), breaks(), SAY)
    assert target.read_text() == "old"
    assert names(tmp_path) == [target.name]


def test_every_kind_is_named() -> None:
    assert set(sheets._KINDS) == {".xlsx", ".csv", ".jsonl"}
    assert SAY(Message("exports.unknown_suffix", {"file": "a", "suffixes": "b"})).startswith("a:")


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl"])
async def test_every_result_of_a_row_is_in_the_sheet(tmp_path: Path, suffix: str) -> None:
    three = row(
        "a",
        output="/out/a.txt",
        text="one",
        more=(Piece("/out/a-2.txt", "two"), Piece("/out/a-3.txt", "three")),
    )
    none = row("b")
    path = await write(tmp_path / f"s{suffix}", ("a",), three, none)
    files = ["/out/a.txt", "/out/a-2.txt", "/out/a-3.txt"]
    if suffix == ".jsonl":
        first, second = map(json.loads, path.read_text("utf-8").splitlines())
        assert (first["files"], second["files"]) == (files, [])
        assert first["output"] == files[0]
    elif suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            first, second = csv.DictReader(file)
        assert (first["files"].split("\n"), second["files"]) == (files, "")
    else:
        sheet = openpyxl.load_workbook(path).active
        header = [cell.value for cell in sheet[1]]
        found = sheet.cell(2, header.index("files") + 1)
        first = {name: sheet.cell(2, at + 1).value for at, name in enumerate(header)}
        assert found.value.split("\n") == files
        assert sheet.cell(2, header.index("output") + 1).hyperlink is not None
    assert all(word in first["text"] for word in ("one", "two", "three"))
