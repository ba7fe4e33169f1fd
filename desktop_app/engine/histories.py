"""Tells a row that fails by itself from a row that fails with everybody."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from desktop_app.domain.judging import THROTTLED_MAX
from desktop_app.domain.retry import ceiling

SPARED_MAX = 4
"""Failures while probing that spend nothing. A row that goes on failing spends again, so that a
sheet whose every row fails comes to its end, though an outage of half an hour kills nobody."""

STANDS_OUT = 3
PROBED_WAIT_S = 15.0
PROBED_WAIT_MAX_S = 600.0
MANY = 1_000


@dataclass(slots=True)
class _Throttled:
    at: float
    throttles_seen: int
    count: int = 1
    won: int = 0


@dataclass(slots=True)
class _Transient:
    successes_before: int
    probed: int = 0


class Histories:
    """What rows of one account went through in this run; forgotten when a row comes to rest.

    Times are monotonic seconds.
    """

    def __init__(self) -> None:
        self._successes = 0
        self._succeeded: deque[float] = deque(maxlen=MANY)  # when their calls were sent
        self._throttles = 0
        self._throttled: dict[int, _Throttled] = {}
        self._transient: dict[int, _Transient] = {}

    def succeeded(self, task_pk: int, sent_at: float) -> None:
        """A row got its answer."""
        self._successes += 1
        self._succeeded.append(sent_at)
        self.forget(task_pk)

    def forget(self, task_pk: int) -> None:
        """The row came to rest."""
        self._throttled.pop(task_pk, None)
        self._transient.pop(task_pk, None)

    def throttled(self, task_pk: int, now: float) -> int:
        """The row was throttled; how many others succeeded while it alone kept being throttled.

        A refusal counts against the row only if, since its last one, others were sent and
        succeeded, and were not refused more often than that: in a storm nobody is singled out,
        though the calls from before it are answered for half a minute.
        """
        self._throttles += 1
        seen = self._throttled.get(task_pk)
        if seen is None:
            self._throttled[task_pk] = _Throttled(now, self._throttles)
            return 0
        others = sum(sent_at > seen.at for sent_at in self._succeeded)
        refused = self._throttles - 1 - seen.throttles_seen
        if others >= 1 and others >= refused:
            seen.count += 1
            seen.won += others
        seen.at, seen.throttles_seen = now, self._throttles
        return seen.won if seen.count >= THROTTLED_MAX else 0

    def stands_out(self, task_pk: int) -> bool:
        """Whether the row was throttled so often alone that it says little about the account."""
        seen = self._throttled.get(task_pk)
        return seen is not None and seen.count >= STANDS_OUT

    def transient(self, task_pk: int) -> bool:
        """The row failed on the provider's side; whether that is its own fault, because others
        succeeded since it failed first."""
        seen = self._transient.setdefault(task_pk, _Transient(self._successes))
        return self._successes > seen.successes_before

    def probed(self, task_pk: int) -> tuple[bool, float]:
        """The row failed while its account probes: whether that is spared, and how long it waits
        in seconds, so that other rows have their turn."""
        seen = self._transient.setdefault(task_pk, _Transient(self._successes))
        wait_s = ceiling(seen.probed, first_s=PROBED_WAIT_S, cap_s=PROBED_WAIT_MAX_S)
        seen.probed += 1
        return seen.probed <= SPARED_MAX, wait_s
