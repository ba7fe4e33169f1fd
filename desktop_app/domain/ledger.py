"""The ledger always adds up, so it is one type with one way to say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from desktop_app.domain.task import TaskState


@dataclass(frozen=True, slots=True)
class Ledger:
    """Rows by state; ``imported`` is their sum. ``attempts`` counts attempts that were sent or
    may have been; ``throttled`` those answered with "slow down"."""

    pending: int = 0
    running: int = 0
    retrying: int = 0
    success: int = 0
    failed: int = 0
    dead: int = 0
    uncertain: int = 0
    cancelled: int = 0
    attempts: int = 0
    throttled: int = 0

    @staticmethod
    def of(counts: Mapping[TaskState, int], *, attempts: int = 0, throttled: int = 0) -> Ledger:
        """Build from counts by state; a missing state counts 0."""
        return Ledger(
            **{state.word: counts.get(state, 0) for state in TaskState},
            attempts=attempts,
            throttled=throttled,
        )

    def count(self, state: TaskState) -> int:
        """Rows in one state."""
        return int(getattr(self, state.word))

    @property
    def imported(self) -> int:
        """All rows: the number that must equal the sheet."""
        return sum(self.count(state) for state in TaskState)

    @property
    def unfinished(self) -> int:
        """Rows with work to come."""
        return self.pending + self.running + self.retrying

    @property
    def dead_letters(self) -> int:
        """Rows that need a person."""
        return self.failed + self.dead + self.uncertain

    def plus(self, other: Ledger) -> Ledger:
        """Both together, for "All batches"."""
        names = self.__dataclass_fields__
        return Ledger(**{n: getattr(self, n) + getattr(other, n) for n in names})
