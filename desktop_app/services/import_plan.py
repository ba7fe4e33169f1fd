"""The shapes of an import, apart from its steps, since window and verbs build and read them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any

from desktop_app.domain.batch import LaneOnDead, SheetMapping
from desktop_app.domain.money import Money
from desktop_app.domain.ports import SheetInfo
from desktop_app.domain.text import Message
from desktop_app.domain.views import BatchSummary


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row that cannot be used, with the number Excel shows."""

    row_no: int
    said: Message


@dataclass(frozen=True, slots=True)
class Differences:
    """How a sheet differs from the batch that an earlier version of it ran as, in rows.

    ``changed`` rows ask for something else now and cost nothing yet; ``again`` are the pks of
    those that are done, on their way or may have been billed, ``again_rows`` their numbers,
    ``uncertain`` how many of them wait for a person's word, ``again_cost`` the most that running
    them again costs (None: unknown). ``unusable`` rows can't be asked for as they are. Of the
    ``gone`` rows ``waiting_gone`` wait; ``refiled`` ones ask for the same with other cells. Of the
    changed and new rows ``runs`` run, for ``cost``; for ``whole_cost`` with those of ``again``.
    """

    changed: int = 0
    same: int = 0
    new: int = 0
    unusable: int = 0
    gone: int = 0
    waiting_gone: int = 0
    refiled: int = 0
    runs: int = 0
    again: frozenset[int] = frozenset()
    again_rows: tuple[int, ...] = ()
    uncertain: int = 0
    again_cost: Money | None = None
    cost: Message | None = None
    whole_cost: Message | None = None

    @property
    def is_something(self) -> bool:
        """Whether bringing the batch up to the sheet does anything."""
        rows = self.changed + self.new + self.unusable + self.refiled + self.waiting_gone
        return bool(rows or self.again)


@dataclass(frozen=True, slots=True)
class PreRun:
    """What would happen: counts every row of the sheet.

    ``problems`` holds at most 200; ``bad_rows`` is the whole number. ``cost`` and ``duration``
    are sentences, None where nothing is known. ``earlier`` are runs of the same bytes, newest
    first; where there is none, ``lineage`` is the newest run of an earlier version of this sheet,
    and ``differs`` says in which rows. ``trial_gate`` is the row number that ends a trial, None
    for a sheet that is shorter.
    """

    rows: int
    bad_rows: int
    problems: tuple[RowProblem, ...]
    out_dir: str
    paid: bool
    cost: Message | None
    duration: Message | None
    earlier: tuple[BatchSummary, ...]
    trial_gate: int | None = None
    lineage: BatchSummary | None = None
    differs: Differences = field(default_factory=Differences)


@dataclass(frozen=True, slots=True)
class RowPreview:
    """The request of one row: ``body`` is the provider's JSON as it would be sent, no key."""

    row_no: int
    prompt: str
    body: Mapping[str, Any]
    file_name: str
    problem: Message | None


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """Everything a batch needs. ``budget`` caps its cost, in the currency of the price.

    ``out_dir`` None: ``<Pictures>/Batchwright/<sheet> <date time>/``. ``limit``: take only the
    first N rows. ``only_rows``: take only these row numbers. ``row_gate``: import all, run only
    rows up to this number (the trial); ``trial_rows`` is how many usable rows a trial has.
    ``remember_out``: later sheets are proposed a folder beside this ``out_dir``.
    """

    info: SheetInfo
    mapping: SheetMapping
    connection_id: int
    out_dir: str | None = None
    limit: int | None = None
    lane_on_dead: LaneOnDead = LaneOnDead.GO
    max_calls: int | None = None
    budget: Decimal | None = None
    row_gate: int | None = None
    only_rows: frozenset[int] | None = None
    trial_rows: int = 3
    remember_out: bool = False


def fingerprint(plan: ImportPlan) -> str:
    """What makes "the same run": bytes, mapping, connection and output; 32 hex digits."""
    said = json.dumps(
        [
            plan.info.sha256,
            asdict(plan.mapping),
            plan.connection_id,
            plan.out_dir or "",
            plan.lane_on_dead,
            sorted(plan.only_rows) if plan.only_rows is not None else None,
        ],
        sort_keys=True,
        default=str,
        ensure_ascii=False,
    )
    return hashlib.sha256(said.encode()).hexdigest()[:32]
