"""Reads for window and verbs: always the store's word, never the caller's memory."""

from __future__ import annotations

from array import array
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING

from desktop_app.domain.ledger import Ledger
from desktop_app.domain.views import BatchSummary, Sort, TaskDetail, TaskFilter, TaskRow

if TYPE_CHECKING:
    from desktop_app.domain.ports import Pages


class Queries:
    """Everything a view may ask, on the read-only connection and off the caller's thread."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def batches(self) -> list[BatchSummary]:
        """Newest first."""
        return await self._pages.batches()

    async def batch(self, batch_id: int) -> BatchSummary | None:
        """One batch."""
        return await self._pages.batch_summary(batch_id)

    async def ledger(self, batch_id: int | None) -> Ledger:
        """The ledger of a batch or of all."""
        return await self._pages.ledger(batch_id)

    async def ids(
        self, which: TaskFilter, sort: Sort = Sort.ROW, descending: bool = False
    ) -> Sequence[int]:
        """Matching pks in order."""
        return await self._pages.ids(which, sort, descending)

    def id_chunks(
        self, which: TaskFilter, sort: Sort = Sort.ROW, descending: bool = False
    ) -> AsyncGenerator[array[int], None]:
        """Matching pks in order, in parts as they are found."""
        return self._pages.id_chunks(which, sort, descending)

    async def several(self, which: TaskFilter) -> Mapping[int, int]:
        """The number of results by pk, of the matching rows that have more than one."""
        return await self._pages.several(which)

    async def rows(self, pks: Sequence[int]) -> list[TaskRow]:
        """Rows for these pks, in that order; a vanished pk is left out."""
        return await self._pages.rows(pks)

    async def detail(self, task_pk: int) -> TaskDetail | None:
        """Everything about one task."""
        return await self._pages.detail(task_pk)

    async def count(self, which: TaskFilter) -> int:
        """How many match."""
        return await self._pages.count(which)

    async def pk_of(self, task_id: str) -> int | None:
        """The pk of a task by its UUID."""
        return await self._pages.pk_of(task_id)

    async def newest_unfinished(self) -> int | None:
        """The newest batch with work to come."""
        return await self._pages.unfinished_newest()
