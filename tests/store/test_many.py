"""Many rows in one statement come to the same as each in its own."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from desktop_app.store.many import change_many
from desktop_app.store.writer import Txn

CHANGE = (
    "UPDATE n SET a = {a}, b = coalesce({b}, n.b) FROM {given} WHERE n.id = {id} AND n.a = {was}"
)


@pytest.mark.parametrize("count", [1, 2, 131])
@pytest.mark.parametrize("alike", [True, False])
def test_rows_are_changed_each_by_its_own_values(count: int, alike: bool) -> None:
    with closing(sqlite3.connect(":memory:")) as conn:
        conn.execute("CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT, b REAL)")
        conn.executemany("INSERT INTO n VALUES (?, 'old', 0.5)", [(i,) for i in range(count)])
        rows = [
            ("new" if alike else f"new {i}", None if alike or i % 2 else float(i), "old", i)
            for i in range(count)
        ]
        assert change_many(Txn(conn, {}), CHANGE, "a b was id", rows) == count
        wanted = [(i, a, 0.5 if b is None else b) for a, b, _, i in rows]
        assert conn.execute("SELECT * FROM n ORDER BY id").fetchall() == wanted


def test_no_row_that_stands_otherwise_is_changed_or_counted() -> None:
    with closing(sqlite3.connect(":memory:")) as conn:
        conn.execute("CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT, b REAL)")
        conn.execute("INSERT INTO n VALUES (1, 'old', 0), (2, 'moved on', 0)")
        rows = [("new", 1.0, "old", 1), ("new", 1.0, "old", 2), ("new", 1.0, "old", 3)]
        assert change_many(Txn(conn, {}), CHANGE, "a b was id", rows) == 1
        assert conn.execute("SELECT a FROM n").fetchall() == [("new",), ("moved on",)]
        assert change_many(Txn(conn, {}), CHANGE, "a b was id", []) == 0
