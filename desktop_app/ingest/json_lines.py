"""JSON lines: one object a line, its values as text exactly as they were written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from desktop_app.domain.ports import SheetLine
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.ingest.table import Survey, legible, unreadable
from desktop_app.ingest.text_file import numbered

MOST_COLUMNS = 16_384
"""As many as Excel has; with more keys than that, data stands in the place of names."""

_SHOWN = 10
_SPACE = re.compile(r"[ \t\n\r]*")


class JsonLines:
    """A file of objects; ``name`` is for sentences."""

    def __init__(self, path: Path, name: str, encoding: str) -> None:
        self._path = path
        self._name = name
        self.encoding = encoding

    def survey(self) -> tuple[Survey, tuple[Message, ...]]:
        """The keys in order of first appearance over the whole file, and what is to be said beside
        it. Raises OperatorError where no line holds an object with a key."""
        columns: dict[str, None] = {}
        rows = blank = 0
        shown: list[str] = []
        for line_no, line in numbered(self._path, self.encoding):
            if not line.strip():
                blank += 1
                if len(shown) < _SHOWN:
                    shown.append(str(line_no))
                continue
            rows += 1
            try:
                found = fields(line)
            except _Unusable:
                continue
            columns.update(dict.fromkeys(map(column_name, found)))
            if len(columns) > MOST_COLUMNS:
                raise OperatorError(
                    message("ingest.too_many_columns", file=self._name, limit=MOST_COLUMNS)
                )
        if not rows:
            raise OperatorError(message("ingest.empty_lines", file=self._name))
        if not columns:
            raise OperatorError(message("ingest.no_objects", file=self._name))
        said: tuple[Message, ...] = ()
        if blank:
            more = ", ..." if blank > len(shown) else ""
            said = (message("ingest.blank_lines", count=blank, rows=", ".join(shown) + more),)
        return Survey(tuple(columns), rows), said

    def lines(self, columns: tuple[str, ...]) -> Iterator[SheetLine]:
        """Every line that is not blank, numbered as an editor numbers it; one that is no object has
        a problem, and its text stands in the first column. What is missing or null is empty."""
        places = {name: at for at, name in enumerate(columns)}
        for line_no, line in numbered(self._path, self.encoding):
            if not line.strip():
                continue
            cells = [""] * len(columns)
            try:
                for key, value in fields(line).items():
                    cells[places[column_name(key)]] = value
                problem = unreadable(line_no, "".join(cells), self.encoding)
            except _Unusable as error:
                problem = message(error.code, row=line_no)
                cells[0] = line.strip()
            if problem is not None:
                cells = [legible(cell) for cell in cells]
            yield line_no, cells, problem


def is_object(line: str) -> bool:
    """Whether a line is one of such a file."""
    try:
        fields(line)
    except _Unusable:
        return False
    return True


def column_name(key: str) -> str:
    """The key, or its JSON where it can't be seen or shown; two keys never get one name."""
    hidden = not key.strip() or legible(key) != key or key.startswith('"')
    return json.dumps(key) if hidden else key


class _Unusable(Exception):
    """A line that is no object; ``code`` of the message that says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def fields(line: str) -> dict[str, str]:
    """The object's keys and values: a string is its text, null is empty, and everything else stays
    as it is written. Raises _Unusable."""
    try:
        found, end = _object(line, _after_space(line, 0))
    except (ValueError, RecursionError) as error:
        raise _Unusable("ingest.bad_json") from error
    if _after_space(line, end) != len(line):
        raise _Unusable("ingest.bad_json")
    return found


def _object(line: str, at: int) -> tuple[dict[str, str], int]:
    if line[at : at + 1] != "{":
        _decoder.raw_decode(line, at)
        raise _Unusable("ingest.no_object")
    found: dict[str, str] = {}
    at = _after_space(line, at + 1)
    if line[at : at + 1] == "}":
        return found, at + 1
    while True:
        if line[at : at + 1] != '"':
            raise _Unusable("ingest.bad_json")
        key, at = _decoder.raw_decode(line, at)
        if key in found:
            raise _Unusable("ingest.key_twice")
        at = _after_space(line, at)
        if line[at : at + 1] != ":":
            raise _Unusable("ingest.bad_json")
        begin = _after_space(line, at + 1)
        value, end = _decoder.raw_decode(line, begin)
        if value is None:
            value = ""
        found[key] = value if line[begin] == '"' or value == "" else line[begin:end]
        at = _after_space(line, end)
        mark = line[at : at + 1]
        if mark == "}":
            return found, at + 1
        if mark != ",":
            raise _Unusable("ingest.bad_json")
        at = _after_space(line, at + 1)


def _after_space(line: str, at: int) -> int:
    found = _SPACE.match(line, at)
    return found.end() if found else at


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)  # NaN and the like are no JSON


# Numbers are not made, so that one of any length is only looked at.
_decoder = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=_refuse)
