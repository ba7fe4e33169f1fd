"""What has come home for a row is paid for, and until the store knows of it nothing is sent: the
row might be bought once more."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from desktop_app.engine.pool import Leave, Pool


class Holds:
    """Each has its owner: who asks for one lets it go again."""

    def __init__(self, pool: Pool, nudge: Callable[[], None]) -> None:
        self._pool = pool
        self._nudge = nudge
        self._looking = 0
        self._owners: set[Hashable] = set()

    @property
    def any(self) -> bool:
        """Whether nothing may be sent."""
        return bool(self._looking or self._owners)

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Somebody looks whether there is anything to be stored."""
        self._looking += 1
        try:
            yield
        finally:
            self._looking -= 1
            self._nudge()

    def take(self, owner: Hashable, task_pk: int) -> None:
        """Something of this row has come home. A newer call of it that has not begun need not."""
        self._owners.add(owner)
        self.give_back(task_pk)

    def let_go(self, owner: Hashable) -> None:
        """It is stored, or was nothing."""
        if owner in self._owners:
            self._owners.remove(owner)
            self._nudge()

    def give_back(self, task_pk: int) -> None:
        """Of this row nothing is sent that has not begun."""
        for flight in self._pool.flights():
            if flight.claim.task_pk == task_pk:
                flight.end_early(Leave.GIVE_BACK)
