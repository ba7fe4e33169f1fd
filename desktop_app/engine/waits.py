"""Waiting for an event or a time, whichever comes first, on the clock that was handed in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from desktop_app.domain.clock import Clock


async def event_or_time(event: asyncio.Event, clock: Clock, seconds: float | None) -> bool:
    """Wait for ``event``, at most ``seconds`` (None: without end). Whether the event is set."""
    if event.is_set():
        return True
    if seconds is None:
        await event.wait()
        return True
    waiter = asyncio.ensure_future(event.wait())
    try:
        await first(clock, seconds, waiter)
    finally:
        waiter.cancel()
    await dropped(waiter)
    return event.is_set()


async def first(
    clock: Clock,
    seconds: float,
    future: Awaitable[Any],
) -> bool:
    """Wait until ``future`` is done, at most ``seconds``. Whether it is; it is never cancelled."""
    waited = asyncio.ensure_future(future)
    timer = asyncio.ensure_future(clock.sleep(max(0.0, seconds)))
    try:
        await asyncio.wait({waited, timer}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        timer.cancel()
    await dropped(timer)
    return waited.done()


async def dropped(task: asyncio.Future[Any]) -> None:
    """Cancel a task nobody needs and let it end."""
    task.cancel()
    await asyncio.wait({task})
