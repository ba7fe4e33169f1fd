"""Brings back a copy of a damaged store, with the folder held so that nobody works on it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from desktop_app.domain.text import Message, message
from desktop_app.settings.instance_lock import InstanceLock
from desktop_app.settings.paths import paths
from desktop_app.store.damage import StoreDamaged, spoken_time, told_damage
from desktop_app.wiring.options import FolderInUse, HouseOptions

if TYPE_CHECKING:
    from desktop_app.store.restore import Restored

__all__ = ["Restored", "StoreDamaged", "bring_back", "met_damage", "told"]


def told(done: Restored) -> Message:
    """What was brought back, made anew and held, in a line for the window."""
    said = _told(done)
    if not done.rebuilt:
        return said
    return message("services.restored_anew", said=said, names=list(done.rebuilt))


def _told(done: Restored) -> Message:
    if done.is_whole:
        return message("services.restored_whole")
    rows = done.lost_rows or ()
    names = [lost.name for lost in rows]
    when = spoken_time(done.backup.made_at) if done.backup is not None else None
    held = f"{done.uncertain:,}"
    if names:
        return message("services.restored_lost", held=held, names=names)
    if when is None:
        return message("services.restored_alone", held=held)
    return message("services.restored", when=when, held=held)


def met_damage(options: HouseOptions, said: Message) -> Message:
    """Damage that a verb came upon after the list was opened, told as at the start. Blocks."""
    return told_damage(said, paths(options.data_dir).database).message


async def bring_back(options: HouseOptions, *, fresh: bool) -> Restored:
    """Set the damaged store aside and put in its place what can be read of it, over its newest
    copy; ``fresh``: start empty where there is none. Raises FolderInUse, and
    OperatorError for a store that is whole."""
    # Imported where it is wanted: a start that finds the store whole has no use for it.
    from desktop_app.exports.verified import read_noted
    from desktop_app.store.restore import restore

    where = paths(options.data_dir)
    where.make()
    lock = InstanceLock(where.lock)
    if not lock.acquire():
        raise FolderInUse
    try:
        return await asyncio.to_thread(restore, where.database, read_noted, fresh=fresh)
    finally:
        lock.release()
