"""OpenDocument sheets: they hold every cell's text as it is shown, which is what is wanted."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

# Expat refuses entities that grow without end; nothing else of a document is obeyed.
from xml.etree import ElementTree

from desktop_app.domain.text import OperatorError, message

_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"

_KIND = b"application/vnd.oasis.opendocument.spreadsheet"
_CELLS = frozenset({f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"})
_VALUES = tuple(
    f"{_OFFICE}{name}"
    for name in ("string-value", "value", "date-value", "time-value", "boolean-value")
)
_HOLDERS = frozenset(
    f"{_TABLE}{name}" for name in ("table", "table-rows", "table-row-group", "table-header-rows")
)
_HIDDEN = frozenset({"collapse", "filter"})
_SPACE = re.compile(r"[ \t\r\n]+")
_MOST_COLUMNS = 16_384
_MOST_ROWS = 1_048_576
_TROUBLE = (zipfile.BadZipFile, zlib.error, ElementTree.ParseError, KeyError, EOFError, ValueError)


def is_ods(path: Path) -> bool:
    """By what the file says of itself."""
    try:
        with zipfile.ZipFile(path) as book:
            return book.read("mimetype").startswith(_KIND)
    except (*_TROUBLE, NotImplementedError, RuntimeError, OSError):
        return False


def ods_rows(path: Path, name: str, worksheet: str) -> Iterator[tuple[int, bool, list[str]]]:
    """(Row number, whether it is hidden, cells), blank rows at the end left out. ``name`` is for
    sentences. Raises OperatorError."""
    try:
        yield from _rows(path, worksheet)
    except (*_TROUBLE, NotImplementedError, RuntimeError) as error:
        raise OperatorError(message("ingest.damaged", file=name)) from error


def _rows(path: Path, worksheet: str) -> Iterator[tuple[int, bool, list[str]]]:
    row_no = 0
    inside = False
    blank = 0
    holders: list[ElementTree.Element] = []
    with zipfile.ZipFile(path) as book, book.open("content.xml") as file:
        for event, element in ElementTree.iterparse(file, ("start", "end")):  # noqa: S314
            if event == "start":
                if element.tag in _HOLDERS:
                    holders.append(element)
                if element.tag == f"{_TABLE}table":
                    inside = element.get(f"{_TABLE}name") == worksheet
                continue
            if element.tag == f"{_TABLE}table" and inside:
                return
            if element.tag in _HOLDERS:
                holders.pop()
            if element.tag != f"{_TABLE}table-row":
                continue
            if inside:
                times = _count(element, "rows", _MOST_ROWS - row_no - blank)
                cells = _cells(element)
                if not cells:
                    blank += times
                else:
                    hidden = element.get(f"{_TABLE}visibility") in _HIDDEN
                    for _ in range(blank):
                        row_no += 1
                        yield row_no, False, []
                    blank = 0
                    for _ in range(times):
                        row_no += 1
                        yield row_no, hidden, list(cells)
            if holders:
                holders[-1].clear()  # there may be a million rows


def _cells(row: ElementTree.Element) -> list[str]:
    cells: list[str] = []
    blank = 0
    for cell in row:
        if cell.tag not in _CELLS:
            continue
        times = _count(cell, "columns", _MOST_COLUMNS - len(cells) - blank)
        text = _text(cell)
        if text:
            cells += [""] * blank + [text] * times
            blank = 0
        else:
            blank += times
    return cells


def _count(element: ElementTree.Element, what: str, most: int) -> int:
    return max(0, min(int(element.get(f"{_TABLE}number-{what}-repeated", "1")), most))


def _text(cell: ElementTree.Element) -> str:
    lines = [_line(part) for part in cell if part.tag == f"{_TEXT}p"]
    if lines:
        return "\n".join(lines)
    return next((cell.attrib[name] for name in _VALUES if name in cell.attrib), "")


def _line(part: ElementTree.Element) -> str:
    text = _SPACE.sub(" ", part.text or "")
    for child in part:
        if child.tag == f"{_TEXT}s":
            text += " " * min(int(child.get(f"{_TEXT}c", "1")), 1 << 20)
        elif child.tag == f"{_TEXT}tab":
            text += "\t"
        elif child.tag == f"{_TEXT}line-break":
            text += "\n"
        elif child.tag != f"{_OFFICE}annotation":
            text += _line(child)
        text += _SPACE.sub(" ", child.tail or "")
    return text
