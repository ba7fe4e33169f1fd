from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.text import Message, OperatorError
from desktop_app.ingest import row_blocks
from desktop_app.ingest.csv_sheet import TextSheet
from desktop_app.ingest.row_blocks import RowBlocks
from tests.helpers.csv_by_cell import records_by_cell
from tests.helpers.examples import sharing_fixtures

Records = list[tuple[int, list[str]]]

_WELL_FORMED = ['"a"', '"x,""y"', "b", ",", ",", "\n", "\r\n", '"a\nb"', '""', '"""', '"你"', " "]
_ODD = [
    '"', 'x"y', "\r", "\0", "\x0b", "\x85", "\u2028", "\ufeff", "\udcff", "sep=;\n", "\u3000",
    '"",', '" ""a,b""', '\n"", ""\n', '"a ""b"" c"',
]  # fmt: skip
_TEXTS = st.one_of(
    st.lists(st.sampled_from(_WELL_FORMED), max_size=40).map("".join),
    st.lists(st.sampled_from([*_WELL_FORMED, *_ODD]), max_size=40).map("".join),
)


def _write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


@sharing_fixtures(600)
@given(
    text=_TEXTS,
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "ascii", "cp1252"]),
    delimiter=st.sampled_from([",", ";", "|", "\t", "^"]),
    quoting=st.booleans(),
    read=st.sampled_from([7, 64, 1 << 16]),
    longest=st.sampled_from([20, 1 << 20]),
)
def test_rows_are_what_a_reader_of_cells_makes_of_them(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    encoding: str,
    delimiter: str,
    quoting: bool,
    read: int,
    longest: int,
) -> None:
    monkeypatch.setattr(row_blocks, "_READ", read)
    monkeypatch.setattr(row_blocks, "_LONGEST", longest)
    path = _write(tmp_path / "a.csv", text.replace(",", delimiter))
    sheet = TextSheet(path, encoding, delimiter, quoting=quoting)
    by_cell = partial(records_by_cell, path, encoding, delimiter, quoting=quoting)
    assert _outcome(by_cell) == _outcome(lambda: list(sheet.records()))


def _outcome(read: Callable[[], Records]) -> Records | Message:
    try:
        return read()
    except OperatorError as error:
        return error.message


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", []),
        ("\ufeff", []),
        ("\n", [[]]),
        ("a,b", [["a", "b"]]),
        ("a,b\r", [["a", "b"]]),
        ("a\n\r\n,\n", [["a"], [], ["", ""]]),
        ('"a\r\nb",c\n"","d"\n', [["a\r\nb", "c"], ["", "d"]]),
        ('"""a"",",b\n""\n', [['"a",', "b"], [""]]),
        ("a\x0bb\u2028c,d\re", [["a\x0bb\u2028c", "d"], ["e"]]),
        ('x,"y"', [["x", "y"]]),
    ],
)
def test_rows_with_marks_around_whole_cells_are_parted_together(
    tmp_path: Path, text: str, rows: list[list[str]]
) -> None:
    blocks = RowBlocks(_write(tmp_path / "a.csv", text), "utf-8", ",", quoting=True)
    assert [cells for block in blocks for cells in block.rows] == rows
    assert blocks.left_at is None


def test_a_mark_within_a_cell_leaves_what_follows_to_a_reader_of_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_blocks, "_READ", 8)
    path = _write(tmp_path / "a.csv", 'a,b\n1,2\n5" pipe,3\n4,5\n')
    blocks = RowBlocks(path, "utf-8", ",", quoting=True)
    assert [block.rows for block in blocks] == [[["a", "b"], ["1", "2"]]]
    assert blocks.left_at == 8
    assert list(TextSheet(path, "utf-8", ",", quoting=True).records())[2:] == [
        (3, ['5" pipe', "3"]),
        (4, ["4", "5"]),
    ]


def test_a_mark_of_the_encoding_is_one_at_the_beginning_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_blocks, "_READ", 8)
    path = _write(tmp_path / "a.csv", '\ufeffa,b\n\ufeff5" pipe\n')
    sheet = TextSheet(path, "utf-8-sig", ",", quoting=True)
    assert list(sheet.records()) == [(1, ["a", "b"]), (2, ['\ufeff5" pipe'])]


def test_only_what_is_asked_for_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_blocks, "_READ", 16)
    path = _write(tmp_path / "a.csv", "a,b\n1,2\n" * 100)
    blocks = iter(RowBlocks(path, "utf-8", ",", quoting=True))
    first = next(blocks)
    assert len(first.rows) == 4
    path.write_bytes(b"")
    assert [cells for block in blocks for cells in block.rows] == []
