"""Tells a row that fails by itself from a row that fails with everybody."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.domain.verdict import THROTTLED_MAX

SPARED_MAX = 3
"""Failures while probing that spend nothing; a row that goes on failing spends again."""


@dataclass(slots=True)
class _Throttled:
    successes_seen: int
    throttles_seen: int
    count: int = 1
    won: int = 0


@dataclass(slots=True)
class _Transient:
    successes_before: int
    spared: int = 0


class Histories:
    """What rows of one account went through in this run; forgotten when a row comes to rest."""

    def __init__(self) -> None:
        self.successes = 0
        self._throttles = 0
        self._throttled: dict[int, _Throttled] = {}
        self._transient: dict[int, _Transient] = {}

    def succeeded(self, task_pk: int) -> None:
        """A row got its answer."""
        self.successes += 1
        self.forget(task_pk)

    def forget(self, task_pk: int) -> None:
        """The row came to rest."""
        self._throttled.pop(task_pk, None)
        self._transient.pop(task_pk, None)

    def throttled(self, task_pk: int) -> int:
        """The row was throttled; how many others succeeded while it alone kept being throttled.

        A refusal counts against the row only if, since its last one, others succeeded and were
        not refused more often than that: in a storm nobody is singled out.
        """
        self._throttles += 1
        seen = self._throttled.get(task_pk)
        if seen is None:
            self._throttled[task_pk] = _Throttled(self.successes, self._throttles)
            return 0
        others = self.successes - seen.successes_seen
        refused = self._throttles - 1 - seen.throttles_seen
        if others >= 1 and others >= refused:
            seen.count += 1
            seen.won += others
        seen.successes_seen, seen.throttles_seen = self.successes, self._throttles
        return seen.won if seen.count >= THROTTLED_MAX else 0

    def transient(self, task_pk: int, *, probing: bool) -> bool:
        """The row failed on the provider's side; whether that is spared because all do.

        Not spared: a row that fails while others succeed, and one that was spared often enough.
        """
        seen = self._transient.setdefault(task_pk, _Transient(self.successes))
        if not probing or self.successes > seen.successes_before or seen.spared >= SPARED_MAX:
            return False
        seen.spared += 1
        return True
