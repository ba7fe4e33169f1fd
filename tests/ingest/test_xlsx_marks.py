from __future__ import annotations

import zipfile
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter

from desktop_app.ingest.xlsx_marks import marks_of
from tests.ingest.sheets_for_test import cells, opened, rows


def test_rows_hidden_by_a_filter_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        for y, text in enumerate(("prompt", "a", "b", "c")):
            sheet.write(y, 0, text)
        sheet.autofilter(0, 0, 3, 0)
        sheet.filter_column(0, "x != b")
        sheet.set_row(2, options={"hidden": True})
        sheet.set_row(7, options={"hidden": True})  # nothing is in it
    assert [(row.row_no, row.cells) for row in rows(path)] == [(2, ("a",)), (4, ("c",))]
    assert opened(path).hidden_rows == 1
    assert cells(path, hidden=True) == [("a",), ("b",), ("c",)]


def test_formulas_that_nobody_calculated_are_said(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["prompt", "n"])
    book.active.append(["a", "=1+1"])
    book.save(tmp_path / "a.xlsx")
    assert [w.code for w in opened(tmp_path / "a.xlsx").warnings] == ["ingest.uncalculated"]
    with xlsxwriter.Workbook(str(tmp_path / "b.xlsx")) as calculated:
        sheet = calculated.add_worksheet()
        sheet.write_row(0, 0, ["prompt", "n"])
        sheet.write_formula(1, 0, '="a"', None, "a")
        sheet.write_formula(1, 1, "=1/4", calculated.add_format({"num_format": "0%"}), 0.25)
    assert opened(tmp_path / "b.xlsx").warnings == ()
    assert cells(tmp_path / "b.xlsx") == [("a", "25%")]


def test_a_number_format_says_nothing_of_texts_and_of_truth(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(str(tmp_path / "a.xlsx")) as book:
        sheet = book.add_worksheet()
        style = book.add_format({"num_format": "000.0"})
        sheet.write_row(0, 0, ["prompt", "b", "c"])
        sheet.write_string(1, 0, "1", style)
        sheet.write_boolean(1, 1, True, style)
        sheet.write_number(1, 2, 1, style)
    assert cells(tmp_path / "a.xlsx") == [("1", "TRUE", "001.0")]


def _rewritten(path: Path, part: str, old: bytes, new: bytes) -> Path:
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    assert old in parts[part]
    parts[part] = parts[part].replace(old, new)
    with zipfile.ZipFile(path, "w") as book:
        for name, data in parts.items():
            book.writestr(name, data)
    return path


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        style = book.add_format({"num_format": "000"})
        sheet.write_row(0, 0, ["prompt", "n"])
        for y in (1, 2):
            sheet.write_row(y, 0, ["a", y], style)
    return path


def test_places_that_are_not_written_are_counted(book: Path) -> None:
    part = "xl/worksheets/sheet1.xml"
    for place in (b' r="A2"', b' r="B2"'):
        _rewritten(book, part, place, b"")
    assert cells(book) == [("a", "001"), ("a", "002")]


@pytest.mark.parametrize("part", ["xl/styles.xml", "xl/_rels/workbook.xml.rels"])
def test_what_cannot_be_understood_is_shown_plainly(book: Path, part: str) -> None:
    _rewritten(book, part, b"<", b"< ")
    assert marks_of(book, "Sheet1") is None


def test_entities_are_not_obeyed(book: Path) -> None:
    bomb = (
        b'<!DOCTYPE x [<!ENTITY a "'
        + b"x" * 1000
        + b'">'
        + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 100) for n in range(6))
    )
    _rewritten(book, "xl/styles.xml", b"<styleSheet", bomb + b"]><styleSheet")
    _rewritten(book, "xl/styles.xml", b"<fonts", b"<note>&g;</note><fonts")
    assert marks_of(book, "Sheet1") is None


@pytest.mark.parametrize(("written", "shown"), [(b"1e999", "INF"), (b"NaN", "NAN")])
def test_what_is_no_number_is_shown_plainly(tmp_path: Path, written: bytes, shown: str) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["prompt", "n"])
        sheet.write_string(1, 0, "a")
        sheet.write_number(1, 1, 77777, workbook.add_format({"num_format": "0.00"}))
    _rewritten(path, "xl/worksheets/sheet1.xml", b"77777", written)
    assert cells(path) == [("a", shown)]
