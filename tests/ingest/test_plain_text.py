from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.domain.ports import WHOLE_LINES
from desktop_app.domain.text import OperatorError, Translator
from tests.ingest.sheets_for_test import cells, opened, rows, write

PROMPTS = ["a red shoe, white", '"Hello", she said', "一只猫; 一只狗", " sp ", "it's\t5\" wide"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_each_line_is_one_prompt_exactly(tmp_path: Path, end: str, encoding: str) -> None:
    path = write(tmp_path / "a.txt", end.join(PROMPTS), encoding)
    info = opened(path)
    assert (info.columns, info.rows, info.header) == (("prompt",), 5, False)
    assert (info.delimiter, info.guess) == (WHOLE_LINES, {"prompt": "prompt"})
    assert [row[0] for row in cells(path)] == PROMPTS
    assert [w.code for w in info.warnings] == ["ingest.one_a_line"]


def test_blank_lines_are_none_but_count(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "\na\n \nb\n")
    assert [(row.row_no, row.cells) for row in rows(path)] == [(2, ("a",)), (4, ("b",))]


@pytest.mark.parametrize("name", ["prompt", "Prompts:", "提示词", "商品提示词", "image prompt"])
def test_a_name_for_prompts_in_the_first_line_is_none(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "a.txt", f"{name}\na, b\nc, d\n")
    assert opened(path).columns == (name,)
    assert [(row.row_no, row.cells) for row in rows(path)] == [(2, ("a, b",)), (3, ("c, d",))]
    assert cells(path, header=False) == [(name,), ("a, b",), ("c, d",)]


@pytest.mark.parametrize(
    ("text", "columns", "first"),
    [
        ("id\tprompt\n1\ta, b\n2\tc\n", ("id", "prompt"), ("1", "a, b")),
        ('编号,提示词\n1,"红, 蓝"\n2,绿\n', ("编号", "提示词"), ("1", "红, 蓝")),
        ("sep=;\nid;prompt\n1;2\n", ("id", "prompt"), ("1", "2")),
        ('prompt\n"two\nlines"\n', ("prompt",), ("two\nlines",)),
    ],
)
def test_a_text_that_is_clearly_a_table_is_one(
    tmp_path: Path, text: str, columns: tuple[str, ...], first: tuple[str, ...]
) -> None:
    path = write(tmp_path / "a.txt", text)
    info = opened(path)
    assert (info.columns, info.header, info.warnings) == (columns, True, ())
    assert cells(path)[0] == first


@pytest.mark.parametrize(
    "text",
    [
        "a shoe, red\na cat, grey\n",  # no name among what a delimiter parts
        "text, photo, cat\nb\nc, d\n",  # rows that disagree
        "a prompt for you, dear\nb, c\n",
    ],
)
def test_what_only_looks_like_a_table_stays_a_list(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.txt", text)
    assert [row[0] for row in cells(path)] == text.splitlines()


def test_the_rule_can_be_overruled(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "shoe, red\ncat, grey\n")
    assert cells(path, delimiter=",") == [("cat", " grey")]
    assert cells(path, delimiter=",", header=False) == [("shoe", " red"), ("cat", " grey")]
    assert opened(path, delimiter=",", header=False).columns == ("Column 1", "Column 2")
    table = write(tmp_path / "b.csv", "id,prompt\n1,a\n")
    assert cells(table, delimiter=WHOLE_LINES) == [("id,prompt",), ("1,a",)]


def test_an_empty_list_is_said(tmp_path: Path) -> None:
    for text, code in (("\n \n", "ingest.empty_lines"), ("prompt\n", "ingest.no_rows")):
        with pytest.raises(OperatorError) as caught:
            rows(write(tmp_path / "a.txt", text))
        assert caught.value.message.code == code
        assert "is empty" in Translator().say(caught.value.message) or code == "ingest.no_rows"


def test_a_line_with_bytes_of_another_encoding_spoils_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("红色运动鞋\n".encode() * 20 + b"a\xff\n" + b"b\0\n")
    assert [row.row_no for row in rows(path) if row.problem] == [21, 22]
