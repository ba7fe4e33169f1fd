"""What a person reads of the tasks, and what a person does to them."""

from __future__ import annotations

from array import array
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from desktop_app.domain.attempt import Kept
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message
from desktop_app.domain.views import (
    BatchSummary,
    DeadGroup,
    DoubtfulRow,
    Piece,
    Sort,
    TaskDetail,
    TaskFilter,
    TaskRow,
)


class TaskActions(Protocol):
    """What a person does to tasks. Each returns how many tasks it changed."""

    async def requeue(self, which: TaskFilter, now: float) -> int: ...
    async def edit_and_requeue(self, task_pk: int, prompt: str, now: float) -> bool: ...
    async def cancel(self, which: TaskFilter, now: float) -> int: ...
    async def settle_failed(self, task_pk: int, note: Message, now: float) -> bool: ...
    async def settle_failed_all(self, which: TaskFilter, note: Message, now: float) -> int: ...
    async def settle_resend(self, task_pk: int, now: float) -> bool: ...
    async def settle_attach(self, task_pk: int, kept: Kept, now: float) -> bool: ...


class Pages(Protocol):
    """Reads, on the read-only connection, off the caller's thread."""

    async def batches(self) -> list[BatchSummary]: ...
    async def batch_summary(self, batch_id: int) -> BatchSummary | None: ...
    async def ledger(self, batch_id: int | None) -> Ledger: ...
    async def ids(self, which: TaskFilter, sort: Sort, descending: bool) -> Sequence[int]:
        """Every matching pk in order (``array('q')``), by keyset chunks, never OFFSET."""
        ...

    def id_chunks(
        self, which: TaskFilter, sort: Sort, descending: bool
    ) -> AsyncGenerator[array[int], None]:
        """The same in parts, as they are found: the first is a small one, and none need come."""
        ...

    async def several(self, which: TaskFilter) -> Mapping[int, int]:
        """How many results each of those has that have more than one."""
        ...

    async def rows(self, pks: Sequence[int]) -> list[TaskRow]: ...
    async def count(self, which: TaskFilter) -> int: ...
    async def detail(self, task_pk: int) -> TaskDetail | None: ...
    async def dead_groups(self, batch_id: int | None) -> list[DeadGroup]: ...
    async def in_doubt(self, which: TaskFilter) -> list[DoubtfulRow]:
        """The UNCERTAIN among those that match, in any order."""
        ...

    async def pk_of(self, task_id: str) -> int | None: ...
    def export_rows(self, which: TaskFilter) -> AsyncIterator[Sequence[ExportRow]]: ...
    async def unfinished_newest(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One row of a result or failure sheet. ``cells`` are the sheet's own, in column order."""

    row_no: int
    cells: tuple[str, ...]
    state: TaskState
    output: str | None  # absolute path
    text: str | None
    error_class: str | None
    error: Message | None  # of a result: what is amiss with it, if anything
    attempts: int
    cost: str | None
    started_at: float | None
    ended_at: float | None
    task_id: str
    request_id: str | None
    more: tuple[Piece, ...] = ()  # the second and further results
    thinking: str | None = None  # what the model said to itself before it answered
