"""What a failure sheet that comes back asks of the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from desktop_app.domain.task import Draft, TaskState


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """A row as it stands now. ``tries``: how often it was sent; ``cells`` and ``prompt`` as it was
    asked for last; ``usable``: it can be sent as it is."""

    pk: int
    task_id: str
    batch_id: int
    row_no: int
    state: TaskState
    edition: int
    tries: int
    cells: tuple[str, ...]
    prompt: str
    usable: bool


@dataclass(frozen=True, slots=True)
class ReturnedRow:
    """A row to be sent again: as ``draft`` says, or as it is."""

    known: KnownFailure
    draft: Draft | None = None


class FailureStore(Protocol):
    """Rows by their UUIDs, back into the queue."""

    async def failures(self, task_ids: Sequence[str]) -> list[KnownFailure]:
        """Those of them that are here, whatever their state, in any order."""
        ...

    async def take_back(self, rows: Sequence[ReturnedRow], now: float) -> frozenset[int]:
        """Requeue all in one commit, those with a draft as new editions. A row that is not as it
        was known is left. Returns the pks of those that wait now."""
        ...
