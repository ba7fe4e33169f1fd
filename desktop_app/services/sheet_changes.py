"""What a newer version of a sheet says otherwise, row by row, by its key column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from desktop_app.domain.ports import KnownRow, RowChange
from desktop_app.domain.task import Draft, request_digest


@dataclass(frozen=True, slots=True)
class SheetChanges:
    """``changed`` rows ask for something else now; ``new`` ones came in; ``same`` and ``gone``
    are counts, of rows that stay as they are and of rows the newer sheet no longer has; ``bad``
    counts changed rows that can't be used as they are now."""

    changed: tuple[RowChange, ...] = ()
    new: tuple[Draft, ...] = ()
    same: int = 0
    gone: int = 0
    bad: int = 0


def compare(known: Sequence[KnownRow], drafts: Iterable[Draft]) -> SheetChanges:
    """Match by key, equal keys in their order; a row without a key by its row number.

    A new row whose number is taken (rows were inserted above it) gets one after the last.
    """
    by_key: dict[str, list[KnownRow]] = defaultdict(list)
    by_row = {row.row_no: row for row in known if not row.key}
    for row in reversed(known):
        if row.key:
            by_key[row.key].append(row)
    changed: list[RowChange] = []
    new: list[Draft] = []
    same = bad = 0
    for draft in drafts:
        if draft.key:
            waiting = by_key.get(draft.key)
            match = waiting.pop() if waiting else None
        else:
            match = by_row.pop(draft.row_no, None)
        if match is None:
            new.append(draft)
        elif match.digest == request_digest(draft.request):
            same += 1
        elif draft.request is None or draft.problem is not None:
            bad += 1
        else:
            changed.append(RowChange(match, draft))
    gone = len(by_row) + sum(len(rows) for rows in by_key.values())
    return SheetChanges(tuple(changed), tuple(_renumber(known, new)), same, gone, bad)


def _renumber(known: Sequence[KnownRow], new: Sequence[Draft]) -> Iterable[Draft]:
    taken = {row.row_no for row in known}
    last = max((*taken, *(draft.row_no for draft in new)), default=0)
    for draft in new:
        if draft.row_no in taken:
            last += 1
            draft = replace(draft, row_no=last)
        taken.add(draft.row_no)
        yield draft
