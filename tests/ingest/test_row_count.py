from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.ports import SheetOptions
from desktop_app.domain.text import OperatorError
from desktop_app.ingest import row_blocks
from desktop_app.ingest.row_count import count_rows
from desktop_app.ingest.sheet import SheetReader
from desktop_app.ingest.table import Survey, is_blank, survey
from tests.helpers.csv_by_cell import records_by_cell
from tests.helpers.examples import sharing_fixtures

_CELLS = ["a", "你", "\u3000", "\0", "\x0b", "  ", "\ufeff", '"', '""', 'x"y', '"a"', '"a ""b"" c"']
_ENDS = [",", ",,", "\n", "\r\n", "\r", '"a\nb"', '" "', '"",', '"\n', '"x"\r\n', '\n"", ""\n']
_PIECES = [*_CELLS, *_ENDS, "\udcff", "sep=;\n"]


def _write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding, "surrogateescape"))
    return path


@sharing_fixtures(400)
@given(
    text=st.lists(st.sampled_from(_PIECES), max_size=40).map("".join),
    encoding=st.sampled_from(["utf-8", "utf-8-sig"]),
    delimiter=st.sampled_from([",", ";", "|", "\t", "^"]),
    quoting=st.booleans(),
    read=st.sampled_from([7, 64, 1 << 16]),
)
def test_it_counts_what_reading_the_cells_counts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    encoding: str,
    delimiter: str,
    quoting: bool,
    read: int,
) -> None:
    monkeypatch.setattr(row_blocks, "_READ", read)
    path = _write(tmp_path / "a.csv", text.replace(",", delimiter), encoding)
    found = count_rows(path, encoding, delimiter, quoting=quoting)
    try:
        records = records_by_cell(path, encoding, delimiter, quoting=quoting)
    except OperatorError:  # a quotation mark was left open
        assert found is None
        return
    assert found in (None, sum(not is_blank(cells) for _, cells in records))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", 0),
        ("a,b", 1),
        ("a,b\r\n1,2\r\n", 2),
        ("\ufeffa,b\n\n1,2\n , \n\u3000,\n", 2),
        ('a,b\n"one\ntwo, ""three""",2\n"","x"\n"",\n" "," "\n', 3),
        ("a,b\r1,2\r\r3,4", 3),
        ("a,b\n\0,\n", 2),
        ("你,好\n你,\n", 2),
    ],
)
def test_blank_rows_and_line_ends_within_cells_are_no_rows(
    tmp_path: Path, text: str, rows: int
) -> None:
    path = _write(tmp_path / "a.csv", text)
    assert count_rows(path, "utf-8", ",", quoting=True) == rows


def test_without_quoting_a_quotation_mark_is_a_character(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", 'a\n"\n"b\n')
    assert count_rows(path, "utf-8", ",", quoting=False) == 3
    assert count_rows(path, "utf-8", ",", quoting=True) is None


@pytest.mark.parametrize(
    ("text", "encoding", "delimiter"),
    [
        ('a,b\n5" pipe,6" pipe\n', "utf-8", ","),
        ('a,b\n"open,2\n', "utf-8", ","),
        ('a,b\n"x"y,2\n', "utf-8", ","),
        ("sep=,\na,b\n", "utf-8", ","),
        ("a,b\n1,2\n", "utf-16", ","),
        ("a|b\n1|2\n", "gb18030", "|"),
        ("a§b\n1§2\n", "utf-8", "§"),
    ],
)
def test_what_only_a_reader_of_cells_can_tell_is_left_to_it(
    tmp_path: Path, text: str, encoding: str, delimiter: str
) -> None:
    path = _write(tmp_path / "a.csv", text, encoding)
    assert count_rows(path, encoding, delimiter, quoting=True) is None


def test_a_huge_row_is_left_to_a_reader_of_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_blocks, "_READ", 16)
    monkeypatch.setattr(row_blocks, "_LONGEST", 64)
    path = _write(tmp_path / "a.csv", f"a\n{'x' * 40}\n")
    assert count_rows(path, "utf-8", ",", quoting=True) == 2
    for cell in ("x" * 200, '"' + "x\n" * 100 + '"'):
        path = _write(tmp_path / "a.csv", f"a\n{cell}\n")
        assert count_rows(path, "utf-8", ",", quoting=True) is None


def _header_alone(header: list[str]) -> Iterator[tuple[int, list[str]]]:
    yield 1, header
    raise AssertionError("a row was read")


def test_counted_rows_are_not_read() -> None:
    found = survey(_header_alone(["a", "b"]), "a.csv", lambda: 1_000_001)
    assert found == Survey(("a", "b"), 1_000_000)


def test_rows_are_read_where_the_header_leaves_columns_open() -> None:
    records = iter([(1, ["a", "b", ""]), (2, ["1", "2", "3"])])
    assert survey(records, "a.csv", lambda: 2) == Survey(("a", "b", "Column 3"), 1)


def test_a_header_alone_is_said_where_rows_were_counted(tmp_path: Path) -> None:
    with pytest.raises(OperatorError) as caught:
        SheetReader().open(
            _write(tmp_path / "a.csv", "a,b\n , \n"), tmp_path / "copies", SheetOptions()
        )
    assert caught.value.message.code == "ingest.no_rows"
