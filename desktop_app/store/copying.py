"""A whole copy of a store in one file, or none: the one way in which copies are made."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from desktop_app.domain.text import OperatorError, message


def quick_check(conn: sqlite3.Connection) -> None:
    """Raise OperatorError if SQLite finds the file damaged."""
    (verdict,) = conn.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise OperatorError(message("store.damaged", reason=str(verdict)))


def copy(source: Path, target: Path) -> None:
    """Copy while others write: checked, on the disk, then renamed into place of an older copy.

    Raises sqlite3.Error, OSError, or OperatorError for a damaged source; ``target`` is then as it
    was.
    """
    half = target.with_name(target.name + ".half")
    half.unlink(missing_ok=True)
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as from_,
            closing(sqlite3.connect(half)) as to,
        ):
            from_.backup(to)
            to.execute("PRAGMA journal_mode = delete")
            quick_check(to)
        with half.open("r+b") as file:
            os.fsync(file.fileno())
        half.replace(target)
    finally:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
