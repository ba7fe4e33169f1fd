"""What the operator may choose about the reading of a sheet, and what that makes of it."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from desktop_app.domain.text import OperatorError
from tests.ingest.sheets_for_test import cells, opened, rows, write


def test_a_sheet_without_a_header_keeps_its_first_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "\n1,a red shoe\n2,a cat,x\n")
    info = opened(path, header=False)
    assert (info.columns, info.rows, info.warnings) == (("Column 1", "Column 2", "Column 3"), 2, ())
    assert [(row.row_no, row.cells) for row in rows(path, header=False)] == [
        (2, ("1", "a red shoe", "")),
        (3, ("2", "a cat", "x")),
    ]
    single = write(tmp_path / "b.csv", "a red shoe\na cat\n")
    assert opened(single, header=False).columns == ("prompt",)
    assert cells(single, header=False) == [("a red shoe",), ("a cat",)]


def test_a_workbook_without_a_header_keeps_its_first_row(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["a red shoe"])
    book.active.append(["a cat"])
    book.save(tmp_path / "a.xlsx")
    assert cells(tmp_path / "a.xlsx", header=False) == [("a red shoe",), ("a cat",)]


@pytest.mark.parametrize(
    ("text", "quoting", "found"),
    [
        ('id,prompt\n1,"a, b"\n', True, [("1", "a, b")]),
        ('id,prompt\n1,"Hi" he said\n2,c\n', False, [("1", '"Hi" he said'), ("2", "c")]),
        ('prompt\n"two\nlines"\n"x" y\n', True, [("two\nlines",), ("x y",)]),
        ('id,prompt\n1,5" wide\n', True, [("1", '5" wide')]),
    ],
)
def test_quoting_is_found(
    tmp_path: Path, text: str, quoting: bool, found: list[tuple[str, ...]]
) -> None:
    path = write(tmp_path / "a.csv", text)
    assert (opened(path).quoting, cells(path)) == (quoting, found)


def test_quoting_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'id,prompt\n1,"a\n2,"b"\n')
    assert cells(path, quoting=False) == [("1", '"a'), ("2", '"b"')]
    assert opened(path, quoting=False).delimiter == ","


def test_the_same_bytes_read_otherwise_are_another_sheet(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for name in ("one", "two"):
        sheet = book.create_sheet(name)
        sheet.append(["prompt"])
        sheet.append([name])
    book.save(tmp_path / "a.xlsx")
    found = opened(tmp_path / "a.xlsx")
    assert found.worksheet == "one"
    assert opened(tmp_path / "a.xlsx", worksheet="one").sha256 == found.sha256
    assert opened(tmp_path / "a.xlsx", worksheet="two").sha256 != found.sha256
    text = write(tmp_path / "a.csv", "id,prompt\n1,a;b\n")
    plain = opened(text).sha256
    same = opened(text, encoding="UTF8", delimiter=",", quoting=True, header=True)
    assert same.sha256 == plain
    for other in ({"encoding": "big5"}, {"delimiter": ";"}, {"header": False}, {"quoting": False}):
        assert opened(text, **other).sha256 != plain


def test_an_unreadable_guess_does_not_stand_in_the_way_of_a_choice(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("prompt\n白色背景\n".encode("utf-16-le")[:-1])
    assert opened(path, encoding="cp437").rows


def test_a_cover_is_passed_over(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Autumn campaign"])
    for name in ("empty", "prompts", "more"):
        sheet = book.create_sheet(name)
        if name != "empty":
            sheet.append(["prompt"])
            sheet.append([name])
    book.save(tmp_path / "a.xlsx")
    found = opened(tmp_path / "a.xlsx")
    assert (found.worksheet, found.worksheets) == ("prompts", ("Sheet", "empty", "prompts", "more"))
    assert cells(tmp_path / "a.xlsx") == [("prompts",)]
    assert opened(tmp_path / "a.xlsx", worksheet="prompts").sha256 == found.sha256
    assert opened(tmp_path / "a.xlsx", worksheet="more").sha256 != found.sha256
    with pytest.raises(OperatorError) as caught:
        opened(tmp_path / "a.xlsx", worksheet="Sheet")
    assert caught.value.message.code == "ingest.no_rows"
