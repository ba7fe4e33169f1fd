"""Gathers what can be read of a damaged file, as rows beside the copy that takes its place."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from desktop_app.store.flatten import flatten
from desktop_app.store.leaf_pages import Column, LeafPages, Shape
from desktop_app.store.migrate import APPLICATION_ID
from desktop_app.store.trouble import UNREADABLE

KEYS = {
    "connection": "id",
    "batch": "id",
    "task": "id",
    "payload": "task_pk",
    "attempt": "id",
    "result": "id",
    "more_result": "id",
    "next_edition": "task_pk",
}
"""Tables that hold what happened, in the order in which one refers to the other, and their keys.
All others are counted anew from them."""


@dataclass(slots=True)
class Salvage:
    """``partly``: tables of which rows may be missing. ``rows``: of each batch, how many the file
    itself counted; None where that can't be read. ``connections``: of batches that have a price,
    the connection that their sums are kept for."""

    partly: set[str] = field(default_factory=set)
    rows: dict[int, int] | None = None
    connections: dict[int, int] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Whether SQLite could read every table from end to end."""
        return not self.partly


def version_of(damaged: Path) -> int | None:
    """The damaged file's version, where its first page tells."""
    with contextlib.suppress(*UNREADABLE), closing(_open(damaged)) as conn:
        (version,) = conn.execute("PRAGMA user_version").fetchone()
        (application,) = conn.execute("PRAGMA application_id").fetchone()
        return int(version) if application == APPLICATION_ID else None
    return None


def gather(
    conn: sqlite3.Connection, damaged: Path | None, like: Path, *, same_places: bool
) -> Salvage:
    """Fill tables of the same names in the schema ``saved`` of ``conn``, which is opened with
    ``uri=True`` on ``like``, a store of the same version, and is in no transaction.

    ``same_places``: the tables of ``like`` begin where those of the damaged file do.
    """
    conn.execute("ATTACH '' AS saved")
    tables = [name for name in KEYS if _columns(conn, name)]
    for name in tables:
        conn.execute(f"CREATE TABLE saved.{name} AS SELECT * FROM main.{name} WHERE 0")  # noqa: S608
    salvage = Salvage(partly=set(tables))
    if damaged is not None:
        _take(conn, damaged, salvage)
    if damaged is not None and salvage.partly:
        with tempfile.TemporaryDirectory(dir=damaged.parent, prefix=".salvage-") as folder:
            flat = flatten(damaged, like, Path(folder) / "flat.db", same_places=same_places)
            _take(conn, flat, salvage)
            _read_pages(conn, flat, tables, salvage.partly)
    for name in tables:
        conn.execute(f"CREATE INDEX saved.{name}_key ON {name} ({KEYS[name]})")
    return salvage


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(_uri(path), uri=True, isolation_level=None)


def _uri(path: Path) -> str:
    return f"{path.absolute().as_uri()}?mode=ro"


def _take(conn: sqlite3.Connection, damaged: Path, salvage: Salvage) -> None:
    """Whole tables, by SQLite itself, of those that are not had yet."""
    with _attached(conn, damaged):
        for name in sorted(salvage.partly):
            names = ", ".join(_columns(conn, name))
            with contextlib.suppress(*UNREADABLE):
                conn.execute(
                    f"INSERT INTO saved.{name} ({names}) "  # noqa: S608 - names of our own
                    f"SELECT {names} FROM damaged.{name} NOT INDEXED"
                )
                salvage.partly.discard(name)
        with contextlib.suppress(*UNREADABLE):
            sql = "SELECT batch_id, sum(n) FROM damaged.tally GROUP BY batch_id"
            salvage.rows = dict(conn.execute(sql).fetchall())
        with contextlib.suppress(*UNREADABLE):
            sql = "SELECT batch_id, max(connection_id) FROM damaged.purse GROUP BY batch_id"
            salvage.connections = dict(conn.execute(sql).fetchall())
        with contextlib.suppress(*UNREADABLE):
            conn.execute("REPLACE INTO main.account_pause SELECT * FROM damaged.account_pause")


@contextlib.contextmanager
def _attached(conn: sqlite3.Connection, damaged: Path) -> Iterator[None]:
    """As ``damaged``, where SQLite can open it at all; if not, every look into it fails."""
    with contextlib.suppress(*UNREADABLE):
        conn.execute("ATTACH ? AS damaged", (_uri(damaged),))
    with contextlib.suppress(*UNREADABLE):
        conn.execute("PRAGMA damaged.cell_size_check = 1")
    yield
    with contextlib.suppress(*UNREADABLE):
        conn.execute("DETACH damaged")


def _columns(conn: sqlite3.Connection, name: str) -> list[str]:
    return [row[1] for row in conn.execute(f"PRAGMA main.table_info({name})")]


def _read_pages(conn: sqlite3.Connection, flat: Path, tables: list[str], wanted: set[str]) -> None:
    """Single rows of the wanted tables, without SQLite."""
    (size,) = conn.execute("PRAGMA main.page_size").fetchone()
    roots = _roots(conn, flat)
    # One that is not wanted is known all the same, so that its pages are not taken for others'.
    shapes = {
        name: Shape(roots[name], _shape(conn, name)) for name in (*tables, "command", "calls")
    }
    with closing(LeafPages(flat, size, shapes)) as pages:
        for name in sorted(wanted):
            holders = ", ".join("?" * len(shapes[name].columns))
            conn.execute("BEGIN")
            conn.executemany(f"INSERT INTO saved.{name} VALUES ({holders})", pages.rows(name))  # noqa: S608
            conn.execute("COMMIT")


def _roots(conn: sqlite3.Connection, flat: Path) -> dict[str, int]:
    sql = "SELECT name, rootpage FROM sqlite_master WHERE type = 'table'"
    roots: dict[str, int] = dict(conn.execute(sql).fetchall())
    with contextlib.suppress(*UNREADABLE), closing(_open(flat)) as own:
        own.execute("PRAGMA writable_schema = 1")
        roots |= dict(own.execute(sql).fetchall())
    return roots


def _shape(conn: sqlite3.Connection, name: str) -> list[Column]:
    shape = []
    for _, _, kind, not_null, default, pk in conn.execute(f"PRAGMA main.table_info({name})"):
        (value,) = conn.execute(f"SELECT {default or 'NULL'}").fetchone()
        shape.append(Column(kind, bool(not_null), bool(pk) and kind == "INTEGER", value))
    return shape
