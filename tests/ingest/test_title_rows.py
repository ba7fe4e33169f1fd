"""Sheets that begin with a title: the row that is chosen names the columns, what stands above is
left out and said, and every row keeps the number that its program shows."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from desktop_app.domain.ports import SheetInfo, SheetRow
from desktop_app.domain.text import OperatorError, Translator
from desktop_app.ingest.clipboard import write_pasted
from desktop_app.ingest.sheet import SheetReader
from tests.ingest import test_ods_rows as ods
from tests.ingest.sheets_for_test import opened, rows, write
from tests.ingest.test_excel_sheet import book

TITLED = [
    ["Spring list, 2026; for the shop", "", ""],
    ["", "", ""],
    ["SKU", "prompt", "size"],
    ["1", "a red shoe", "1K"],
    ["", "", ""],
    ["2", "a boot, blue", "2K"],
]
COLUMNS = ("SKU", "prompt", "size")
FOUND = [SheetRow(4, ("1", "a red shoe", "1K")), SheetRow(6, ("2", "a boot, blue", "2K"))]


def titled(path: Path) -> Path:
    if path.suffix == ".xlsx":
        return book(path, TITLED)
    if path.suffix == ".ods":
        made = (ods.row(*(ods.cell(f"<text:p>{c}</text:p>" if c else "") for c in line))
                for line in TITLED)  # fmt: skip
        return ods.sheet(path, "".join(made))
    if path.name == "pasted.csv":
        text = "\r\n".join("\t".join(line) for line in TITLED)
        write_pasted(text, "", path)
        return path
    lines = [TITLED[0][0]] + [
        ",".join(f'"{cell}"' if "," in cell else cell for cell in line) for line in TITLED[1:]
    ]
    return write(path, "\r\n".join(lines))


def said(info: SheetInfo) -> list[str]:
    return [Translator().say(warning) for warning in info.warnings]


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "pasted.csv", "a.xlsx", "a.ods"])
def test_what_stands_above_the_chosen_row_is_left_out_and_said(tmp_path: Path, name: str) -> None:
    path = titled(tmp_path / name)
    info = opened(path, header_row=3)
    assert (info.columns, info.rows, info.header_row) == (COLUMNS, 2, 3)
    assert info.guess["prompt"] == "prompt"
    assert "The table begins in row 3; rows above it that were left out: 1." in said(info)
    assert list(SheetReader().rows(info)) == FOUND
    # The same file read otherwise is another sheet.
    assert opened(path).sha256 != info.sha256


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx", "a.ods"])
def test_to_choose_the_first_row_is_no_choice(tmp_path: Path, name: str) -> None:
    path = titled(tmp_path / name)
    plain = opened(path, header_row=1)
    assert (plain.header_row, plain.sha256) == (None, opened(path).sha256)


@pytest.mark.parametrize("name", ["a.csv", "pasted.csv", "a.xlsx", "a.ods"])
def test_where_the_names_seem_to_stand_is_pointed_out(tmp_path: Path, name: str) -> None:
    info = opened(titled(tmp_path / name))
    shown = "The column names seem to stand in row 3 (SKU, prompt, size)"
    assert any(line.startswith(shown) for line in said(info))
    offered = dict(SheetReader().headers(opened(info.path, header_row=3)))
    assert offered[3] == COLUMNS
    assert min(offered) == 1


def test_data_may_begin_at_the_chosen_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "title,x\na,b\nc,d\n")
    info = opened(path, header_row=2, header=False)
    assert (info.columns, info.header_row) == (("Column 1", "Column 2"), 2)
    assert [(row.row_no, row.cells) for row in SheetReader().rows(info)] == [
        (2, ("a", "b")),
        (3, ("c", "d")),
    ]


def test_a_chosen_line_of_plain_text_names_the_prompts(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "A list of mine\nwhat to draw\na shoe\na boot\n")
    info = opened(path, header_row=2, delimiter="\n")
    assert (info.columns, info.header) == (("what to draw",), True)
    assert [row.row_no for row in SheetReader().rows(info)] == [3, 4]


@pytest.mark.parametrize("row", [2, 7, 900])
@pytest.mark.parametrize("name", ["a.csv", "a.xlsx", "a.ods"])
def test_a_row_that_names_nothing_is_refused(tmp_path: Path, name: str, row: int) -> None:
    with pytest.raises(OperatorError) as caught:
        opened(titled(tmp_path / name), header_row=row)
    assert caught.value.message.code == "ingest.no_header_row"


def test_hidden_rows_above_are_none_of_the_table(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", TITLED)
    workbook = openpyxl.load_workbook(path)
    for row in (1, 4):
        workbook.active.row_dimensions[row].hidden = True
    workbook.save(path)
    info = opened(path, header_row=3)
    assert (info.hidden_rows, info.rows) == (1, 1)
    with_hidden = rows(path, header_row=3, hidden=True)
    assert with_hidden == FOUND
