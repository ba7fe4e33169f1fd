"""Remembers which batches have nothing to claim, so that nobody asks the store in vain."""

from __future__ import annotations

import math


class Dry:
    """A batch is dry until something of it changes (``stir``) or falls due. Times are epoch s."""

    def __init__(self) -> None:
        self._until: dict[int, float] = {}
        self._stirs: dict[int, int] = {}

    def __contains__(self, batch_id: int) -> bool:
        return batch_id in self._until

    def stirs(self, batch_id: int) -> int:
        """Changes so far: take it before looking, and hand it to ``mark``."""
        return self._stirs.get(batch_id, 0)

    def mark(self, batch_id: int, until: float, stirs: int) -> bool:
        """Nothing was there. False where something changed since ``stirs`` was taken."""
        if self.stirs(batch_id) != stirs:
            return False
        self._until[batch_id] = until
        return True

    def stir(self, batch_id: int) -> None:
        """Something of the batch changed."""
        self._stirs[batch_id] = self.stirs(batch_id) + 1
        self._until.pop(batch_id, None)

    def stir_all(self) -> None:
        """Anything may have changed, also in batches being looked at now."""
        for batch_id in {*self._until, *self._stirs}:
            self.stir(batch_id)

    def keep(self, batch_ids: set[int]) -> None:
        """Forget all other batches."""
        for known in (self._until, self._stirs):
            for batch_id in set(known) - batch_ids:
                del known[batch_id]

    def wet(self, now: float) -> None:
        """What fell due is dry no more."""
        for batch_id in [known for known, until in self._until.items() if until <= now]:
            del self._until[batch_id]

    def waits(self, now: float) -> list[float]:
        """Seconds until each batch that waits for a time."""
        return [until - now for until in self._until.values() if until < math.inf]
