"""Rows worked through in a thread of this process, which no caller leaves reading behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from desktop_app.domain.task import Draft

T = TypeVar("T")


class _Unwanted(Exception):
    """Nobody waits for the answer any more."""


async def in_thread(
    work: Callable[[Iterable[Draft]], T], drafts: Callable[[], Iterator[Draft]]
) -> T:
    """``work`` on the drafts in a worker thread; where the caller is cancelled it ends with the
    next row, so that no thread reads on behind a closed window."""
    unwanted = threading.Event()

    def watched() -> Iterator[Draft]:
        for draft in drafts():
            if unwanted.is_set():
                raise _Unwanted
            yield draft

    try:
        return await asyncio.to_thread(lambda: work(watched()))
    except asyncio.CancelledError:
        unwanted.set()
        raise
