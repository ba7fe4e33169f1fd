"""What a worksheet's own XML tells beside its values: which rows are hidden, how numbers are shown,
and which formulas were never calculated."""

from __future__ import annotations

import contextlib
import math
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

# Expat refuses entities that grow without end; nothing else of a document is obeyed.
from xml.etree import ElementTree
from xml.parsers import expat

from desktop_app.ingest import date_format, number_format

Show = Callable[[Any], str | None]
"""A value's text, None where it is shown plainly."""

Shown = dict[int, Show]
"""By column, from 0."""

_CHUNK = 1 << 18
_OVERLAP = 64
_HIDDEN = re.compile(rb"""hidden\s*=\s*["'](?:1|true)""")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_TEXTS = frozenset({"s", "str", "inlineStr", "b", "e"})
_YES = frozenset({"1", "true"})
_TROUBLE = (
    zipfile.BadZipFile,
    zlib.error,
    expat.ExpatError,
    ElementTree.ParseError,
    KeyError,
    ValueError,
    IndexError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
)


class Marks:
    """One worksheet of an XLSX file. ``hidden`` are the numbers of hidden rows that have cells,
    ``uncalculated`` counts formulas without a value."""

    def __init__(self, path: Path, part: str, formats: dict[str, Show]) -> None:
        self._path = path
        self._part = part
        self._formats = formats
        self.hidden: frozenset[int] = frozenset()
        self.uncalculated = 0
        if self._is_worth_a_look():
            look = _Facts()
            with contextlib.suppress(*_TROUBLE):  # what was seen of a damaged one holds
                for chunk in self._chunks():
                    look.parser.Parse(chunk, False)
            self.hidden = frozenset(look.hidden)
            self.uncalculated = look.uncalculated

    @property
    def has_formats(self) -> bool:
        """Whether some cell may be shown otherwise than plainly."""
        return bool(self._formats)

    def shown(self) -> Iterator[tuple[int, Shown]]:
        """(Row number, how its cells are shown), of rows that have such cells. Ends early in a file
        that is damaged."""
        look = _Formats(self._formats)
        with contextlib.suppress(*_TROUBLE):
            for chunk in self._chunks():
                look.parser.Parse(chunk, False)
                yield from look.rows
                look.rows.clear()
            look.flush()
            yield from look.rows

    def _chunks(self) -> Iterator[bytes]:
        with zipfile.ZipFile(self._path) as book, book.open(self._part) as file:
            while chunk := file.read(_CHUNK):
                yield chunk

    def _is_worth_a_look(self) -> bool:
        """Most sheets hide nothing and calculate nothing: that is seen quicker than it is read."""
        tail = b""
        for chunk in self._chunks():
            text = tail + chunk
            if _HIDDEN.search(text) or _FORMULA.search(text):
                return True
            tail = chunk[-_OVERLAP:]
        return False


def marks_of(path: Path, worksheet: str) -> Marks | None:
    """None for a file that is no XLSX, or whose parts are not where they should be."""
    try:
        with zipfile.ZipFile(path) as book:
            part = _part(book, worksheet)
            if part is None:
                return None
            formats = _formats(book)
        return Marks(path, part, formats)
    except _TROUBLE:
        return None


def _part(book: zipfile.ZipFile, worksheet: str) -> str | None:
    home = PurePosixPath("xl/workbook.xml")
    ident: str | None = None
    with book.open(str(home)) as file:
        for element in _elements(file, "sheet"):
            if element.get("name") == worksheet:
                ident = next((v for k, v in element.attrib.items() if _local(k) == "id"), None)
    with book.open("xl/_rels/workbook.xml.rels") as file:
        for element in _elements(file, "Relationship"):
            if element.get("Id") == ident:
                target = element.get("Target", "")
                return target[1:] if target.startswith("/") else f"xl/{target}"
    return None


def _formats(book: zipfile.ZipFile) -> dict[str, Show]:
    """By a cell's style (a number, as it is written), where it changes what is seen."""
    codes: dict[int, str] = {**number_format.BUILT_IN, **date_format.BUILT_IN}
    styles: dict[str, Show] = {}
    with book.open("xl/styles.xml") as file:
        root = ElementTree.parse(file).getroot()  # noqa: S314
    for element in root.iter():
        if _local(element.tag) == "numFmt":
            codes[int(element.get("numFmtId", "0"))] = element.get("formatCode", "")
    for group in root:
        if _local(group.tag) == "cellXfs":
            for place, element in enumerate(group):
                show = _show(codes.get(int(element.get("numFmtId", "0")), ""))
                if show is not None:
                    styles[str(place)] = show
    return styles


def _show(code: str) -> Show | None:
    number, date = number_format.number_format(code), date_format.date_format(code)
    if number is None and date is None:
        return None

    def show(value: Any) -> str | None:
        if isinstance(value, (int, float)):
            return number(value) if number is not None and math.isfinite(value) else None
        return None if date is None else date(value)

    return show


def _elements(file: IO[bytes], name: str) -> Iterator[ElementTree.Element]:
    for element in ElementTree.parse(file).getroot().iter():  # noqa: S314
        if _local(element.tag) == name:
            yield element


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


class _Formats:
    """Follows a worksheet's XML for the cells of certain styles; ``rows`` is filled and emptied as
    it goes on."""

    def __init__(self, formats: dict[str, Show]) -> None:
        self.rows: list[tuple[int, Shown]] = []
        self._formats = formats
        self._row_no = 0
        self._column = -1
        self._shown: Shown = {}
        self._columns: dict[str, int] = {}
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "c" or tag.endswith(":c"):
            show = self._formats.get(attributes.get("s", "0"))
            place = attributes.get("r")
            self._column = self._column + 1 if place is None else self._at(place)
            if show is not None and attributes.get("t") not in _TEXTS:
                self._shown[self._column] = show
        elif tag == "row" or tag.endswith(":row"):
            self.flush()
            self._row_no = int(attributes.get("r", self._row_no + 1))
            self._column = -1

    def flush(self) -> None:
        """The row that was read last is whole."""
        if self._shown:
            self.rows.append((self._row_no, self._shown))
            self._shown = {}

    def _at(self, place: str) -> int:
        letters = place.rstrip("0123456789")
        if letters not in self._columns:
            column = 0
            for letter in letters:
                column = column * 26 + ord(letter) - 64
            self._columns[letters] = column - 1
        return self._columns[letters]


class _Facts:
    """Follows a worksheet's XML for what holds for its rows and formulas."""

    def __init__(self) -> None:
        self.hidden: set[int] = set()
        self.uncalculated = 0
        self._row_no = 0
        self._is_hidden = False
        self._has_formula = self._is_value = self._has_value = False
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "c":
            self._has_formula = self._has_value = False
            if self._is_hidden:
                self.hidden.add(self._row_no)
        elif name == "row":
            self._row_no = int(attributes.get("r", self._row_no + 1))
            self._is_hidden = attributes.get("hidden") in _YES
        elif name == "f":
            self._has_formula = True
        elif name in {"v", "is"}:
            self._is_value = True

    def _text(self, _text: str) -> None:
        self._has_value = self._has_value or self._is_value

    def _end(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if name == "c":
            self.uncalculated += self._has_formula and not self._has_value
        elif name in {"v", "is"}:
            self._is_value = False
