"""When calls left lately, and what that tells: how many a second, and whether any goes through."""

from __future__ import annotations

import itertools
import math
from collections import deque

WINDOW_S = 10.0
LATELY_S = 3.0
LONG_S = 60.0
FEW = 5
SHORT_S = 1.0
THROUGH_S = 2.0


class Departures:
    """Monotonic times of calls, refused ones taken out again. ``now`` never goes back."""

    def __init__(self) -> None:
        self._sent: deque[float] = deque(maxlen=10_000)
        self._through_cut: float | None = None
        self._look_at = -math.inf

    def add(self, now: float) -> None:
        """A call leaves."""
        self._sent.append(now)

    def take_out(self, sent_at: float) -> None:
        """The call of that time was refused."""
        if sent_at in self._sent:
            self._sent.remove(sent_at)

    def rate(self, now: float) -> float:
        """Calls a second over the last ten seconds."""
        return len(self._within(WINDOW_S, now)) / WINDOW_S

    def lately(self, now: float) -> int:
        """How many left in the last few seconds."""
        return len(self._within(LATELY_S, now))

    def goes_through(self, now: float, cut_at: float) -> bool:
        """Whether a call sent since the last cut was not refused: refusals come at once."""
        if self._through_cut == cut_at:
            return True
        if now < self._look_at:
            return False
        since = [at for at in self._within(WINDOW_S, now) if at > cut_at]
        # Looked for again when the eldest has been out long enough: of quick calls there are
        # thousands, and each that leaves asks.
        self._look_at = (since[-1] if since else now) + THROUGH_S
        if self._look_at <= now:
            self._through_cut, self._look_at = cut_at, -math.inf
        return self._through_cut == cut_at

    def let_in(self, since: float, now: float) -> bool:
        """Whether a call sent after ``since`` has been out so long that it was not refused."""
        return any(since < at <= now - THROUGH_S for at in self._within(LONG_S, now))

    def cut(self) -> None:
        """The rate was cut: look anew whether any goes through."""
        self._through_cut, self._look_at = None, -math.inf

    def passed(self, now: float, cut_at: float, rate: float | None) -> float | None:
        """What was sent by ``now`` and not refused, in calls a second; None where nothing was since
        the last cut. Of a few calls it may be as much as one more would have made."""
        recent = self._within(WINDOW_S, now)
        if len(recent) < FEW:
            recent = self._within(LONG_S, now)
        if not recent or recent[0] <= cut_at:
            last = self._sent[-1] if self._sent else -math.inf
            return (rate or 1.0) if cut_at < last <= now else None
        if len(recent) < FEW:
            return (len(recent) + 1) / max(SHORT_S, now - recent[-1])
        # The busier of two windows: the longer one may have stood still for a wait.
        late = sum(at > now - LATELY_S for at in recent) / LATELY_S
        return max(late, len(recent) / max(SHORT_S, now - recent[-1]))

    def tells(self, now: float, rate: float | None) -> bool:
        """Whether ``passed`` comes near what is taken. The first calls, let go at once, do not
        tell yet; few of them leave the ``rate`` as it is, if there is one."""
        recent = self._within(LONG_S, now)
        if len(recent) < FEW:
            return rate is not None
        return now - recent[-1] >= SHORT_S

    def _within(self, seconds: float, now: float) -> list[float]:
        """When calls left lately that were not refused, the newest first."""
        later = itertools.dropwhile(lambda at: at > now, reversed(self._sent))
        return list(itertools.takewhile(lambda at: at > now - seconds, later))
