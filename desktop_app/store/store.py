"""One door to the store: opens the file, starts its threads, and hands out one object a port."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Self

from peewee import SqliteDatabase

from desktop_app.domain.clock import Clock, SystemClock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.text import OperatorError, message
from desktop_app.store import backups, looking, migrate
from desktop_app.store.connect import open_reader, open_writer, raw
from desktop_app.store.copying import quick_check
from desktop_app.store.damage import refuse_lost, with_backup
from desktop_app.store.no_writer import NoWriter
from desktop_app.store.raw_answers import RawAnswers
from desktop_app.store.reader import Reader
from desktop_app.store.store_ports import StorePorts
from desktop_app.store.trouble import UNREADABLE, cause_of, trouble_of
from desktop_app.store.wire_log import WireLog
from desktop_app.store.writer import OnChange, Writer, nobody_listens

_log = logging.getLogger(__name__)

LOCKED_S = 20.0
ROOM_BYTES = 64 << 10
"""Less than what SQLite's files beside a store take."""
_PASSING = frozenset({"store.busy", "store.disk_full"})


class Store(StorePorts):
    """The ports over one file. Made by ``open``; ended by ``close``."""

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        boot_id: str | None = None,
        on_change: OnChange = nobody_listens,
        clock: Clock | None = None,
        read_only: bool = False,
        check: bool = True,
        look_later: bool = False,
        at_work: bool = True,
    ) -> Self:
        """Open the file; blocks, belongs to no loop. Raises OperatorError (StoreDamaged with the
        newest whole copy).

        ``boot_id`` identifies the machine's current boot (None: unknown). ``on_change(batch_id,
        pks)`` is called on the caller's loop after each commit; no pks means the whole batch.
        ``read_only`` never writes and needs an existing file. ``check`` looks for damage first:
        leave it out where a short-lived process only posts a command. ``look_later``: a large file
        that was closed well may be read before that, and whoever writes waits (see ``checked``).
        ``at_work`` False: no engine is at work on the file, and time does not pass for what was
        left running.

        A file that others hold is tried again for ``LOCKED_S``, then LocalTrouble says so.
        """
        started = time.monotonic()
        while True:
            try:
                return cls._open(
                    path, boot_id, on_change, clock, read_only, check, look_later, at_work
                )
            except LocalTrouble as trouble:
                waited = time.monotonic() - started
                if trouble.message.code != "store.busy":
                    raise
                if waited >= LOCKED_S:
                    raise LocalTrouble(message("store.locked", seconds=int(waited))) from trouble

    @classmethod
    def _open(
        cls,
        path: Path,
        boot_id: str | None,
        on_change: OnChange,
        clock: Clock | None,
        read_only: bool,
        check: bool,
        look_later: bool,
        at_work: bool,
    ) -> Self:
        wire = WireLog(path.with_name(path.name + ".wire"), boot_id)
        answers = RawAnswers(path.with_name(path.name + ".answers"))
        writer: Writer
        if read_only:
            try:
                _look(path)
            except OperatorError as error:
                told = with_backup(error, path)
                raise told from cause_of(told, error)
            writer = NoWriter(LocalTrouble(message("store.read_only")))
        else:
            later = check and look_later and _may_look_later(path)
            writer = Writer(
                _preparing(path, check and not later),
                on_change,
                looking.look_through if later else None,
                looking.FIRST_ROWS_S,
            )
        threads: list[Writer | Reader] = []
        try:
            for thread in (
                writer,
                quick := Reader("store-reader", lambda: open_reader(path)),
                slow := Reader("store-walker", lambda: open_reader(path, sorts=True)),
            ):
                thread.start()
                threads.append(thread)
        except BaseException as error:
            for thread in reversed(threads):
                thread.stop()
            told = with_backup(_spoken(error, path), path)
            raise told from cause_of(told, error)
        return cls(
            path, writer, quick, slow, wire, answers, clock or SystemClock(), at_work=at_work
        )

    @property
    def is_checked(self) -> bool:
        """Whether the look for damage is over and found none, or none was wanted."""
        looked = self._threads[0].checked
        return looked.done() and looked.exception() is None

    async def checked(self) -> None:
        """Wait for the look for damage. Raises StoreDamaged; then nothing was written, and
        nothing will be."""
        try:
            await asyncio.shield(asyncio.wrap_future(self._threads[0].checked))
        except (OperatorError, *UNREADABLE) as error:
            spoken = _spoken(error, self._path)
            told = await asyncio.to_thread(with_backup, spoken, self._path)
            raise told from cause_of(told, error)

    async def back_up_if_due(self, *, most_bytes: int | None = None) -> bool:
        """Copy the store beside it, once a day, while others write to it; not if it holds no
        batch or more than ``most_bytes``. Whether it did."""
        return await asyncio.to_thread(self._back_up_if_due, most_bytes)

    def _back_up_if_due(self, most_bytes: int | None) -> bool:
        now = self._clock.now()
        try:
            if not backups.is_due(self._path, now) or not backups.is_worth(self._path, most_bytes):
                return False
            backups.make(self._path, now)
        except (sqlite3.Error, OSError, OperatorError):
            _log.exception("the daily copy of the store could not be made")
            return False
        return True

    async def close(self) -> None:
        """Finish what is queued, checkpoint, close. Nothing may be asked afterwards."""
        writer, quick, slow = self._threads
        await quick.close()
        await slow.close()
        # Last, so that its checkpoint finds no reader in the way.
        await writer.close()
        self._wire.close()
        self._answers.close()


async def open_store(
    path: Path,
    *,
    boot_id: str | None = None,
    on_change: OnChange = nobody_listens,
    clock: Clock | None = None,
    read_only: bool = False,
    check: bool = True,
    look_later: bool = False,
    at_work: bool = True,
) -> Store:
    """``Store.open`` without blocking the loop."""
    return await asyncio.to_thread(
        Store.open,
        path,
        boot_id=boot_id,
        on_change=on_change,
        clock=clock,
        read_only=read_only,
        check=check,
        look_later=look_later,
        at_work=at_work,
    )


def _preparing(path: Path, check: bool) -> Callable[[], SqliteDatabase]:
    def connect() -> SqliteDatabase:
        # Before the first pragma: another program's file is left as it is.
        if not path.exists() or _peek(path)[0] == 0:
            refuse_lost(path)
        database = open_writer(path)
        try:
            conn = raw(database)
            if check:
                quick_check(conn)
            migrate.migrate(conn, path)
        except BaseException:
            database.close()
            raise
        return database

    return connect


def _may_look_later(path: Path) -> bool:
    try:
        version, latest = _peek(path) if path.exists() else (0, 0)
    except (OperatorError, LocalTrouble):
        return False  # opening it will say what is wrong
    return version == latest and looking.may_wait(path)


def _look(path: Path) -> None:
    """Raise OperatorError unless the file can be read as it is."""
    version, latest = _peek(path) if path.exists() else (0, 0)
    if version == 0:
        refuse_lost(path)
        raise OperatorError(message("store.nothing_here"))
    if version < latest:
        raise OperatorError(message("store.older_file"))


def _peek(path: Path) -> tuple[int, int]:
    """(the file's version, the latest known); raises OperatorError for a newer or foreign file."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as conn:
            version, latest = migrate.version_of(conn), max(migrate.shipped())
    except UNREADABLE as error:
        told = _spoken(error, path)
        raise told from cause_of(told, error)
    migrate.refuse_newer(version, latest)
    return version, latest


def _spoken(error: BaseException, path: Path) -> BaseException:
    """LocalTrouble for what passes by itself; OperatorError for what a person must mend."""
    trouble = trouble_of(getattr(error, "orig", None) or error)
    if not isinstance(trouble, LocalTrouble):
        return error
    if trouble.message.code == "store.cannot_write" and _is_full(path):
        # SQLite has many words for a file of its own that finds no room.
        return LocalTrouble(message("store.disk_full"))
    return trouble if trouble.message.code in _PASSING else OperatorError(trouble.message)


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < ROOM_BYTES
    except OSError:
        return False
