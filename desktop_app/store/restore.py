"""Puts a damaged list of tasks together again from all that can be read of it and its newest copy,
and sees to it that what may have been paid for since is not bought again."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.store import migrate
from desktop_app.store.backups import Backup, is_whole, newest_whole
from desktop_app.store.copying import copy, quick_check
from desktop_app.store.damage import spoken_time
from desktop_app.store.fates import Fates, Verify, decide
from desktop_app.store.losses import LostRows, lost_calls, lost_rows
from desktop_app.store.merge import drop_strays, merge
from desktop_app.store.rebuilt import rebuild
from desktop_app.store.recount import no_triggers, recount
from desktop_app.store.salvage import Salvage, gather, version_of
from desktop_app.store.set_aside import Aside

_log = logging.getLogger(__name__)

_REBUILT = "SELECT name FROM main.batch WHERE id IN (SELECT id FROM saved.rebuilt) ORDER BY id"


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did.

    ``damaged``: where the old file is kept, None where there was none. ``backup`` None: there was
    no copy. ``is_whole``: everything could be read, and nothing is lost. ``lost_attempts``: calls
    of which nothing is known, ``lost_rows``: rows that are in neither file; None where too little
    of the damaged file can be read to tell. ``rebuilt``: names of batches that were made anew from
    their rows. ``uncertain`` rows were set aside, because nobody
    knows whether they were sent or what came of it. ``requests``: rows whose prompt is lost.
    """

    damaged: Path | None
    backup: Backup | None
    is_whole: bool = False
    lost_attempts: int | None = None
    lost_rows: tuple[LostRows, ...] | None = None
    uncertain: int = 0
    requests: int = 0
    rebuilt: tuple[str, ...] = ()


def restore(path: Path, verify: Verify, *, fresh: bool = False) -> Restored:
    """Set the damaged store aside and put what can be had of it in its place. Blocks.

    The caller holds the folder's lock. Every unfinished batch comes back paused. Raises
    OperatorError for a store that is not damaged, or has no copy and tells nothing (unless
    ``fresh``: start empty). One that was interrupted is done anew. ``verify`` reads the file of a
    row whose result is lost.
    """
    aside = Aside(path)
    if aside.is_in_place and is_whole(path):
        raise OperatorError(message("store.not_damaged"))
    backup = newest_whole(path)
    if fresh and backup is None:
        _lay_out(aside.made, None, max(migrate.shipped()))
        return Restored(aside.exchange(), None)
    done = _rebuild(aside, backup, verify)
    if done is None:
        raise OperatorError(message("store.no_backup", folder=str(path.parent)))
    return done(aside.exchange())


def _rebuild(
    aside: Aside, backup: Backup | None, verify: Verify
) -> Callable[[Path | None], Restored] | None:
    """Makes the new file. None where neither a copy nor the damaged file has anything."""
    try:
        return _put_together(aside.made, backup, aside.source, verify)
    except (sqlite3.Error, ArithmeticError, LookupError, ValueError):
        # Whatever the damaged bytes led to: the copy alone is better than nothing.
        _log.exception("what can be read of the damaged store could not be used")
        return None if backup is None else _put_together(aside.made, backup, None, verify)


def _put_together(
    made: Path, backup: Backup | None, damaged: Path | None, verify: Verify
) -> Callable[[Path | None], Restored] | None:
    latest = max(migrate.shipped())
    version = version_of(damaged) if damaged is not None else None
    migrate.refuse_newer(version or 0, latest)
    when = "" if backup is None else spoken_time(backup.made_at)
    same_places = _lay_out(made, backup, version or latest)
    with closing(sqlite3.connect(made.absolute().as_uri(), uri=True, isolation_level=None)) as conn:
        conn.execute("PRAGMA foreign_keys = 0")
        salvage = gather(conn, damaged, made, same_places=same_places)
        with no_triggers(conn):
            merge(conn, salvage.partly)
            rebuild(conn, salvage.partly, salvage.connections, made.parent)
            drop_strays(conn, salvage.partly)
            read = _count(conn, "saved.task") + _count(conn, "saved.attempt")
            calls, lost = lost_calls(conn), lost_rows(conn, salvage.partly, salvage.rows)
            unread = _count(conn, "saved.unread")
            fates = decide(conn, verify, when)
        if backup is None and not _count(conn, "main.connection"):
            return None
        whole = _is_all(salvage, fates, calls, lost, unread) and not _count(conn, "saved.rebuilt")
        migrate.migrate(conn, None)
        with no_triggers(conn):
            recount(conn)
            _pause(conn, _reason(whole, bool(read), backup, when))
        rebuilt = tuple(name for (name,) in conn.execute(_REBUILT))
        conn.execute("DETACH saved")
        quick_check(conn)

    def done(kept: Path | None) -> Restored:
        if not read:
            return Restored(kept, backup, uncertain=fates.held)
        sure = "attempt" not in salvage.partly or not unread
        return Restored(
            kept,
            backup,
            whole,
            calls if sure else None,
            tuple(lost),
            fates.held,
            fates.requests,
            rebuilt,
        )

    return done


def _lay_out(made: Path, backup: Backup | None, version: int) -> bool:
    """The file to work on: the copy, or an empty store, brought to the damaged file's version.
    Whether it is the copy as it was made."""
    made.unlink(missing_ok=True)
    if backup is not None:
        copy(backup.path, made)
    with closing(sqlite3.connect(made, isolation_level=None)) as conn:
        found = migrate.version_of(conn)
        goal = max(version, found)
        migrate.migrate(conn, None, {n: sql for n, sql in migrate.shipped().items() if n <= goal})
    return found == goal


def _count(conn: sqlite3.Connection, table: str) -> int:
    (count,) = conn.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - literals
    return int(count)


def _is_all(salvage: Salvage, fates: Fates, calls: int, lost: list[LostRows], unread: int) -> bool:
    """Whether the damaged file has told everything: read from end to end, or page by page with
    every row, call, request and result that its own books speak of."""
    missing = calls or lost or unread or fates.held or fates.requests
    return (salvage.is_whole or salvage.rows is not None) and not missing


def _reason(whole: bool, told: bool, backup: Backup | None, when: str) -> Message:
    if whole:
        return message("store.restored_whole")
    if backup is None:
        return message("store.restored_alone")
    return message("store.restored" if told else "store.restored_blind", when=when)


def _pause(conn: sqlite3.Connection, reason: Message) -> None:
    conn.execute(
        "UPDATE batch SET run_state = 2, pause_reason = ?, run_since = NULL "
        "WHERE stage = 1 AND (finished_at IS NULL OR run_state = 1) "
        "AND id NOT IN (SELECT id FROM saved.rebuilt)",
        (reason.dump(),),
    )
