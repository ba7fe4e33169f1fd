"""Brings back a copy of a damaged store, with the folder held so that nobody works on it."""

from __future__ import annotations

import asyncio

from desktop_app.settings.instance_lock import InstanceLock
from desktop_app.settings.paths import paths
from desktop_app.store.damage import StoreDamaged
from desktop_app.store.restore import Restored, restore
from desktop_app.wiring.options import FolderInUse, HouseOptions

__all__ = ["Restored", "StoreDamaged", "bring_back"]


async def bring_back(options: HouseOptions, *, fresh: bool) -> Restored:
    """Set the damaged store aside and put in its place what can be read of it, over its newest
    copy; ``fresh``: start empty where there is none. Raises FolderInUse, and
    OperatorError for a store that is whole."""
    where = paths(options.data_dir)
    where.make()
    lock = InstanceLock(where.lock)
    if not lock.acquire():
        raise FolderInUse
    try:
        return await asyncio.to_thread(restore, where.database, fresh=fresh)
    finally:
        lock.release()
