"""Rows that ask for exactly what a row above them asks for, in one place, so that a check and its
import leave out the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

from desktop_app.domain.task import Draft, DraftValues, digested

_CACHED = 1_000


class ParamTexts:
    """Parameters and extras as they go into a digest; the rows of a sheet share theirs."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[Mapping[str, Any], str]] = {}

    def text(self, params: Mapping[str, Any]) -> str:
        """``digested``, by identity: the object is kept so that its id stays its own."""
        known = self._texts.get(id(params))
        if known is not None and known[0] is params:
            return known[1]
        if len(self._texts) >= _CACHED:
            self._texts.clear()
        text = digested(params)
        self._texts[id(params)] = (params, text)
        return text


class Duplicates:
    """Remembers every row that it was shown, 16 bytes each."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()
        self._text = ParamTexts().text

    def has(self, values: DraftValues) -> bool:
        """Whether a row above asks for the same: prompt, parameters, key and lane. A row that
        can't be used asks for nothing."""
        _, _, prompt, params, extra, _, key, lane, _, problem = values
        if prompt is None or problem is not None:
            return False
        text = repr((prompt, self._text(params), self._text(extra), key, lane))
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        before = len(self._seen)
        self._seen.add(digest)
        return len(self._seen) == before


def first_values(rows: Iterable[DraftValues]) -> Iterator[DraftValues]:
    """Those that no row above asks for."""
    duplicates = Duplicates()
    return (row for row in rows if not duplicates.has(row))


def first_drafts(rows: Iterable[Draft]) -> Iterator[Draft]:
    """Those that no row above asks for."""
    duplicates = Duplicates()
    return (row for row in rows if not duplicates.has(row.values()))
