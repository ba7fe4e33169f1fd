"""Sheets that a real spreadsheet program wrote (see fixtures/README.md)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.ingest.fixtures.make import TEXTS
from tests.ingest.sheets_for_test import cells, opened, rows

HERE = Path(__file__).parent / "fixtures"

SHOWN = [
    (
        "红色运动鞋，白色背景",
        "00123",
        "1,299.00",
        "12.5%",
        "2026/11/30",
        "2026年11月30日 14:05",
        "9:05 AM",
        "2598.0",
        "3",
        "¥88.50",
        " two  spaces ",
    ),
    (
        "hidden: not to be seen",
        "00007",
        "0.50",
        "100.0%",
        "2026/1/2",
        "2026年1月2日 03:04",
        "11:59 PM",
        "1.0",
        "0.3",
        "-¥1,234.50",
        "x",
    ),
    (
        "line one\nline two",
        "45678",
        "1,234,567.89",
        "0.5%",
        "2026/2/3",
        "2026年2月3日 00:00",
        "12:00 AM",
        "2469135.8",
        "1E-07",
        "¥0.00",
        'say "hi"',
    ),
]


def fixture(tmp_path: Path, name: str) -> Path:
    return Path(shutil.copy(HERE / name, tmp_path / name))


@pytest.mark.parametrize(
    ("name", "encoding", "sure"),
    [
        ("chinese-utf8", "utf-8", True),
        ("chinese-gb18030", "gb18030", True),
        ("chinese-utf16", "utf-16", True),
        ("taiwan-big5", "big5", False),
        ("japanese-shiftjis", "cp932", False),
        ("western-windows1252", "cp1252", False),
    ],
)
def test_text_in_every_encoding_comes_in_exactly(
    tmp_path: Path, name: str, encoding: str, sure: bool
) -> None:
    path = fixture(tmp_path, f"{name}.csv")
    header, *table = TEXTS[name.partition("-")[0]]
    info = opened(path)
    assert (info.encoding, info.columns, info.delimiter) == (encoding, tuple(header), ",")
    assert [w.code for w in info.warnings] == ([] if sure else ["ingest.encoding_doubt"])
    assert cells(path) == [tuple(row) for row in table]


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_values_are_as_shown_and_hidden_rows_are_left_out_or_taken(
    tmp_path: Path, kind: str
) -> None:
    path = fixture(tmp_path, f"shown.{kind}")
    expected = [
        tuple("0.0000001" if kind == "ods" and cell == "1E-07" else cell for cell in row)
        for row in SHOWN
    ]
    info = opened(path)
    assert (info.rows, info.hidden_rows, info.with_hidden) == (2, 1, False)
    assert [w.code for w in info.warnings] == ["ingest.hidden_left"]
    assert [row.row_no for row in rows(path)] == [2, 4]
    assert cells(path) == [expected[0], expected[2]]
    whole = opened(path, hidden=True)
    assert (whole.rows, whole.hidden_rows, whole.with_hidden) == (3, 1, True)
    assert [w.code for w in whole.warnings] == ["ingest.hidden_taken"]
    assert whole.sha256 != info.sha256
    assert cells(path, hidden=True) == expected
    assert opened(path).worksheets == ("提示词", "Second")
    assert cells(path, worksheet="Second") == [("from the second sheet",)]


def test_an_old_workbook_has_its_values_plainly_and_says_so(tmp_path: Path) -> None:
    path = fixture(tmp_path, "shown.xls")
    info = opened(path)
    assert (info.rows, info.hidden_rows) == (3, 0)
    assert [w.code for w in info.warnings] == ["ingest.plain_values"]
    first = cells(path)[0]
    assert first[:8] == (
        "红色运动鞋，白色背景",
        "123",
        "1299",
        "0.125",
        "2026-11-30",
        "2026-11-30 14:05:06",
        "09:05:00",
        "2598",
    )
