"""Priorities over batches in memory."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.domain.batch import Batch, BatchPriority
from desktop_app.domain.bus import Bus
from desktop_app.domain.events import BatchChanged


class FakePriorities:
    """Changes the batch in the list, as the store does, and notes what it was told."""

    def __init__(self, batches: list[Batch], bus: Bus) -> None:
        self._batches = batches
        self._bus = bus
        self.told: list[tuple[int, BatchPriority]] = []

    async def set(self, batch_id: int, priority: BatchPriority) -> None:
        self.told.append((batch_id, priority))
        for at, batch in enumerate(self._batches):
            if batch.id == batch_id:
                self._batches[at] = replace(batch, priority=priority)
        self._bus.publish(BatchChanged(batch_id))
