"""Rows of a sheet that never ran under its name, known in earlier runs by what they ask for: a copy
with a few rows edited is daily life, and is not to be paid for again as a whole."""

from __future__ import annotations

import pickle
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from desktop_app.domain.ports import AskedRow, Capabilities, Drafter, Packed, Sheets
from desktop_app.domain.task import DraftValues, TaskState, digest_of
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import BatchSummary
from desktop_app.services.duplicates import ParamTexts, first_values
from desktop_app.services.import_plan import AskedIn, Earlier, ImportPlan
from desktop_app.services.plan_rows import taken

NAMED = 3
"""Runs that are named; there may be one a day."""

_DIGEST = 16
"""Bytes of a request's digest."""

_DONE, _WAITING, _OVER = range(3)
_KINDS = {
    TaskState.RUNNING: _DONE,
    TaskState.SUCCESS: _DONE,
    TaskState.UNCERTAIN: _DONE,
    TaskState.PENDING: _WAITING,
    TaskState.RETRYING: _WAITING,
}


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """``runs`` have rows that this sheet asks for, those with the most first; ``paid``: a call
    costs money. ``settled`` are the numbers of rows that a run has done or has still to do,
    ``rest`` all others, ``failed`` those of rows that failed or were cancelled."""

    runs: tuple[AskedIn, ...] = ()
    paid: bool = False
    settled: frozenset[int] = frozenset()
    rest: frozenset[int] = frozenset()
    failed: frozenset[int] = frozenset()

    @property
    def usual(self) -> Earlier:
        """What is done where nobody said otherwise."""
        return Earlier.SKIP if self.runs and self.paid else Earlier.ALL

    @property
    def version(self) -> BatchSummary | None:
        """The run that this sheet is another version of."""
        return next((asked.run for asked in self.runs if asked.is_version), None)

    def rows_for(self, choice: Earlier) -> frozenset[int] | None:
        """The rows that a new run takes; None: all."""
        return {Earlier.SKIP: self.rest, Earlier.FAILED: self.failed}.get(choice)


@dataclass(frozen=True, slots=True)
class Found:
    """``counts`` are rows done, waiting and over by batch; ``rows`` is how many there are."""

    rows: int
    counts: dict[int, list[int]]
    settled: frozenset[int]
    rest: frozenset[int]
    failed: frozenset[int]

    def of(self, runs: Mapping[int, BatchSummary], *, paid: bool) -> AskedBefore:
        """The same with the runs by their ids; nothing where no row is left to them."""
        asked: list[AskedIn] = []
        for ident, (done, waiting, over) in self.counts.items():
            run = runs[ident]
            half = max(self.rows, run.ledger.imported) / 2
            if done or waiting:
                is_version = done + waiting + over >= half
                asked.append(AskedIn(run, done, waiting, over, is_version))
        if not asked:
            return AskedBefore()
        asked.sort(key=lambda each: (each.done, each.run.batch.id), reverse=True)
        return AskedBefore(tuple(asked), paid, self.settled, self.rest, self.failed)


@dataclass(frozen=True, slots=True)
class Asking:
    """Yields one ``Packed`` that holds a ``Found``: see ``found``. Can be sent to another process
    as it is; ``known`` are the rows of earlier runs, the newest run first."""

    sheets: Sheets
    drafter: Drafter
    plan: ImportPlan
    caps: Capabilities
    known: Callable[[], Iterable[AskedRow]]
    is_long: bool

    def __iter__(self) -> Iterator[Packed]:
        """Blocks. Raises OperatorError."""
        plan = self.plan
        values: Iterable[DraftValues] = self.drafter.values(
            plan.info, plan.mapping, self.caps, taken(plan, self.sheets.lines(plan.info))
        )
        rows = first_values(values) if plan.skip_duplicates else values
        yield Packed(0, 0, (pickle.dumps(_found(self.known(), rows)),))


def said(asked: Sequence[AskedIn]) -> Iterator[Message]:
    """What other sheets' runs have of this one."""
    for each in asked[:NAMED]:
        batch = each.run.batch
        for code, n in (("done", each.done), ("waiting", each.waiting)):
            if n:
                counted = f"{code}_one" if n == 1 else code
                yield message(
                    f"services.asked_{counted}", n=f"{n:,}", batch=batch.id, name=batch.name
                )
    if len(asked) > NAMED:
        yield message("services.asked_more", n=f"{len(asked) - NAMED:,}")


def found(data: bytes) -> Found:
    """The ``Packed`` of an ``Asking``; it comes from this program's own process."""
    result = pickle.loads(data)  # noqa: S301
    assert isinstance(result, Found)
    return result


def _found(known: Iterable[AskedRow], rows: Iterable[DraftValues]) -> Found:
    places = _Places(known)
    texts = ParamTexts()
    counts: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    settled: set[int] = set()
    rest: set[int] = set()
    failed: set[int] = set()
    total = 0
    for row_no, _, prompt, params, extra, _, key, _, _, problem in rows:
        total += 1
        at = None
        if prompt is not None and problem is None:
            at = places.take(digest_of(prompt, texts.text(params), texts.text(extra)), key)
        kind = _OVER
        if at is not None:
            batch_id, kind = at
            counts[batch_id][kind] += 1
            if kind == _OVER:
                failed.add(row_no)
        (rest if kind == _OVER else settled).add(row_no)
    return Found(total, dict(counts), frozenset(settled), frozenset(rest), frozenset(failed))


class _Places:
    """Each row of an earlier run stands for one row of the sheet, a done one before one that waits
    before one that failed. Where both have a key, the keys are the same."""

    def __init__(self, known: Iterable[AskedRow]) -> None:
        self._batch, self._kind = array("q"), bytearray()
        self._named: dict[bytes, list[int]] = defaultdict(list)
        self._by_request: dict[bytes, list[int]] | None = None
        for batch_id, digest, key, state in known:
            self._named[_name(digest, key)].append(len(self._kind))
            self._batch.append(batch_id)
            self._kind.append(_KINDS.get(state, _OVER))
        self._taken = bytearray(len(self._kind))
        for places in self._named.values():
            self._order(places)

    def take(self, digest: str, key: str | None) -> tuple[int, int] | None:
        """(batch id, how it stands there), or None."""
        waiting = [self._named.get(_name(digest, None))]
        if key:
            waiting.append(self._named.get(_name(digest, key)))
        else:
            waiting.append(self._whatever_key().get(bytes.fromhex(digest)))
        free = [places for places in waiting if places and self._drop_taken(places)]
        if not free:
            return None
        at = min(free, key=lambda places: self._kind[places[-1]]).pop()
        self._taken[at] = 1
        return self._batch[at], self._kind[at]

    def _whatever_key(self) -> dict[bytes, list[int]]:
        if self._by_request is None:
            self._by_request = defaultdict(list)
            for name, places in self._named.items():
                self._by_request[name[:_DIGEST]].extend(places)
            for places in self._by_request.values():
                self._order(places)
        return self._by_request

    def _order(self, places: list[int]) -> None:
        if len(places) > 1:
            places.sort(key=lambda at: (-self._kind[at], -at))

    def _drop_taken(self, places: list[int]) -> bool:
        while places and self._taken[places[-1]]:
            places.pop()
        return bool(places)


def _name(digest: str, key: str | None) -> bytes:
    return bytes.fromhex(digest) + (key or "").encode("utf-8", "surrogatepass")
