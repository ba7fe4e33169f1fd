"""What a newer version of a sheet says otherwise, row by row: by key, else by what is asked for,
so that a row that was moved, or has another one above it now, is no other row."""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from desktop_app.domain.connection import Connection
from desktop_app.domain.filing import filed_digest
from desktop_app.domain.ports import KnownRow, RowChange
from desktop_app.domain.task import Draft, TaskState, request_digest
from desktop_app.services.import_plan import Differences
from desktop_app.services.run_estimate import by_models, cost_of, most_of, results_of

_NOBODY = -1
_OVER = frozenset({TaskState.FAILED, TaskState.DEAD, TaskState.CANCELLED})


@dataclass(frozen=True, slots=True)
class SheetChanges:
    """``changed`` rows ask for something else now, the paid ones among them; ``refiled`` ask for
    the same with other cells; ``unusable`` can't be asked for any more; ``new`` ones came in.
    ``same`` counts rows that ask for the same, ``gone`` those that the sheet has no longer, of
    which ``waiting_gone`` (pks) wait."""

    changed: tuple[RowChange, ...] = ()
    new: tuple[Draft, ...] = ()
    same: int = 0
    gone: int = 0
    refiled: tuple[RowChange, ...] = ()
    unusable: tuple[RowChange, ...] = ()
    waiting_gone: tuple[int, ...] = ()

    @property
    def bad(self) -> int:
        """How many changed rows can't be used as they are now."""
        return len(self.unusable)

    @property
    def paid(self) -> tuple[RowChange, ...]:
        """Changed rows that would be paid for again."""
        return tuple(change for change in self.changed if change.known.paid)

    @property
    def every(self) -> tuple[RowChange, ...]:
        """All rows that the batch has and the sheet says otherwise."""
        return self.changed + self.refiled + self.unusable


def compare(
    known: Sequence[KnownRow],
    drafts: Iterable[Draft],
    limit: int | None = None,
    settled: Collection[int] = (),
) -> SheetChanges:
    """Match by key, equal keys in their order; what is left by its request, wherever it stands;
    what is left then by its place between matched neighbours, unless two keys say otherwise.

    Rows past the first ``limit`` neither change nor come in; they only aren't gone. Nor do those
    come in that another run has ``settled`` (their numbers in the sheet). A new row
    whose number is taken (rows were inserted above it) gets one after the last.
    """
    matching = _Matching(known)
    changed: list[RowChange] = []
    refiled: list[RowChange] = []
    unusable: list[RowChange] = []
    new: list[Draft] = []
    same = 0
    for at, (number, draft, found) in enumerate(matching.match(drafts)):
        if draft is None or (found is not None and limit is not None and at >= limit):
            same += 1
        elif found is None:
            if number in settled:
                same += 1
            elif limit is None or at < limit:
                new.append(draft)
        else:
            row = _numbered(draft, found.row_no)
            if found.digest == request_digest(draft.request) and not found.gone:
                same += 1
                refiled.append(RowChange(found, row))
            elif draft.request is None or draft.problem is not None:
                unusable.append(RowChange(found, row))
            else:
                changed.append(RowChange(found, row))
    gone = [row for row in matching.left() if not row.gone]
    waiting = (TaskState.PENDING, TaskState.RETRYING)
    return SheetChanges(
        changed=tuple(changed),
        new=tuple(_renumber(known, new)),
        same=same,
        gone=len(gone),
        refiled=tuple(refiled),
        unusable=tuple(unusable),
        waiting_gone=tuple(row.pk for row in gone if row.state in waiting),
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """Rows of a sheet by their numbers there, as one run of it left them: ``settled`` ask for what
    is done, on its way or may have been billed; ``over`` have failed or were cancelled, as they
    are or changed since; ``other`` are changed or did not run."""

    settled: frozenset[int]
    over: frozenset[int]
    other: frozenset[int]

    @property
    def every(self) -> frozenset[int]:
        """All rows of the sheet."""
        return self.settled | self.over | self.other


def standing(known: Sequence[KnownRow], drafts: Iterable[Draft]) -> Standing:
    """How the rows of a sheet stand in one run."""
    settled: set[int] = set()
    over: set[int] = set()
    other: set[int] = set()
    for number, draft, found in _Matching(known).match(drafts):
        if found is not None and found.state in _OVER:
            over.add(number)
        elif found is None or (draft is not None and found.digest != request_digest(draft.request)):
            other.add(number)
        else:
            settled.add(number)
    return Standing(frozenset(settled), frozenset(over), frozenset(other))


def differences(connection: Connection, changes: SheetChanges) -> Differences:
    """The same in figures, with what it would cost."""
    paid = changes.paid
    requests = [change.draft.request for change in paid if change.draft.request is not None]
    bad = sum(draft.problem is not None for draft in changes.new)
    fresh = len(changes.changed) - len(paid)
    usable = fresh + len(changes.new) - bad
    free = [change.draft for change in changes.changed if not change.known.paid]
    free += [draft for draft in changes.new if draft.problem is None]
    unpaid = [draft.request for draft in free if draft.request]
    results = results_of(connection, unpaid)
    whole = results + results_of(connection, requests)
    cost = by_models(connection, unpaid)
    whole_cost = by_models(connection, [*unpaid, *requests])
    return Differences(
        changed=fresh,
        same=changes.same,
        new=len(changes.new),
        unusable=changes.bad + bad,
        gone=changes.gone,
        waiting_gone=len(changes.waiting_gone),
        refiled=len(changes.refiled),
        runs=usable,
        again=frozenset(change.known.pk for change in paid),
        again_rows=tuple(change.known.row_no for change in paid),
        uncertain=sum(change.known.state is TaskState.UNCERTAIN for change in paid),
        again_cost=most_of(connection, requests),
        cost=cost_of(connection, usable, results, worst=cost),
        whole_cost=cost_of(connection, usable + len(paid), whole, worst=whole_cost),
    )


class _Matching:
    """Which row of the batch a row of the sheet is."""

    def __init__(self, known: Sequence[KnownRow]) -> None:
        self._known = known
        self._free = bytearray(b"\1") * len(known)
        self._by_key: dict[str, deque[int]] = defaultdict(deque)
        self._keyless: dict[str, deque[int]] = defaultdict(deque)
        for at, row in enumerate(known):
            if row.key:
                self._by_key[row.key].append(at)
            else:
                self._keyless[row.digest].append(at)

    def match(self, drafts: Iterable[Draft]) -> Iterable[tuple[int, Draft | None, KnownRow | None]]:
        """Every row of the sheet by its number there, with the one that it is; no draft for a row
        that is as it was, since most are and a sheet of a million is not held."""
        numbers = array("q")
        rows: list[Draft | None] = []
        found: list[int] = []
        for draft in drafts:
            digest = request_digest(draft.request)
            at = self._take(self._by_key, draft.key)
            if at == _NOBODY:
                at = self._take(self._keyless, digest)
            numbers.append(draft.row_no)
            found.append(at)
            rows.append(None if at != _NOBODY and self._is_as_it_was(at, draft, digest) else draft)
        self._by_request(rows, found)
        self._by_place(rows, found)
        for number, row, at in zip(numbers, rows, found, strict=True):
            yield number, row, None if at == _NOBODY else self._known[at]

    def left(self) -> list[KnownRow]:
        """Rows of the batch that no row of the sheet is."""
        return [row for row, free in zip(self._known, self._free, strict=True) if free]

    def _take(self, places: dict[str, deque[int]], name: str | None) -> int:
        waiting = places.get(name) if name else None
        if not waiting:
            return _NOBODY
        at = waiting.popleft()
        self._free[at] = 0
        return at

    def _is_as_it_was(self, at: int, draft: Draft, digest: str) -> bool:
        row = self._known[at]
        if row.digest != digest or row.gone:
            return False
        return row.filed is None or row.filed == _filed(draft)

    def _by_request(self, rows: Sequence[Draft | None], found: list[int]) -> None:
        by_digest: dict[str, deque[int]] = defaultdict(deque)
        for at, row in enumerate(self._known):
            if self._free[at]:
                by_digest[row.digest].append(at)
        for number, draft in enumerate(rows):
            if draft is not None and found[number] == _NOBODY:
                found[number] = self._take(by_digest, request_digest(draft.request))

    def _by_place(self, rows: Sequence[Draft | None], found: list[int]) -> None:
        after = 0
        for number, draft in enumerate(rows):
            if draft is not None and found[number] == _NOBODY and self._may_be(draft, after):
                found[number] = after
                self._free[after] = 0
            if found[number] != _NOBODY:
                after = found[number] + 1

    def _may_be(self, draft: Draft, at: int) -> bool:
        if at >= len(self._known) or not self._free[at]:
            return False
        return not (draft.key and self._known[at].key)


def _filed(draft: Draft) -> str:
    return filed_digest(draft.cells, draft.key, draft.lane, draft.priority)


def _numbered(draft: Draft, row_no: int) -> Draft:
    """The row under the number that it has in the batch, which its file is named after."""
    before, now = f"{draft.row_no:04d}", f"{row_no:04d}"
    stem = draft.stem
    if stem.startswith(before):
        stem = now + stem.removeprefix(before)
    return replace(draft, row_no=row_no, stem=stem)


def _renumber(known: Sequence[KnownRow], new: Sequence[Draft]) -> Iterable[Draft]:
    taken = {row.row_no for row in known}
    last = max((*taken, *(draft.row_no for draft in new)), default=0)
    for draft in new:
        row = draft
        if draft.row_no in taken:
            last += 1
            row = _numbered(draft, last)
        taken.add(row.row_no)
        yield row
