"""SQLite's errors in the domain's words, so that the engine can pause instead of blaming a row."""

from __future__ import annotations

import sqlite3

from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.text import message

_MACHINE = {
    sqlite3.SQLITE_FULL: "store.disk_full",
    sqlite3.SQLITE_BUSY: "store.busy",
    sqlite3.SQLITE_LOCKED: "store.busy",
    sqlite3.SQLITE_IOERR: "store.cannot_write",
    sqlite3.SQLITE_READONLY: "store.cannot_write",
    sqlite3.SQLITE_CANTOPEN: "store.cannot_write",
    sqlite3.SQLITE_NOMEM: "store.cannot_write",
    sqlite3.SQLITE_PERM: "store.cannot_write",
    sqlite3.SQLITE_CORRUPT: "store.damaged",
    sqlite3.SQLITE_NOTADB: "store.damaged",
}

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What a look into a damaged file may raise: its bytes may be no text, even in SQLite's own words
about them."""


def trouble_of(error: BaseException) -> BaseException:
    """LocalTrouble where this machine is to blame; any other error as it is."""
    if isinstance(error, UnicodeDecodeError):
        trouble = LocalTrouble(message("store.damaged", reason=error.reason))
        trouble.__cause__ = error
        return trouble
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return error
    said = _MACHINE.get(code & 0xFF)  # the low byte is the primary code
    if said is None:
        return error
    trouble = LocalTrouble(message(said, reason=str(error)))
    trouble.__cause__ = error
    return trouble


def cause_of(told: BaseException, error: BaseException) -> BaseException | None:
    """What ``told`` is raised from in place of ``error``, which it may be itself: an error that is
    its own cause sends everyone who looks for the first one round in a ring."""
    return error.__cause__ if told is error else error
