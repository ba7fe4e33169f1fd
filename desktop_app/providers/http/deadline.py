"""A deadline that takes no answer which came while the computer slept: it is read first. For an
answer that comes bit by bit there is a second one, for the silence between two bits."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

FROZEN_S = 1.0
READ_S = 5.0


class Deadline:
    """Raises TimeoutError in the block ``seconds`` from its start, or from the last ``again``.

    Where the loop itself comes ``frozen_s`` too late to it, the computer or the process stood
    still: an answer may lie in the socket, and ``read_s`` more are given to read it, once.
    """

    def __init__(
        self, seconds: float, *, frozen_s: float = FROZEN_S, read_s: float = READ_S
    ) -> None:
        self._seconds = seconds
        self._frozen_s = frozen_s
        self._read_s = read_s
        self._timeout = asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None
        self._silence: asyncio.TimerHandle | None = None
        self._heard_at = 0.0
        self._idle_s: float | None = None
        self._ends_at: float | None = None
        self.went_silent = False

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        self.again(self._seconds)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop_all()
        await self._timeout.__aexit__(kind, error, trace)

    def again(self, seconds: float) -> None:
        """Count ``seconds`` from now."""
        self._stop()
        self._ends_at = None
        loop = asyncio.get_running_loop()
        self._timer = loop.call_at(loop.time() + seconds, self._reached, loop.time() + seconds)

    def heard(self, idle_s: float | None) -> None:
        """Something came; from now on a silence of ``idle_s`` is too long, too (None: none is).
        Cheap: a word a millisecond may come."""
        loop = asyncio.get_running_loop()
        self._heard_at, self._idle_s = loop.time(), idle_s
        if self.went_silent and not self._timeout.expired():
            # It lay in the socket while all stood still.
            self.went_silent = False
            self._timeout.reschedule(self._ends_at)
        if idle_s is not None and self._silence is None:
            due = self._heard_at + idle_s
            self._silence = loop.call_at(due, self._quiet, due)

    def _quiet(self, due: float) -> None:
        self._silence = None
        if self._idle_s is None or self._ends_at is not None:
            return
        loop = asyncio.get_running_loop()
        last = self._heard_at + self._idle_s
        if last > due:
            self._silence = loop.call_at(last, self._quiet, last)
            return
        self.went_silent = True
        self._timeout.reschedule(self._end(due))

    def _reached(self, due: float) -> None:
        self._ends_at = self._end(due)
        if not self._timeout.expired():  # a silence may have ended it, and the line still closes
            self._timeout.reschedule(self._ends_at)

    def _end(self, due: float) -> float:
        now = asyncio.get_running_loop().time()
        return now + self._read_s if now - due > self._frozen_s else now

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stop_all(self) -> None:
        self._stop()
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
