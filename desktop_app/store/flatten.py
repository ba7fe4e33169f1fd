"""Makes one file of a damaged store and its WAL, with a way into it lent by its copy where its own
is gone: the schema says where each table begins, and without it SQLite reads nothing."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from desktop_app.store.leaf_pages import tree
from desktop_app.store.trouble import UNREADABLE

_COUNT, _VALID_FOR, _FREE = slice(28, 32), slice(92, 96), slice(32, 40)
_FORMAT = slice(18, 20)
_WAL = b"\x02\x02"
_HEADER = 100


def flatten(damaged: Path, like: Path, target: Path, *, same_places: bool) -> Path:
    """Every page as it is in the damaged file. ``like``: a store of the same version;
    ``same_places``: its tables begin where those of the damaged file do. Returns where the file
    is: ``target``, or beside it. Raises OSError."""
    pages = _schema(like)
    found = _pour(damaged, target) or _pour(_with_first_page(damaged, pages[1], target), target)
    if found is None:
        return _patched(target)
    if same_places and not _has_schema(found):
        with found.open("r+b") as file:
            for number, page in pages.items():
                # The first page's own header counts pages and what is free of them.
                skip = _HEADER if number == 1 else 0
                file.seek((number - 1) * len(page) + skip)
                file.write(page[skip:])
    return found


def _schema(like: Path) -> Mapping[int, bytes]:
    """The pages that hold the schema, by their numbers."""
    with like.open("rb") as file:
        size = int.from_bytes(file.read(18)[16:], "big")
        size = 1 << 16 if size == 1 else size

        def read(number: int) -> bytes:
            file.seek((number - 1) * size)
            return file.read(size)

        count = like.stat().st_size // size
        return {number: read(number) for number in sorted(tree(read, count, 1))}


def _patched(target: Path) -> Path:
    return target.with_name("patched.db")


def _with_first_page(damaged: Path, first: bytes, target: Path) -> Path:
    """A copy whose first page is that of another store, so that SQLite finds its way into the
    WAL."""
    patched = _patched(target)
    wal = damaged.with_name(damaged.name + "-wal")
    shutil.copyfile(damaged, patched)
    page = bytearray(first)
    page[_COUNT] = page[_VALID_FOR] = bytes(4)  # the count is then taken from the file itself
    page[_FREE] = bytes(8)
    if wal.exists():
        shutil.copyfile(wal, patched.with_name(patched.name + "-wal"))
        page[_FORMAT] = _WAL
    with patched.open("r+b") as file:
        file.write(page)
    return patched


def _pour(source: Path, target: Path) -> Path | None:
    target.unlink(missing_ok=True)
    with (
        contextlib.suppress(*UNREADABLE),
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as from_,
        closing(sqlite3.connect(target)) as to,
    ):
        from_.execute("PRAGMA writable_schema = 1")  # opens a file that was cut short as well
        from_.backup(to)
        return target
    return None


def _has_schema(path: Path) -> bool:
    with contextlib.suppress(*UNREADABLE), closing(sqlite3.connect(path)) as conn:
        return bool(conn.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    return False
