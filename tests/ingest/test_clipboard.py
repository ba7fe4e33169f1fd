from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.text import OperatorError
from desktop_app.ingest.clipboard import Table, pasted_table, write_pasted
from tests.ingest.sheets_for_test import cells, opened


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("id\tprompt\r\n1\ta, b\r\n", [["id", "prompt"], ["1", "a, b"]]),  # Excel
        ('1\t"two\nlines"\r\n2\tb\r\n', [["1", "two\nlines"], ["2", "b"]]),  # Excel, Alt+Enter
        ('1\t"two\r\nlines ""x"""\n2\tb', [["1", 'two\nlines "x"'], ["2", "b"]]),  # LibreOffice
        ('"hi" she said\tb\n"hi"\t5" wide', [['"hi" she said', "b"], ['"hi"', '5" wide']]),
        ('"""hi"""\tb', [['"hi"', "b"]]),  # Google Sheets
        ('"open\tb\nc', [['"open', "b"], ["c"]]),
        ("a\t\tb\n\nc\t", [["a", "", "b"], [""], ["c", ""]]),
        ("one line", [["one line"]]),
        ("", []),
    ],
)
def test_text_as_spreadsheets_put_it(text: str, table: Table) -> None:
    assert pasted_table(text, "") == table


def test_a_web_table_stands_in_where_the_text_has_no_columns() -> None:
    html = (
        "<html><style>td {}</style><table><tr><th>id<th>prompt</tr>"
        "<tr><td>1</td><td>two<br>lines &amp;\n more&nbsp;</td></tr>"
        "<tr><td colspan=2>wide</td></tr><tr><td><table><tr><td>x</td></tr></table></td></tr>"
        "</table><table><tr><td>other</td></tr></table>"
    )
    assert pasted_table("id prompt 1", html) == [
        ["id", "prompt"],
        ["1", "two\nlines & more"],
        ["wide", ""],
        ["x"],
    ]
    assert pasted_table("id\tprompt\n1\ta", html) == [["id", "prompt"], ["1", "a"]]
    assert pasted_table("", "<table><tr><td>a<tr><td>b") == [["a"], ["b"]]


def test_it_becomes_a_sheet(tmp_path: Path) -> None:
    path = tmp_path / "new" / "Pasted 1.csv"
    write_pasted('货号\t提示词\r\n00123\t"红\n蓝"\r\n', "", path)
    assert opened(path).columns == ("货号", "提示词")
    assert cells(path) == [("00123", "红\n蓝")]


def test_a_lone_column_without_a_name_gets_one(tmp_path: Path) -> None:
    write_pasted("a red shoe, white\r\na cat\r\n", "", tmp_path / "a.csv")
    assert opened(tmp_path / "a.csv").guess == {"prompt": "prompt"}
    assert cells(tmp_path / "a.csv") == [("a red shoe, white",), ("a cat",)]
    write_pasted("提示词\r\n红\r\n", "", tmp_path / "b.csv")
    assert cells(tmp_path / "b.csv") == [("红",)]


def test_nothing_to_paste_is_said(tmp_path: Path) -> None:
    for text, html in (("", ""), (" \t\n", ""), ("", "<p>x</p>")):
        with pytest.raises(OperatorError) as caught:
            write_pasted(text, html, tmp_path / "a.csv")
        assert caught.value.message.code == "ingest.nothing_pasted"
    (tmp_path / "file").write_text("")
    with pytest.raises(OperatorError) as caught:
        write_pasted("a", "", tmp_path / "file" / "a.csv")
    assert caught.value.message.code == "ingest.no_copy"


CELL = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\0"))


@given(st.lists(st.lists(CELL, min_size=2, max_size=4), min_size=1, max_size=5))
def test_any_table_comes_back_as_excel_puts_it(table: Table) -> None:
    def put(cell: str) -> str:
        quoted = any(mark in cell for mark in '"\t\n')
        return '"' + cell.replace('"', '""') + '"' if quoted else cell

    text = "".join("\t".join(map(put, row)) + "\r\n" for row in table)
    assert pasted_table(text, "") == table


@given(st.text(), st.text(st.sampled_from('<>/tabledrc "=spn0&;x')))
def test_whatever_is_on_the_clipboard_is_a_table(text: str, html: str) -> None:
    pasted_table(text, "<table>" + html)
