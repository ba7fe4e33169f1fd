"""Reads for window and verbs: always the store's word, never the caller's memory."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.domain.ledger import Ledger
from desktop_app.domain.views import BatchSummary, Sort, TaskDetail, TaskFilter, TaskRow


class Queries:
    """SIGNATURES; bodies follow."""

    async def batches(self) -> list[BatchSummary]:
        """Newest first."""
        raise NotImplementedError

    async def batch(self, batch_id: int) -> BatchSummary | None:
        """One batch."""
        raise NotImplementedError

    async def ledger(self, batch_id: int | None) -> Ledger:
        """The ledger of a batch or of all."""
        raise NotImplementedError

    async def ids(
        self, which: TaskFilter, sort: Sort = Sort.ROW, descending: bool = False
    ) -> Sequence[int]:
        """Matching pks in order."""
        raise NotImplementedError

    async def rows(self, pks: Sequence[int]) -> list[TaskRow]:
        """Rows for these pks, in that order; a vanished pk is left out."""
        raise NotImplementedError

    async def detail(self, task_pk: int) -> TaskDetail | None:
        """Everything about one task."""
        raise NotImplementedError

    async def count(self, which: TaskFilter) -> int:
        """How many match."""
        raise NotImplementedError
