"""Copies of the store beside it, so that a damaged file costs a day at most and not everything."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from desktop_app.store import migrate
from desktop_app.store.copying import copy
from desktop_app.store.trouble import UNREADABLE

_log = logging.getLogger(__name__)

KEPT = 3
APART_S = 86_400.0
_ROLLING = ".backup-"
_STAMP = "%Y%m%d-%H%M%S"


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of the store; ``made_at`` is epoch seconds."""

    path: Path
    made_at: float


def rolling(path: Path) -> list[Backup]:
    """The daily copies of this store, newest first."""
    found = []
    for file in path.parent.glob(f"{path.stem}{_ROLLING}*{path.suffix}"):
        stamp = file.stem.removeprefix(path.stem + _ROLLING)
        with contextlib.suppress(ValueError, OverflowError):
            made = time.mktime(time.strptime(stamp, _STAMP))
            found.append(Backup(file, made))
    return sorted(found, key=lambda backup: backup.made_at, reverse=True)


def newest_whole(path: Path) -> Backup | None:
    """The newest copy, daily or made before a migration, that is not damaged itself."""
    found = rolling(path)
    for file in path.parent.glob(f"{path.name}.v*.bak"):
        with contextlib.suppress(OSError):
            found.append(Backup(file, file.stat().st_mtime))
    ordered = sorted(found, key=lambda backup: backup.made_at, reverse=True)
    return next((backup for backup in ordered if is_whole(backup.path)), None)


def is_due(path: Path, now: float) -> bool:
    """Whether the newest daily copy is a day old, or was made in the future of this clock."""
    newest = next(iter(rolling(path)), None)
    return newest is None or not 0 <= now - newest.made_at < APART_S


def is_worth(path: Path, most_bytes: int | None) -> bool:
    """Whether the store holds a batch, and no more bytes than that."""
    if most_bytes is not None and path.stat().st_size > most_bytes:
        return False
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as conn:
        return bool(
            conn.execute("SELECT EXISTS (SELECT 1 FROM batch WHERE stage = 1)").fetchone()[0]
        )


def make(path: Path, now: float) -> Backup:
    """Copy the store while others write to it, and drop all but the newest copies. Blocks.

    A reader's snapshot: the writer is not held up. Raises sqlite3.Error or OSError.
    """
    stamp = time.strftime(_STAMP, time.localtime(now))
    target = path.with_name(f"{path.stem}{_ROLLING}{stamp}{path.suffix}")
    copy(path, target)
    for old in _surplus(path, target):
        try:
            old.unlink(missing_ok=True)
        except OSError:
            _log.warning("an old copy of the store can't be removed")
    return Backup(target, now)


def is_whole(path: Path) -> bool:
    """Whether the file is a store that SQLite finds undamaged."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as conn:
            (verdict,) = conn.execute("PRAGMA quick_check(1)").fetchone()
            (application,) = conn.execute("PRAGMA application_id").fetchone()
    except UNREADABLE:
        return False
    return bool(verdict == "ok" and application == migrate.APPLICATION_ID)


def _surplus(path: Path, made: Path) -> Iterator[Path]:
    # By place, not by clock: the one just made stays even if the clock was set back.
    others = [backup.path for backup in rolling(path) if backup.path != made]
    yield from others[KEPT - 1 :]
