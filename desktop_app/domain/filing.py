"""How a row is filed apart from what it asks for: which name its files get, and what tells that a
cell of it has changed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from json import JSONEncoder

from desktop_app.domain.safe_names import first_graphemes, safe_folders, safe_stem

PROMPT_GRAPHEMES = 24
"""How much of a prompt a name takes."""

_FIELD = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}|\{\s*([^{}]+?)\s*\}")
_ONE = re.compile(r"(?<!\d)1\Z")
_COUNT = re.compile(r"\{\{?\s*n\s*\}\}?\Z")
_COUNTS = re.compile(r"\{\{\s*n\s*\}\}|\{\s*n\s*\}")
_MARK = "\ue000"
"""Stands where the count does, and in no name."""

_STANDS_APART = re.compile(rf"(?<!\d){_MARK}(?!\d)")

_encode = JSONEncoder(ensure_ascii=False).encode


def filed_digest(cells: Sequence[str], key: str | None, lane: str | None, priority: int) -> str:
    """Identifies a row's cells, key, lane and priority: 32 hex digits."""
    text = _encode([list(cells), key, lane or None, priority])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class NameTemplate:
    """The operator's pattern for file names, such as ``{sku}/{row}_{n}``.

    A slash that stands in the pattern makes a subfolder, one in a cell does not. ``{column}`` is
    the row's cell, ``{row}`` its number in the sheet (four digits or more), ``{prompt}`` the
    beginning of its prompt; a column of such a name comes first. ``{n}`` in the name itself counts
    the results of a row from 1; without it the second one is named ``-2``.
    """

    def __init__(self, text: str, columns: Sequence[str], find: Callable[[str], int]) -> None:
        """``find`` gives the place of a column that is not spelled like any of ``columns``, or
        raises what the operator should read."""
        *folders, name = re.split(r"[/\\]", text)
        words = {"row", "prompt"} - set(columns)
        with_count = words | ({"n"} - set(columns))

        def part(piece: str, own: set[str]) -> list[str | int]:
            """Literal texts, own words in braces, places of cells."""
            made: list[str | int] = []
            end = 0
            for found in _FIELD.finditer(piece):
                made.append(piece[end : found.start()])
                field, end = found[1] or found[2], found.end()
                if field in own:
                    made.append(f"{{{field}}}")
                else:
                    made.append(columns.index(field) if field in columns else find(field))
            return [*made, piece[end:]]

        above = with_count if is_counted(text) else words
        self._folders = [part(folder, above) for folder in folders]
        self._name = part(name, with_count)

    def stem(
        self,
        row_no: int,
        cells: Sequence[str],
        prompt: str,
        subfolder: str = "",
        count: str = "1",
    ) -> str:
        """The stem of a row, legal on three systems, not yet unique; ``safe_stem`` says its form.
        ``subfolder`` comes above the pattern's own; slashes in it make levels. ``count`` stands for
        ``{n}``."""
        words = {
            "{row}": f"{row_no:04d}",
            "{prompt}": first_graphemes(prompt, PROMPT_GRAPHEMES),
            "{n}": count,
        }

        def filled(part: list[str | int]) -> str:
            return "".join(cells[p] if isinstance(p, int) else words.get(p, p) for p in part)

        levels = [subfolder, *(re.sub(r"[/\\]", "_", filled(part)) for part in self._folders)]
        return safe_stem(filled(self._name), safe_folders("/".join(levels)), words["{row}"])


@dataclass(frozen=True, slots=True)
class Filing:
    """Where a row's files go where that is not left to the program. Without a pattern it is only
    the folder: ``subfolder`` is a text, or the place of a column."""

    pattern: NameTemplate | None
    subfolder: str | int

    def stem(self, row_no: int, cells: Sequence[str], prompt: str, usual: str) -> str:
        """The stem of a row, legal on three systems, not yet unique; ``usual`` is its name where
        there is no pattern."""
        if self.pattern is not None:
            return self.pattern.stem(row_no, cells, prompt, self._folder(cells))
        return "".join(f"{level}/" for level in safe_folders(self._folder(cells))) + usual

    def further(
        self, stem: str, row_no: int, cells: Sequence[str], prompt: str
    ) -> Callable[[int], str] | None:
        """Names the second and further results of the row that has ``stem``. None where the pattern
        does not: it does not count, its count was cut off or touches another digit, or the row is
        not called as it says (its name was taken, or its prompt edited)."""
        if self.pattern is None:
            return None
        named = partial(self.pattern.stem, row_no, cells, prompt, self._folder(cells))
        if named() != stem or not _STANDS_APART.search(named(count=_MARK)):
            return None
        return lambda number: named(count=str(number))

    def _folder(self, cells: Sequence[str]) -> str:
        return self.subfolder if isinstance(self.subfolder, str) else cells[self.subfolder]


def counts_within(template: str) -> bool:
    """Whether a pattern counts the results of a row before the end of the name."""
    name = re.split(r"[/\\]", template)[-1]
    return any(found.end() < len(name) for found in _COUNTS.finditer(name))


def is_counted(template: str) -> bool:
    """Whether a pattern counts the results of a row itself: it ends with ``{n}``."""
    return _COUNT.search(template) is not None


def stem_of_result(stem: str, number: int, *, counted: bool) -> str:
    """The stem of a row's ``number``-th result (from 2), the first one having ``stem``; ``counted``
    where that was made by a pattern that is. A 1 behind a digit may be the end of a cell, or what
    a cut has left: it counts nothing."""
    if counted and _ONE.search(stem):
        return f"{stem[:-1]}{number}"
    return f"{stem}-{number}"
