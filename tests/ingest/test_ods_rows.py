from __future__ import annotations

import gc
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from desktop_app.domain.text import OperatorError
from desktop_app.ingest.ods_rows import ods_rows
from tests.ingest.sheets_for_test import opened

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?><office:document-content '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2">'
    '<office:body><office:spreadsheet><table:table table:name="S">'
)
TAIL = "</table:table></office:spreadsheet></office:body></office:document-content>"


def sheet(path: Path, body: str) -> Path:
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr("content.xml", HEAD + body + TAIL)
        book.writestr(
            "META-INF/manifest.xml",
            "<manifest:manifest "
            'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            '<manifest:file-entry manifest:full-path="/" '
            'manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/>'
            "</manifest:manifest>",
        )
    return path


def cell(text: str, more: str = "") -> str:
    return f'<table:table-cell office:value-type="string"{more}>{text}</table:table-cell>'


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row{more}>{''.join(cells)}</table:table-row>"


def test_rows_groups_repetitions_and_what_is_hidden(tmp_path: Path) -> None:
    blank = '<table:table-cell table:number-columns-repeated="16000"/>'
    path = sheet(
        tmp_path / "a.ods",
        "<table:table-header-rows>"
        + row(cell("<text:p>prompt</text:p>"), blank)
        + "</table:table-header-rows>"
        + row(blank, more=' table:number-rows-repeated="2"')
        + "<table:table-row-group>"
        + row(
            cell("<text:p>a</text:p>", ' table:number-columns-repeated="2"'),
            '<table:table-cell table:number-columns-repeated="2"/>',
            cell("<text:p>b</text:p>"),
            blank,
            more=' table:number-rows-repeated="2"',
        )
        + "</table:table-row-group>"
        + row(cell("<text:p>c</text:p>"), more=' table:visibility="filter"')
        + row(blank, more=' table:number-rows-repeated="1048570"'),
    )
    assert list(ods_rows(path, "a.ods", "S")) == [
        (1, False, ["prompt"]),
        (2, False, []),
        (3, False, []),
        (4, False, ["a", "a", "", "", "b"]),
        (5, False, ["a", "a", "", "", "b"]),
        (6, True, ["c"]),
    ]
    assert (opened(path).rows, opened(path).hidden_rows) == (2, 1)


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("<text:p>one</text:p><text:p>two</text:p>", "one\ntwo"),
        ("<text:p>a<text:s text:c='3'/>b<text:tab/>c<text:line-break/>d</text:p>", "a   b\tc\nd"),
        ("<text:p>a <text:span>bold</text:span> <text:a>link</text:a></text:p>", "a bold link"),
        ("<text:p>a\n   b</text:p>", "a b"),
        ("<office:annotation><text:p>note</text:p></office:annotation><text:p>x</text:p>", "x"),
        ("<text:p>x<office:annotation><text:p>n</text:p></office:annotation>y</text:p>", "xy"),
    ],
)
def test_text_is_as_shown(tmp_path: Path, content: str, shown: str) -> None:
    path = sheet(tmp_path / "a.ods", row(cell(content)))
    assert list(ods_rows(path, "a.ods", "S")) == [(1, False, [shown])]


def test_a_value_without_text_is_its_value(tmp_path: Path) -> None:
    number = '<table:table-cell office:value-type="float" office:value="1.5"/>'
    path = sheet(tmp_path / "a.ods", row(number))
    assert list(ods_rows(path, "a.ods", "S")) == [(1, False, ["1.5"])]


def test_a_damaged_sheet_gets_one_sentence(tmp_path: Path) -> None:
    path = sheet(tmp_path / "a.ods", row(cell("<text:p>a</text:p>")) + "<broken")
    with pytest.raises(OperatorError) as caught:
        list(ods_rows(path, "a.ods", "S"))
    assert caught.value.message.code == "ingest.damaged"


def test_rows_behind_a_group_are_not_kept(tmp_path: Path) -> None:
    grouped = f"<table:table-row-group>{row(cell('<text:p>a</text:p>'))}</table:table-row-group>"
    path = sheet(tmp_path / "a.ods", grouped + row(cell("<text:p>b</text:p>")) * 10_000)
    rows = ods_rows(path, "a.ods", "S")
    for _ in range(9_000):
        next(rows)
    held = sum(isinstance(found, ElementTree.Element) for found in gc.get_objects())
    assert held < 9_000
    assert sum(1 for _ in rows) == 1_001
