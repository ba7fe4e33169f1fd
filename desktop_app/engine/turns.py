"""Who is served next on an account: batches of a higher priority first, and equal ones in turn."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, MutableMapping

from desktop_app.domain.batch import Batch, BatchPriority


class Turns:
    """One round over an account's batches. ``last`` is kept between rounds: by priority, the id of
    the batch that was served last.

    A batch stays ``next`` with its equals until it is ``out``; only then a lower one is.
    """

    def __init__(self, batches: Iterable[Batch], last: MutableMapping[BatchPriority, int]) -> None:
        self._last = last
        self._groups: list[deque[Batch]] = []
        by_id = sorted(batches, key=lambda batch: batch.id)
        for priority in sorted({batch.priority for batch in by_id}, reverse=True):
            equals = [batch for batch in by_id if batch.priority is priority]
            served = last.get(priority, 0)
            later = [batch for batch in equals if batch.id > served]
            self._groups.append(deque(later + [b for b in equals if b.id <= served]))

    def next(self) -> Batch | None:
        """The batch whose turn it is."""
        return self._groups[0][0] if self._groups else None

    def take(self, room: int) -> int:
        """The next batch has its turn now: how many rows of ``room`` are its share, so that its
        equals have theirs."""
        equals = self._groups[0]
        self._last[equals[0].priority] = equals[0].id
        return math.ceil(room / len(equals))

    def again(self) -> None:
        """It may have more, after its equals."""
        self._groups[0].rotate(-1)

    def out(self) -> None:
        """It has nothing more to send in this round."""
        equals = self._groups[0]
        equals.popleft()
        if not equals:
            self._groups.pop(0)

    def left(self) -> list[Batch]:
        """The batches that had not all they may have in this round, the next one first."""
        return [batch for equals in self._groups for batch in equals]
