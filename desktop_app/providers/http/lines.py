"""Which line a call takes. The library's own pool looks at all of its lines, for each of them, when
a call begins and again when it ends: with many at once, that costs as much as the calls."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Self

import httpcore
import httpx


def lay_lines(transport: httpx.AsyncHTTPTransport) -> None:
    """Let the transport take its lines from here. httpx has no public way to say so."""
    transport._pool = Lines(transport._pool)  # type: ignore[assignment]


class Lines:
    """Stands in for ``pool``, which still makes the lines: HTTP/1.1, one call at a time on each.

    As many as there are calls; the account bounds those. The line used last is taken first, so
    that those which are too many run out.
    """

    def __init__(self, pool: httpcore.AsyncConnectionPool) -> None:
        self._pool = pool
        self._idle: list[httpcore.AsyncConnectionInterface] = []  # the longest idle first
        self._busy: set[httpcore.AsyncConnectionInterface] = set()
        self._spent: list[httpcore.AsyncConnectionInterface] = []  # to be closed

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        """As the pool's."""
        if request.url.scheme not in (b"http", b"https"):
            raise httpcore.UnsupportedProtocol("only http:// and https:// are spoken")
        line = self._take(request.url.origin)
        self._busy.add(line)
        try:
            await self._close_spent()
            response = await line.handle_async_request(request)
        except BaseException:
            await self._give_back(line)
            raise
        assert isinstance(response.stream, AsyncIterable)
        response.stream = _Body(response.stream, partial(self._give_back, line))
        return response

    async def aclose(self) -> None:
        """Close every line, the busy ones as well."""
        self._spent += [*self._idle, *self._busy]
        self._idle.clear()
        self._busy.clear()
        await self._close_spent()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _take(self, origin: httpcore.Origin) -> httpcore.AsyncConnectionInterface:
        while self._idle and self._idle[0].has_expired():
            self._spent.append(self._idle.pop(0))
        for line in self._idle[::-1]:
            if line.can_handle_request(origin):
                self._idle.remove(line)
                if not line.has_expired():
                    return line
                self._spent.append(line)
        return self._pool.create_connection(origin)

    async def _close_spent(self) -> None:
        while self._spent:
            await self._spent.pop().aclose()

    async def _give_back(self, line: httpcore.AsyncConnectionInterface) -> None:
        if line not in self._busy:
            return
        self._busy.remove(line)
        # One that never stood calls itself idle, too.
        if line.is_closed():
            return
        if line.is_idle():
            self._idle.append(line)
        else:
            await line.aclose()


class _Body:
    """An answer's bytes; closed, its line is free for the next call."""

    def __init__(
        self, inner: AsyncIterable[bytes], give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._inner = inner
        self._give_back = give_back

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._inner.__aiter__()

    async def aclose(self) -> None:
        try:
            await self._inner.aclose()  # type: ignore[attr-defined]
        finally:
            await self._give_back()
