"""Reads the next chunk of a sheet while the last one is being stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import TypeVar

T = TypeVar("T")


async def ahead(items: Iterator[T]) -> AsyncGenerator[T, None]:
    """The items, taken in a worker thread, one ahead. ``items`` is in use until the generator is
    closed: use ``contextlib.aclosing``."""

    def take() -> T | None:
        return next(items, None)

    following = asyncio.ensure_future(asyncio.to_thread(take))
    try:
        while (item := await following) is not None:
            following = asyncio.ensure_future(asyncio.to_thread(take))
            yield item
    finally:
        # A thread can't be cancelled: wait, or it would read on behind the caller's back.
        if not following.done():
            await asyncio.wait({following})
        if not following.cancelled():
            following.exception()
