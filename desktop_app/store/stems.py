"""Output names are unique within a batch, for file systems that don't know upper from lower."""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial

from desktop_app.domain.columns import place_of
from desktop_app.domain.filing import (
    Filing,
    NameTemplate,
    counts_within,
    is_counted,
    stem_of_result,
)
from desktop_app.store.writer import Txn

_TAKEN = """
SELECT stem_fold FROM task
WHERE batch_id = ? AND stem_fold IN (SELECT value FROM json_each(?))"""


def fold(stem: str) -> str:
    """The form in which two names are the same file on Windows or macOS."""
    return stem.lower() if stem.isascii() else unicodedata.normalize("NFC", stem).casefold()


_PATTERN = "SELECT json_extract(mapping, '$.output_name') FROM batch WHERE id = ?"

_FILED = """
SELECT b.columns, json_extract(b.mapping, '$.subfolder'), t.row_no, p.cells, p.prompt
FROM task t JOIN batch b ON b.id = t.batch_id JOIN payload p ON p.task_pk = t.id WHERE t.id = ?"""


def beside(
    conn: sqlite3.Connection, batch_id: int, stem: str, results: int, task_pk: int | None = None
) -> tuple[str, ...]:
    """The names of the second and further of so many results of the row (``task_pk``) that has
    ``stem``: ``stem-2``, ``stem-3`` ..., or as the batch's pattern counts them, without those of
    other rows."""
    (pattern,) = conn.execute(_PATTERN, (batch_id,)).fetchone() or (None,)
    counted = is_counted(pattern or "")
    name: Callable[[int], str] = partial(stem_of_result, stem, counted=counted)
    if pattern and task_pk is not None and counts_within(pattern):
        name = _by_pattern(conn, pattern, stem, task_pk) or name
    names: list[str] = []
    start = 2
    while (missing := results - 1 - len(names)) > 0:
        tried = [name(number) for number in range(start, start + missing)]
        folded = [fold(name) for name in tried]
        taken = {row[0] for row in conn.execute(_TAKEN, (batch_id, json.dumps(folded)))}
        names += [name for name, key in zip(tried, folded, strict=True) if key not in taken]
        start += missing
    return tuple(names)


def _by_pattern(
    conn: sqlite3.Connection, pattern: str, stem: str, task_pk: int
) -> Callable[[int], str] | None:
    """How a pattern that counts before its end names further results: only the row's cells tell
    what stands behind the count."""
    found = conn.execute(_FILED, (task_pk,)).fetchone()
    columns, cells = json.loads(found[0]), json.loads(found[3])

    def find(name: str) -> int:
        place = place_of(columns, name)
        if place is None:
            raise LookupError(name)
        return place

    try:
        folder = found[1] or ""
        at = find(folder[1:]) if folder.startswith("@") else folder
        filing = Filing(NameTemplate(pattern, columns, find), at)
        return filing.further(stem, found[2], cells, found[4] or "")
    except (LookupError, TypeError):  # the sheet's columns are others by now
        return None


class Stems:
    """Gives out names for one batch; remembers where counting stopped for names that clash."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    @property
    def have_clashed(self) -> bool:
        """Whether two rows wanted one name so far."""
        return bool(self._next)

    def are_distinct(self, folded: Sequence[str]) -> bool:
        """Whether all these may be free as they are: no two clash, and none clashed before."""
        return len(set(folded)) == len(folded) and self._next.keys().isdisjoint(folded)

    def reserve(self, txn: Txn, batch_id: int, wanted: Sequence[str]) -> list[tuple[str, str]]:
        """(stem, folded stem) for each wanted one: ``-2``, ``-3`` ... is added where taken."""
        folded = [fold(stem) for stem in wanted]
        taken = self._taken(txn, batch_id, folded)
        given: list[tuple[str, str]] = []
        for stem, plain in zip(wanted, folded, strict=True):
            name, key = stem, plain
            number = self._next.get(plain, 2)
            while key in taken:
                name = f"{stem}-{number}"
                key = fold(name)
                number += 1
                self._next[plain] = number
                if key not in taken and self._taken(txn, batch_id, [key]):
                    taken.add(key)
            taken.add(key)
            given.append((name, key))
        return given

    @staticmethod
    def _taken(txn: Txn, batch_id: int, folded: Sequence[str]) -> set[str]:
        rows = txn.execute(_TAKEN, (batch_id, json.dumps(folded)))
        return {row[0] for row in rows}
