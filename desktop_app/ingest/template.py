"""A prompt made of text and ``{{column}}`` placeholders: exact substitution and nothing more."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_PLACEHOLDER = re.compile(r"\{\{\s*(.*?)\s*\}\}", re.DOTALL)


class Template:
    """``find`` turns a column's name into its place, or raises for an unknown one."""

    def __init__(self, text: str, find: Callable[[str], int]) -> None:
        parts = _PLACEHOLDER.split(text)
        self._texts = parts[0::2]
        self.places = tuple(find(name) for name in parts[1::2])

    def fill(self, cells: Sequence[str]) -> str:
        """The prompt of one row. A placeholder inside a cell is text like any other."""
        filled = [self._texts[0]]
        for place, text in zip(self.places, self._texts[1:], strict=True):
            filled += (cells[place], text)
        return "".join(filled)

    def all_blank(self, cells: Sequence[str]) -> bool:
        """Whether every cell it uses is blank: the bare text around them is no request."""
        return bool(self.places) and all(not cells[place].strip() for place in self.places)
