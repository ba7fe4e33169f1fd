from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.ports import SheetOptions
from desktop_app.domain.text import OperatorError, Translator
from desktop_app.ingest import text_file
from desktop_app.ingest.sheet import SheetReader
from desktop_app.ingest.text_file import LONGEST_CELL
from tests.helpers.examples import sharing_fixtures
from tests.ingest.sheets_for_test import as_csv, cells, opened, rows, write

PROMPTS = ["红色运动鞋,白色背景", "一只猫", 'size "M" 描述', "第一行\n第二行", "€ blue sneaker"]
SHEET = as_csv([["货号", "提示词"], *[[f"{i:05d}", p] for i, p in enumerate(PROMPTS)]])


def refused(path: Path, **options: str) -> str:
    with pytest.raises(OperatorError) as caught:
        rows(path, **options)
    return Translator().say(caught.value.message)


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"],
)
def test_s10_the_same_prompts_from_every_encoding(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path / "a.csv", SHEET, encoding)
    assert [row[1] for row in cells(path)] == PROMPTS
    assert opened(path).columns == ("货号", "提示词")
    assert opened(path).guess == {"prompt": "提示词", "key": "货号"}


def test_s10_gbk_as_wps_and_excel_save_it(tmp_path: Path) -> None:
    text = SHEET.replace("€ ", "")
    assert cells(write(tmp_path / "a.csv", text, "gbk"))[0] == ("00000", PROMPTS[0])
    assert opened(tmp_path / "a.csv").encoding == "gb18030"


def test_utf_16_with_its_mark_big_endian_and_tabs_as_excels_unicode_text(tmp_path: Path) -> None:
    text = as_csv([["id", "prompt"], ["1", "红, 蓝"]], "\t")
    (tmp_path / "a.txt").write_bytes(b"\xfe\xff" + text.encode("utf-16-be"))
    assert cells(tmp_path / "a.txt") == [("1", "红, 蓝")]


def test_western_text_is_not_taken_for_chinese(tmp_path: Path) -> None:
    text = "prompt,note\nUn café crème à la terrasse où l'été s'achève,déjà vu\n" * 4
    path = write(tmp_path / "a.csv", text, "cp1252")
    assert cells(path)[0][1] == "déjà vu"
    assert [w.code for w in opened(path).warnings] == ["ingest.encoding_doubt"]


def test_s11_cells_stay_as_they_are(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        'id,prompt,"b ""x"""\r\n00123,"""Foo""",1.0\r\n007,"tail\r",2\r\n8,"a\r\nb\nc", sp \r\n',
    )
    assert cells(path) == [
        ("00123", '"Foo"', "1.0"),
        ("007", "tail\r", "2"),
        ("8", "a\r\nb\nc", " sp "),
    ]
    assert opened(path).columns[2] == 'b "x"'


CELL = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))
TABLES = st.integers(2, 4).flatmap(
    lambda width: st.lists(
        st.lists(CELL, min_size=width, max_size=width).filter(
            lambda row: any(cell.strip() for cell in row)
        ),
        min_size=1,
        max_size=6,
    )
)


@given(TABLES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"]))
@sharing_fixtures()
def test_any_table_comes_back_exactly(tmp_path: Path, table: list[list[str]], codec: str) -> None:
    header = [f"column {n}" for n in range(len(table[0]))]
    path = write(tmp_path / "any.csv", as_csv([header, *table]), codec)
    found = cells(path, encoding=codec, delimiter=",")
    assert found == [tuple(row) for row in table]


@given(TABLES)
@sharing_fixtures()
def test_any_quoted_table_comes_back_with_nothing_told(
    tmp_path: Path, table: list[list[str]]
) -> None:
    header = [f"column {n}" for n in range(len(table[0]))]
    path = write(tmp_path / "any.csv", as_csv([header, *table], quoting=1), "utf-8-sig")
    assert cells(path) == [tuple(row) for row in table]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    table = [["id", "prompt", "size"], ["1", "a, b; c", "x"], ["2", "d|e", "y"]]
    assert cells(write(tmp_path / "a.csv", as_csv(table, delimiter, 1))) == [
        ("1", "a, b; c", "x"),
        ("2", "d|e", "y"),
    ]


def test_a_list_of_prompts_keeps_its_commas(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "prompt\na red shoe, white\na cat, a dog, a bird\n")
    assert cells(path) == [("a red shoe, white",), ("a cat, a dog, a bird",)]


def test_excels_separator_line_is_no_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "sep=;\r\nid;prompt\r\n1;a,b\r\n")
    assert [(row.row_no, row.cells) for row in rows(path)] == [(2, ("1", "a,b"))]


def test_row_numbers_are_excels(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'id,prompt\n1,"a\nb\nc"\n\n , \n2,d\n,,\n3,e')
    assert [(row.row_no, row.cells[0]) for row in rows(path)] == [(2, "1"), (5, "2"), (7, "3")]
    assert opened(path).rows == 3


def test_ragged_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,prompt,size\n1,red, blue,big\n2,short\n3,ok,s,,\n")
    long, short, trailing = rows(path, delimiter=",")
    assert Translator().say(long.problem) == (  # type: ignore[arg-type]
        "Row 2 has 4 cells but the header has 3 (left over: big); "
        "put quotation marks around text that holds a delimiter."
    )
    assert long.cells == ("1", "red", " blue")
    assert (short.cells, short.problem) == (("2", "short", ""), None)
    assert (trailing.cells, trailing.problem) == (("3", "ok", "s"), None)


def test_nul_bytes_spoil_their_row_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,prompt\n1,a\0b\n2,c\n")
    bad, good = rows(path)
    assert bad.problem is not None
    assert "Row 2 holds NUL" in Translator().say(bad.problem)
    assert "\0" not in bad.cells[1]
    assert (good.cells, good.problem) == (("2", "c"), None)


def test_a_nul_in_a_short_file_spoils_its_row_alone_too(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "prompt\na\0b\nc\n")
    assert [(row.row_no, row.problem is None) for row in rows(path)] == [(2, False), (3, True)]
    with pytest.raises(OperatorError) as caught:
        opened(write(tmp_path / "b.csv", "\0\1\2" * 12))
    assert caught.value.message.code == "ingest.not_text"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_of_another_encoding_spoil_their_row_alone(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "a.csv"
    good = "9,白色背景的红色运动鞋\n".encode() * 40
    path.write_bytes(mark + "id,提示词\n1,红\n2,".encode() + b"\xc0\xff,\n" + good)
    found = rows(path)
    assert [row.row_no for row in found if row.problem] == [3]
    assert "Row 3 holds bytes that are not utf-8" in Translator().say(found[1].problem)  # type: ignore[arg-type]
    found[1].cells[1].encode()
    assert found[-1].cells[1] == "白色背景的红色运动鞋"


def test_utf_16_cut_in_a_character_is_said_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("id,prompt\r\n1,a\r\n2,红".encode("utf-16")[:-1])
    assert refused(path).startswith("Row ")


def test_a_cell_of_5_megabytes_is_read(tmp_path: Path) -> None:
    big = "红" * 2_000_000
    path = write(tmp_path / "a.csv", f"id,prompt\n1,{big}\n2,b\n")
    assert cells(path) == [("1", big), ("2", "b")]


def test_a_cell_past_all_measure_is_refused_with_its_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", f'id,prompt\n1,a\n2,"{"x" * (LONGEST_CELL + 1)}"\n')
    assert refused(path).startswith("Row 3 has a cell of more than 16,000,000 characters")


def test_a_line_that_would_not_fit_in_memory_is_refused_with_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_file, "_LONGEST_LINE", 100_000)
    path = write(tmp_path / "a.csv", f"id,prompt\n1,a\n2,{'x,' * 1_000_000}\n")
    assert refused(path).startswith("Row 3 has a cell of more than")
    fits = write(tmp_path / "b.csv", "id,prompt\n" + f"1,{'x' * 300}\n" * 1_000)
    assert len(rows(fits)) == 1_000


def test_a_quotation_mark_left_open_swallows_no_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'id,prompt\n1,a\n2,"b\n3,c\n4,d\n')
    assert refused(path) == (
        "Row 3 opens a quotation mark that is never closed; close it and import again."
    )


def test_headers_are_made_unique(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "Name,,Name,Name (2),Name\na,b,c,d,e\n")
    assert opened(path).columns == ("Name", "Column 2", "Name (3)", "Name (2)", "Name (4)")


def test_empty_columns_at_the_end_are_none_unless_filled(tmp_path: Path) -> None:
    assert opened(write(tmp_path / "a.csv", "id,prompt,,\n1,a,,\n")).columns == ("id", "prompt")
    path = write(tmp_path / "b.csv", "id,prompt,,\n1,a,note,\n")
    assert opened(path).columns == ("id", "prompt", "Column 3")
    assert cells(path) == [("1", "a", "note")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("\ufeff", "is empty"),
        (" , \n\n", "is empty"),
        ("1,2\n3,4\n", "has no header"),
        ("x" * 400 + "\nb\n", "has no header"),
        ("id,prompt\n", "has a header but no rows"),
        ("id,prompt\n\n,\n", "has a header but no rows"),
        ("\x89PNG\r\n\x1a\n" + "\0\1\2\3" * 100, "not a text file"),
    ],
)
def test_unusable_text_gets_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    assert said in refused(write(tmp_path / "a.csv", text))


def test_a_first_row_that_may_be_data_is_pointed_out(tmp_path: Path) -> None:
    doubtful = opened(write(tmp_path / "a.csv", "a red shoe\na blue shoe\n"))
    assert [w.code for w in doubtful.warnings] == ["ingest.header_doubt"]
    assert doubtful.guess["prompt"] == "a red shoe"
    assert opened(write(tmp_path / "b.csv", "prompt\na blue shoe\n")).warnings == ()


def test_an_unknown_encoding_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", SHEET)
    for name in ("klingon", "hex"):
        assert f"no encoding {name}" in refused(path, encoding=name)


def test_the_original_may_vanish_after_opening(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", SHEET)
    reader = SheetReader()
    info = reader.open(path, tmp_path / "copies", SheetOptions())
    path.unlink()
    assert [row.cells[1] for row in reader.rows(info)] == PROMPTS
    info.copy.unlink()
    with pytest.raises(OperatorError):
        list(reader.rows(info))


def test_a_large_file_is_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with path.open("w") as file:
        file.write("id,prompt\n")
        file.writelines(f"{n},{'x' * 1000}\n" for n in range(20_000))
    reader = SheetReader()
    tracemalloc.start()
    try:
        info = reader.open(path, tmp_path / "copies", SheetOptions())
        assert sum(1 for _ in reader.rows(info)) == info.rows == 20_000
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()
