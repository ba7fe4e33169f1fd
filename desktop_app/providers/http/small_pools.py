"""A pool of the library looks at all of its lines when a call begins and again when it ends: at
64 calls at once that costs more than the calls. So each call has a small pool for itself."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx

IDLE_S = 1.0


class SmallPools(httpx.AsyncBaseTransport):
    """Hands each call to a transport of its own, the one that was used last where several are
    free: its line is the warmest. One that nobody needed for ``idle_s`` is closed when a call
    ends; ``make`` makes another when many calls meet again.
    """

    def __init__(
        self,
        make: Callable[[], httpx.AsyncBaseTransport],
        *,
        idle_s: float = IDLE_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``make`` is called once here, so that what it raises is raised at once."""
        self._make = make
        self._idle_s = idle_s
        self._monotonic = monotonic
        first = make()
        self._all = {first}
        self._free = deque([(monotonic(), first)])

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """See httpx."""
        pool = self._take()
        try:
            response = await pool.handle_async_request(request)
        except BaseException:
            self._give_back(pool)
            raise
        if not isinstance(response.stream, httpx.AsyncByteStream):
            raise TypeError("an asynchronous answer is expected")
        response.stream = _Stream(response.stream, lambda: self._end(pool))
        return response

    async def aclose(self) -> None:
        """Close every line."""
        pools, self._all = self._all, set()
        self._free.clear()
        for pool in pools:
            await pool.aclose()

    def _take(self) -> httpx.AsyncBaseTransport:
        if self._free:
            return self._free.pop()[1]
        made = self._make()
        self._all.add(made)
        return made

    def _give_back(self, pool: httpx.AsyncBaseTransport) -> None:
        if pool in self._all:
            self._free.append((self._monotonic(), pool))

    async def _end(self, pool: httpx.AsyncBaseTransport) -> None:
        self._give_back(pool)
        if len(self._free) > 1 and self._free[0][0] < self._monotonic() - self._idle_s:
            _, idle = self._free.popleft()
            self._all.discard(idle)
            await idle.aclose()


class _Stream(httpx.AsyncByteStream):
    """An answer's body; its end frees the line."""

    def __init__(self, inner: httpx.AsyncByteStream, on_end: Callable[[], Awaitable[None]]) -> None:
        self._inner = inner
        self._on_end = on_end
        self._is_open = True

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._inner.__aiter__()

    async def aclose(self) -> None:
        if self._is_open:
            self._is_open = False
            try:
                await self._inner.aclose()
            finally:
                await self._on_end()
