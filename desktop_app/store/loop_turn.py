"""After a commit the loop has a turn before the next one begins: what it answers to the outcomes,
above all the claim for the slots they freed, shares that commit instead of paying for its own."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import deque
from collections.abc import Callable

_COMMITS = 8
_SHARE = 0.5
_WORTH_S = 0.001


class LoopTurn:
    """``handed`` belongs to the loop's thread, all else to the writer's."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._over = threading.Event()
        self._took_s: deque[float] = deque(maxlen=_COMMITS)
        self._ended_at = -math.inf

    def committed(self, took_s: float) -> None:
        """A commit took so long; its outcomes are handed over next."""
        self._took_s.append(took_s)
        self._ended_at = self._clock()
        self._over.clear()

    def handed(self, loop: asyncio.AbstractEventLoop) -> None:
        """Outcomes were handed over: who waited for them is woken in the loop's next turn, and what
        they ask for is sent in the one after."""
        loop.call_soon(lambda: loop.call_soon(self._over.set))

    def wait(self) -> None:
        """Until the loop had its turn, or half as long as a commit takes has passed since the last:
        what is waited for in vain costs less than what it might have saved. Where a commit takes no
        time, not at all. To be called when there is something to commit: a thread that wakes before
        that only takes the interpreter from the loop."""
        limit_s = _SHARE * min(self._took_s, default=0.0)
        left_s = self._ended_at + limit_s - self._clock()
        if limit_s >= _SHARE * _WORTH_S and left_s > 0:
            self._over.wait(left_s)
