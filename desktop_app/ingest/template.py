"""A prompt made of text and columns: exact substitution where that is all there is, since a
million rows pay for every step; a sandboxed template only where logic is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol

from desktop_app.domain.columns import named, place_of
from desktop_app.domain.text import Message, OperatorError, message

LONGEST_PROMPT = 1_000_000
"""Characters; no model takes more, and a cell like that is a mistake."""

_PLACEHOLDER = re.compile(r"\{\{\s*(.*?)\s*\}\}", re.DOTALL)
_LOGIC = re.compile(r"\{%|\{#.*?#\}", re.DOTALL)


class Unfilled(Exception):
    """A row that the text can't be filled with: ``code`` is that of the sentence about it, which
    ``values`` fill together with the row."""

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


class Template(Protocol):
    """A prompt's text. ``places`` are those of the columns that it uses, ``wanted`` of those whose
    blank cell leaves a gap in it. Any thread may use it."""

    @property
    def places(self) -> tuple[int, ...]: ...
    @property
    def wanted(self) -> tuple[int, ...]: ...
    def fill(self, cells: Sequence[str]) -> str:
        """The prompt of one row. A placeholder inside a cell is text like any other. Raises
        Unfilled."""
        ...


class PlainTemplate:
    """Texts with a cell between any two of them."""

    def __init__(self, texts: Sequence[str], places: tuple[int, ...]) -> None:
        self._texts = texts
        self.places = self.wanted = places

    def fill(self, cells: Sequence[str]) -> str:
        """The prompt of one row."""
        filled = [self._texts[0]]
        for place, text in zip(self.places, self._texts[1:], strict=True):
            filled += (cells[place], text)
        return "".join(filled)


def make_template(text: str, columns: Sequence[str]) -> Template:
    """Raises OperatorError that names the line that can't be understood, or the missing column and
    those there are."""
    parts = _PLACEHOLDER.split(text)
    places = [place_of(columns, name) for name in parts[1::2]]
    if _LOGIC.search(text) or None in places:
        # Not imported before it is needed: most texts are plain, and the first row waits for it.
        from desktop_app.ingest.sandbox import SandboxedTemplate

        return SandboxedTemplate(text, columns)
    around = _PLACEHOLDER.sub(lambda found: "\n" * found[0].count("\n"), text)
    if "{{" in around:
        raise not_understood(text, around.count("\n", 0, around.index("{{")) + 1)
    return PlainTemplate(parts[0::2], tuple(place for place in places if place is not None))


def all_blank(template: Template, cells: Sequence[str]) -> bool:
    """Whether every cell it uses is blank: the bare text around them is no request."""
    places = template.places
    return bool(places) and all(not cells[place].strip() for place in places)


def no_column(text: str, line: int, column: str, columns: Sequence[str]) -> OperatorError:
    """The sentence about a column that is not there; lines are named where there are several."""
    return OperatorError(_no_column(text, line, column, named(columns)))


def not_understood(text: str, line: int) -> OperatorError:
    """The sentence about a line that is no template."""
    lines = text.splitlines() or [""]
    near = lines[min(line, len(lines)) - 1].strip()
    return OperatorError(message("ingest.text_syntax", line=line, near=shortened(near)))


def shortened(text: str, most: int = 60) -> str:
    """What a sentence shows of it."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _no_column(text: str, line: int, column: str, columns: list[str]) -> Message:
    if "\n" not in text.strip():
        return message("ingest.no_such_column", column=column, columns=columns)
    return message("ingest.no_column_in_line", line=line, column=column, columns=columns)
