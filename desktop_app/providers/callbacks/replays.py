"""Remembers which calls were acted on, for as long as a copy of one would pass for new."""

from __future__ import annotations

from collections import OrderedDict

MOST = 10_000


class Replays:
    """The oldest are forgotten where there are more than ``MOST``: a copy then costs one poll."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._seen: OrderedDict[tuple[int, str], float] = OrderedDict()

    def is_new(self, attempt_pk: int, call_id: str, now: float) -> bool:
        """Whether this call was not heard within its time. ``now`` is monotonic seconds."""
        while self._seen and next(iter(self._seen.values())) <= now:
            self._seen.popitem(last=False)
        return (attempt_pk, call_id) not in self._seen

    def heard(self, attempt_pk: int, call_id: str, now: float, keep_s: float) -> None:
        """It was acted on."""
        self._seen[attempt_pk, call_id] = now + keep_s
        while len(self._seen) > self._most:
            self._seen.popitem(last=False)
