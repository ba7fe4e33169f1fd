from __future__ import annotations

import zipfile
from pathlib import Path

import openpyxl
import pytest

from desktop_app.ingest.own_sheet import HEAD_BYTES, may_hold

WORD = "task_id"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "utf-16", "utf-16-be"])
def test_a_word_in_the_head_of_a_text_is_seen(tmp_path: Path, encoding: str) -> None:
    sheet = tmp_path / "a.csv"
    sheet.write_text("提示词,task_id\na,b\n", encoding)
    assert may_hold(sheet, WORD)
    sheet.write_text("提示词,id\na,b\n", encoding)
    assert not may_hold(sheet, WORD)


def test_it_is_not_looked_for_in_the_whole_of_a_large_file(tmp_path: Path) -> None:
    sheet = tmp_path / "a.csv"
    sheet.write_text("prompt\n" + "x" * HEAD_BYTES + "task_id\n")
    assert not may_hold(sheet, WORD)


def test_a_workbook_is_looked_into(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    table = book.active
    assert table is not None
    table.append(["prompt", "task_id"])
    book.save(tmp_path / "a.xlsx")
    assert may_hold(tmp_path / "a.xlsx", WORD)
    table["B1"] = "other"
    book.save(tmp_path / "b.xlsx")
    assert not may_hold(tmp_path / "b.xlsx", WORD)


def test_what_cannot_be_read_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04 no archive")
    (tmp_path / "b.csv").write_bytes(b"")
    for name in ("a.xlsx", "b.csv", "nothing.csv", "."):
        assert not may_hold(tmp_path / name, WORD)


@pytest.mark.parametrize("broken", [b"\xff" * 8, b"\x00"])
def test_a_damaged_workbook_holds_nothing(tmp_path: Path, broken: bytes) -> None:
    path, part = tmp_path / "a.xlsx", "xl/worksheets/sheet1.xml"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr(part, "<c>task_id</c>" * 500)
    data = bytearray(path.read_bytes())
    begin = 30 + len(part)
    data[begin : begin + len(broken)] = broken
    path.write_bytes(data)
    assert not may_hold(path, WORD)
