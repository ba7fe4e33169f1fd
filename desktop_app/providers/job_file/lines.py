"""Where each key of a TOML file stands: the standard library's reader doesn't say, and a person who
mends a file needs the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

Place = tuple[str | int, ...]
"""The way to a value: keys, and indices where tables are in a list."""

_PIECE = re.compile(
    r'"{3}(?:\\.|[^\\])*?"{3}(?!")'
    r"|'{3}.*?'{3}(?!')"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*|[\[\]{}\n]",
    re.DOTALL,
)
"""A text, of several lines or one; a comment; a bracket; the end of a line."""


class Lines:
    """Line numbers (from 1) by place. ``text`` must be TOML that can be read."""

    def __init__(self, text: str) -> None:
        self._known: dict[Place, int] = {}
        self._lists: dict[Place, int] = {}
        self._text = text.split("\n")
        table: Place = ()
        for start, end in _statements(text):
            found = tomllib.loads("\n".join(self._text[start:end]))
            if self._text[start].lstrip().startswith("["):
                table = self._header(found, start)
            else:
                self._keys(found, table, start, end)

    def of(self, place: Place) -> int:
        """Where it stands; of what isn't there, where the nearest table around it does."""
        while place and place not in self._known:
            place = place[:-1]
        return self._known.get(place, 1)

    def column(self, line: int, text: str) -> int | None:
        """Where ``text`` begins in this line (from 1), None where it isn't in it as it is."""
        at = self._text[line - 1].find(text) if 0 < line <= len(self._text) else -1
        return None if at < 0 else at + 1

    def _header(self, found: Any, start: int) -> Place:
        place: Place = ()
        in_list = False
        while isinstance(found, Mapping) and found:
            name, found = next(iter(found.items()))
            place = (*place, name)
            in_list = isinstance(found, list)
            if in_list:
                found = found[0]
                self._lists[place] = self._lists.get(place, -1) + 1
            if place in self._lists:
                place = (*place, self._lists[place])
        self._known.setdefault(place, start + 1)
        if in_list:
            self._known.setdefault(place[:-1], start + 1)
        return place

    def _keys(self, found: Any, above: Place, start: int, end: int, at: int | None = None) -> int:
        """Note every key below ``found``; lines are looked for in the order of the text."""
        at = start if at is None else at
        inside = found.items() if isinstance(found, Mapping) else enumerate(found)
        for key, value in inside:
            if isinstance(key, str):
                at = next((n for n in range(at, end) if key in self._text[n]), at)
            self._known.setdefault((*above, key), at + 1)
            if isinstance(value, Mapping | list):
                at = self._keys(value, (*above, key), start, end, at)
        return at


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """The lines (from 0, and the one behind the last) of each statement: it ends with a line
    outside all texts and brackets."""
    start = line = depth = 0
    for piece in _PIECE.finditer(text + "\n"):
        found = piece[0]
        depth += (found in ("[", "{")) - (found in ("]", "}"))
        line += found.count("\n")
        if found == "\n" and depth == 0:
            yield start, line
            start = line
