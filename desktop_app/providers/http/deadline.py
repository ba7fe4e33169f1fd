"""A deadline that takes no answer which came while the computer slept: it is read first."""

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
        self._stop()
        await self._timeout.__aexit__(kind, error, trace)

    def again(self, seconds: float) -> None:
        """Count ``seconds`` from now."""
        self._stop()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_at(loop.time() + seconds, self._reached, loop.time() + seconds)

    def _reached(self, due: float) -> None:
        now = asyncio.get_running_loop().time()
        self._timeout.reschedule(now + self._read_s if now - due > self._frozen_s else now)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
