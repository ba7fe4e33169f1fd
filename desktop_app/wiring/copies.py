"""Keeps a daily copy of the store while the program runs, and one more look as it closes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from desktop_app.store.store import Store

FIRST_S = 60.0
APART_S = 600.0
QUICK_BYTES = 64 << 20
"""Up to this size a copy takes a moment, so that closing may wait for it."""


@contextlib.asynccontextmanager
async def daily_copies(store: Store) -> AsyncIterator[None]:
    """While this is open the store is copied beside itself once a day."""
    task = asyncio.ensure_future(_keep(store))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
        await store.back_up_if_due(most_bytes=QUICK_BYTES)


async def _keep(store: Store) -> None:
    await asyncio.sleep(FIRST_S)
    while True:
        await store.back_up_if_due()
        await asyncio.sleep(APART_S)
