"""Stores chunks of a sheet while the next are read, some at a time: those share a commit, and
neither side waits for the other's slow moments."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

AT_ONCE = 3
"""Chunks on their way at most: the writer, which may take all of them for one commit, serves nobody
else meanwhile; and more of them would push each other out of the processor's memory."""


async def behind(
    chunks: AsyncIterator[T], store: Callable[[T], Awaitable[None]], at_once: int = AT_ONCE
) -> AsyncGenerator[T, None]:
    """Each chunk once ``store`` is over for it, in their order; raises what it raised. ``store`` is
    called in that order too, and must keep it. Use ``contextlib.aclosing``: left early, it waits
    for no call."""
    storing: deque[tuple[T, asyncio.Future[None]]] = deque()
    try:
        async for chunk in chunks:
            storing.append((chunk, asyncio.ensure_future(store(chunk))))
            if len(storing) == at_once:
                stored, call = storing.popleft()
                await call
                yield stored
        while storing:
            stored, call = storing.popleft()
            await call
            yield stored
    finally:
        for _, call in storing:
            call.cancel()
        await asyncio.gather(*(call for _, call in storing), return_exceptions=True)
