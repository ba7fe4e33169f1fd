from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.text import OperatorError, Translator
from tests.helpers.examples import sharing_fixtures
from tests.ingest.sheets_for_test import cells, opened, rows, write


def book(path: Path, table: list[list[Any]], first_row: int = 1) -> Path:
    workbook = openpyxl.Workbook()
    for y, row in enumerate(table, start=first_row):
        for x, value in enumerate(row, start=1):
            workbook.active.cell(y, x, value)
    workbook.save(path)
    return path


def refused(path: Path, **options: str) -> str:
    with pytest.raises(OperatorError) as caught:
        rows(path, **options)
    return Translator().say(caught.value.message)


def test_values_read_as_excel_shows_them(tmp_path: Path) -> None:
    shown = [
        (1, "1"),
        (3.0, "3"),
        (1.5, "1.5"),
        (0.1 + 0.2, "0.3"),
        (123456789012345, "123456789012345"),
        (1e-7, "1E-07"),
        (True, "TRUE"),
        ("00123", "00123"),
        (dt.date(2026, 11, 30), "2026-11-30"),
        (dt.datetime(2026, 11, 30, 14, 5, 6), "2026-11-30 14:05:06"),  # noqa: DTZ001
        (dt.time(14, 30), "14:30:00"),
        (dt.timedelta(hours=36, seconds=5), "36:00:05"),
        (None, ""),
        ("line\nbreak", "line\nbreak"),
        (" 红色 ", " 红色 "),
    ]
    path = book(tmp_path / "a.xlsx", [["prompt", "v"], *[["p", value] for value, _ in shown]])
    assert [row[1] for row in cells(path)] == [text for _, text in shown]


def test_files_of_xlsxwriter_with_formulas_and_formats(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(str(tmp_path / "a.xlsx")) as workbook:
        sheet = workbook.add_worksheet("词")
        sheet.write_row(0, 0, ["sku", "prompt"])
        sheet.write_string(1, 0, "00123")
        sheet.write_formula(1, 1, '="red "&"shoe"', None, "red shoe")
        sheet.write_string(2, 0, "_x0041_")
        sheet.write_string(2, 1, "carriage\rreturn")
    assert cells(tmp_path / "a.xlsx") == [("00123", "red shoe"), ("_x0041_", "carriage\rreturn")]
    assert opened(tmp_path / "a.xlsx").worksheet == "词"


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
@sharing_fixtures(40)
def test_any_text_comes_back_exactly(tmp_path: Path, table: list[tuple[str, str]]) -> None:
    with xlsxwriter.Workbook(str(tmp_path / "any.xlsx")) as workbook:
        sheet = workbook.add_worksheet()
        for y, row in enumerate([("prompt", "b"), *table]):
            for x, value in enumerate(row):
                sheet.write_string(y, x, value)
    assert cells(tmp_path / "any.xlsx") == table


def test_row_numbers_are_excels_and_blank_rows_are_none(tmp_path: Path) -> None:
    table = [["id", "prompt"], [1, "a"], [None, None], [None, " "], [2, "b"]]
    path = book(tmp_path / "a.xlsx", table, first_row=3)
    assert [(row.row_no, row.cells) for row in rows(path)] == [(4, ("1", "a")), (7, ("2", "b"))]


def test_empty_columns_are_none_unless_filled(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", [["id", "prompt", None], [1, "a", None], [2, "b", "note"]])
    assert opened(path).columns == ("id", "prompt", "Column 3")


def test_the_first_visible_filled_worksheet_is_read(tmp_path: Path) -> None:
    workbook = openpyxl.Workbook()
    hidden = workbook.active
    hidden.title, hidden["A1"], hidden.sheet_state = "hidden", "x", "hidden"
    workbook.create_sheet("empty")
    filled = workbook.create_sheet("提示词")
    filled.append(["prompt"])
    filled.append(["红"])
    workbook.save(tmp_path / "a.xlsx")
    info = opened(tmp_path / "a.xlsx")
    assert (info.worksheet, info.worksheets) == ("提示词", ("empty", "提示词"))
    assert "no worksheet nope; there are: empty, 提示词" in refused(
        tmp_path / "a.xlsx", worksheet="nope"
    )
    assert "is empty" in refused(tmp_path / "a.xlsx", worksheet="empty")


@pytest.mark.parametrize("keep", [30, 2000, -10])
def test_a_damaged_workbook_gets_one_sentence(tmp_path: Path, keep: int) -> None:
    whole = book(tmp_path / "a.xlsx", [["prompt"], ["a"]]).read_bytes()
    (tmp_path / "b.xlsx").write_bytes(whole[:keep])
    assert "is damaged or no Excel workbook" in refused(tmp_path / "b.xlsx")


def test_a_bit_flipped_anywhere_never_ends_the_program(tmp_path: Path) -> None:
    whole = bytearray(book(tmp_path / "a.xlsx", [["prompt"], ["a"]]).read_bytes())
    for at in range(0, len(whole), 37):
        broken = bytearray(whole)
        broken[at] ^= 0xFF
        (tmp_path / "b.xlsx").write_bytes(broken)
        try:
            rows(tmp_path / "b.xlsx")
        except OperatorError:
            continue


def test_an_empty_and_a_disguised_file(tmp_path: Path) -> None:
    (tmp_path / "zero.xlsx").write_bytes(b"")
    assert "is empty" in refused(tmp_path / "zero.xlsx")
    assert "is damaged" in refused(write(tmp_path / "text.xlsx", "id,prompt\n1,a\n"))
    html = write(tmp_path / "web.xls", "\n<html><table><tr><td>prompt</td></tr></table>")
    assert "is a web page with an Excel name" in refused(html)


def test_content_counts_not_the_name(tmp_path: Path) -> None:
    text = write(tmp_path / "erp.xls", "货号\t提示词\n001\t红\n", "gbk")
    assert cells(text) == [("001", "红")]
    renamed = book(tmp_path / "a.xlsx", [["prompt"], ["a"]]).rename(tmp_path / "a.csv")
    assert cells(renamed) == [("a",)]


def test_a_workbook_with_a_password_is_said(tmp_path: Path) -> None:
    # The container that Excel writes around an encrypted workbook, as far as it is told by.
    name = "EncryptedPackage".encode("utf-16-le")
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 1528 + name + b"\0" * 4096
    (tmp_path / "a.xlsx").write_bytes(data)
    assert "is protected by a password" in refused(tmp_path / "a.xlsx")


def test_a_damaged_old_workbook_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 4096)
    assert "is damaged" in refused(tmp_path / "a.xls")


def test_formats_hold_for_their_own_columns_wherever_a_table_begins(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(str(tmp_path / "a.xlsx")) as workbook:
        sheet = workbook.add_worksheet("S")
        article = workbook.add_format({"num_format": "00000"})
        sheet.write_row(3, 1, ["sku", "prompt", "size"])
        for y, number in ((4, 123), (5, 124), (7, 125)):
            sheet.write_number(y, 1, number, article)
            sheet.write_row(y, 2, ["hi", 7])
        sheet.set_row(5, options={"hidden": True})
    assert [(row.row_no, row.cells) for row in rows(tmp_path / "a.xlsx")] == [
        (5, ("00123", "hi", "7")),
        (8, ("00125", "hi", "7")),
    ]
