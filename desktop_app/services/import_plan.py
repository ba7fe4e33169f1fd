"""The shapes of an import, apart from its steps, since window and verbs build and read them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any

from desktop_app.domain.batch import LaneOnDead, SheetMapping
from desktop_app.domain.money import Money, Price
from desktop_app.domain.ports import SheetInfo
from desktop_app.domain.text import Message
from desktop_app.domain.views import BatchSummary
from desktop_app.services.disk_need import DiskNeed
from desktop_app.services.trial import Trial, TrialRow


class Earlier(StrEnum):
    """What of a sheet that ran before is run now."""

    SKIP = "skip"  # what no earlier run has done, or has on its way
    CHANGED = "changed"  # what the sheet says otherwise, in the earlier run itself
    FAILED = "failed"  # what an earlier run failed at
    ALL = "all"  # every row, paid for again


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
class AskedIn:
    """How many rows of a sheet ask for exactly what rows of a run ask for that was of another
    sheet: ``done`` (or on their way, or maybe billed), ``waiting`` and ``over`` (failed or
    cancelled) there. ``is_version``: either is for the most part the other."""

    run: BatchSummary
    done: int
    waiting: int
    over: int
    is_version: bool


@dataclass(frozen=True, slots=True)
class PreRun:
    """What would happen. ``rows`` are those that would be imported: with skipped duplicates the
    sheet has ``found``.

    ``problems`` holds at most 200; ``bad_rows`` is the whole number. ``duplicates`` counts rows
    that ask for exactly what a row above asks for, ``duplicate_rows`` the first of their numbers.
    ``cost`` and ``duration`` are sentences, None where nothing is known; ``calls`` are made if
    each row takes one. ``earlier`` are runs of the same bytes, newest first; where there is none,
    ``lineage`` is the newest run of an earlier version of this sheet. Where there is none either,
    ``asked`` are runs of other sheets that rows of this one were asked for in; it is not looked
    for where only a part of the sheet is taken. ``differs`` says what the sheet asks for otherwise
    than the newest of these that it is a version of. ``trial`` are the rows that a trial runs,
    empty where that would be all of them; ``trial_problem`` says why the chosen ones can't be
    tried. ``sample`` are the first usable rows. ``gaps`` counts usable rows that leave a column of
    the prompt's text blank, ``gap_rows`` the first of their numbers, ``gap_columns`` those columns.
    ``dead`` is what the plan is told of addresses of pictures, ``address_doubts`` says what is not
    known of them.
    """

    rows: int
    bad_rows: int
    problems: tuple[RowProblem, ...]
    out_dir: str
    paid: bool
    cost: Message | None
    duration: Message | None
    earlier: tuple[BatchSummary, ...]
    lineage: BatchSummary | None = None
    asked: tuple[AskedIn, ...] = ()
    differs: Differences = field(default_factory=Differences)
    duplicates: int = 0
    duplicate_rows: tuple[int, ...] = ()
    skips_duplicates: bool = False
    calls: int = 0
    disk: DiskNeed | None = None
    trial: tuple[TrialRow, ...] = ()
    trial_problem: Message | None = None
    gaps: int = 0
    gap_rows: tuple[int, ...] = ()
    gap_columns: tuple[str, ...] = ()
    sample: tuple[TrialRow, ...] = ()
    dead: Mapping[str, Message] = field(default_factory=dict)
    address_doubts: tuple[Message, ...] = ()

    @property
    def found(self) -> int:
        """Rows of the sheet."""
        return self.rows + (self.duplicates if self.skips_duplicates else 0)

    @property
    def valid(self) -> int:
        """Rows that can be used."""
        return self.rows - self.bad_rows


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
    first N rows. ``only_rows``: take only these row numbers. ``skip_duplicates``: of rows that
    ask for exactly the same only the first. ``trial`` picks the rows of a trial; ``gate`` makes
    it one: import all, run only these rows. ``row_gate``: the same for all rows up to a number.
    ``remember_out``: later sheets are proposed a folder beside this ``out_dir``. ``embed``:
    pictures say what they were made from, however long the run takes and whoever goes on with it.
    ``dead``: addresses of pictures that a look found dead, and why: their rows can't be used.
    ``price``: of a check, as if the connection had it.
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
    remember_out: bool = False
    skip_duplicates: bool = False
    trial: Trial = field(default_factory=Trial)
    gate: tuple[int, ...] = ()
    embed: bool = False
    dead: Mapping[str, Message] = field(default_factory=dict)
    price: Price | None = None


def fingerprint(plan: ImportPlan) -> str:
    """What makes "the same run": bytes, mapping, connection and output; 32 hex digits."""
    said = json.dumps(
        [
            plan.info.sha256,
            _said(plan.mapping),
            plan.connection_id,
            plan.out_dir or "",
            plan.lane_on_dead,
            sorted(plan.only_rows) if plan.only_rows is not None else None,
            # Not said where it is not so: what ran before there was a choice goes on.
            *(["skip_duplicates"] if plan.skip_duplicates else []),
        ],
        sort_keys=True,
        default=str,
        ensure_ascii=False,
    )
    return hashlib.sha256(said.encode()).hexdigest()[:32]


WHOLE = "whole"
"""The option of a batch of a part of its sheet: the fingerprint of the whole."""


def options_of(plan: ImportPlan) -> dict[str, Any]:
    """What its batch keeps beside the rest."""
    options: dict[str, Any] = {"open_rows": list(plan.gate)} if plan.gate else {}
    if plan.embed:
        options["embed"] = True
    if plan.only_rows is not None:
        options[WHOLE] = fingerprint(replace(plan, only_rows=None))
    return options


def _said(mapping: SheetMapping) -> dict[str, Any]:
    """Without what is not chosen and once could not be: what ran before there was a choice goes
    on."""
    said = asdict(mapping)
    for name in ("output_name", "subfolder"):
        if said[name] is None:
            del said[name]
    return said
