"""Sheet to sealed batch: what the pre-run sheet shows and what the first commit makes durable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_app.domain.batch import LaneOnDead, SheetMapping
from desktop_app.domain.ports import SheetInfo, SheetOptions
from desktop_app.domain.text import Message
from desktop_app.domain.views import BatchSummary


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row that cannot be used, with the number Excel shows."""

    row_no: int
    said: Message


@dataclass(frozen=True, slots=True)
class PreRun:
    """What would happen: counts every row of the sheet.

    ``problems`` holds at most 200; ``bad_rows`` is the whole number. ``max_cost`` is a sentence
    or None where no price is known. ``earlier`` are runs of the same bytes, newest first.
    """

    rows: int
    bad_rows: int
    problems: tuple[RowProblem, ...]
    out_dir: str
    paid: bool
    cost: Message | None
    duration: Message | None
    earlier: tuple[BatchSummary, ...]


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
    """Everything a batch needs. ``out_dir`` None: ``<Pictures>/Batchwright/<sheet> <date time>/``.
    ``limit``: take only the first N rows. ``only_rows``: take only these row numbers."""

    info: SheetInfo
    mapping: SheetMapping
    connection_id: int
    out_dir: str | None = None
    limit: int | None = None
    lane_on_dead: LaneOnDead = LaneOnDead.GO
    max_calls: int | None = None
    row_gate: int | None = None
    only_rows: frozenset[int] | None = None


class ImportBatch:
    """SIGNATURES; bodies follow."""

    async def open(self, path: Path, options: SheetOptions | None = None) -> SheetInfo:
        """Copy the sheet privately, detect, read its header. Raises OperatorError."""
        raise NotImplementedError

    async def head(self, info: SheetInfo, count: int = 50) -> Sequence[tuple[int, tuple[str, ...]]]:
        """The first rows: (row_no, cells)."""
        raise NotImplementedError

    async def preview(self, plan: ImportPlan, index: int) -> RowPreview | None:
        """The request of the index-th data row (0-based); None past the end."""
        raise NotImplementedError

    async def pre_run(self, plan: ImportPlan) -> PreRun:
        """Check every row. Raises OperatorError for an unusable mapping."""
        raise NotImplementedError

    async def run(self, plan: ImportPlan, progress: Callable[[int], None] | None = None) -> int:
        """Import and seal; returns the batch id. Nothing is started. On error nothing is left."""
        raise NotImplementedError

    async def continue_or_new(self, plan: ImportPlan, *, new: bool) -> tuple[int, bool]:
        """The verbs' rule: the same bytes, mapping, connection and output continue that batch
        (extended by rows past an earlier ``limit``). Returns (batch id, continued)."""
        raise NotImplementedError

    async def failed_and_new_rows(self, plan: ImportPlan, batch_id: int) -> frozenset[int]:
        """Row numbers that the earlier run did not finish: "only failed and new rows"."""
        raise NotImplementedError

    def default_out_dir(self, sheet: Path) -> str:
        """The folder a new batch of this sheet would get now."""
        raise NotImplementedError
