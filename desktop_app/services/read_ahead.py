"""Reads the next chunk of a sheet while the last one is being stored."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Iterator
from typing import TypeVar

T = TypeVar("T")


async def chunks(items: Iterator[T], size: int) -> AsyncGenerator[list[T], None]:
    """Lists of ``size`` items, read in a worker thread, one ahead. ``items`` is in use until the
    generator is closed: use ``contextlib.aclosing``."""

    def read() -> list[T]:
        return list(itertools.islice(items, size))

    following = asyncio.ensure_future(asyncio.to_thread(read))
    try:
        while chunk := await following:
            following = asyncio.ensure_future(asyncio.to_thread(read))
            yield chunk
    finally:
        # A thread can't be cancelled: wait, or it would read on behind the caller's back.
        if not following.done():
            await asyncio.wait({following})
        if not following.cancelled():
            following.exception()
