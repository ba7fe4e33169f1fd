"""Ids in order, in chunks by key, so that a walk over a million rows can be left at any moment."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import Sort, TaskFilter
from desktop_app.store.filters import conditions
from desktop_app.store.reader import Reader

CHUNK = 20_000

MATCHING = "SELECT {} FROM task t JOIN batch b ON b.id = t.batch_id AND b.stage = 1"

_ORDERS = {
    Sort.TRIES: "t.attempt_no",
    Sort.UPDATED: "t.updated_at",
    Sort.PROMPT: "(SELECT p.prompt FROM payload p WHERE p.task_pk = t.id)",
}


def batches(conn: sqlite3.Connection, which: TaskFilter, descending: bool) -> list[int]:
    """The sealed batches a filter may show, in order."""
    found = [pk for (pk,) in conn.execute("SELECT id FROM batch WHERE stage = 1 ORDER BY id")]
    if which.batch_id is not None:
        found = [pk for pk in found if pk == which.batch_id]
    return found[::-1] if descending else found


async def walk(
    reader: Reader, which: TaskFilter, sealed: Sequence[int], sort: Sort, descending: bool
) -> AsyncIterator[Sequence[int]]:
    """Chunks of pks; sheet order and state order go by key, the others are sorted once."""
    if sort is Sort.ROW:
        for batch_id in sealed:
            async for chunk in _by_row(reader, replace(which, batch_id=batch_id), descending):
                yield chunk
    elif sort is Sort.STATE:
        for state in sorted(which.states or TaskState, reverse=descending):
            for batch_id in sealed:
                one = replace(which, batch_id=batch_id, states=frozenset({state}))
                async for chunk in _by_row(reader, one, descending):
                    yield chunk
    else:
        sql, values = sorted_sql(which, sort, descending)
        yield await reader.read(lambda conn: _flat(conn, sql, values))


async def _by_row(
    reader: Reader, which: TaskFilter, descending: bool
) -> AsyncIterator[Sequence[int]]:
    key: int | None = None
    while True:
        sql, values = chunk_sql(which, key, descending)
        rows: list[tuple[int, int]] = await reader.read(partial(_pairs, sql=sql, values=values))
        if rows:
            key = rows[-1][0]
            yield [pk for _, pk in rows]
        if len(rows) < CHUNK:
            return


def chunk_sql(which: TaskFilter, key: int | None, descending: bool) -> tuple[str, list[Any]]:
    """The next chunk of one batch in sheet order after row ``key``: (row_no, pk) pairs.

    Several states are one index walk each, merged by SQLite in order without a sort.
    """
    direction = "DESC" if descending else "ASC"
    after = "" if key is None else f" AND t.row_no {'<' if descending else '>'} ?"
    states = [None] if not which.states or which.pks is not None else sorted(which.states)
    parts: list[str] = []
    values: list[Any] = []
    for state in states:
        chosen = which.states if state is None else frozenset({state})
        where, found = conditions(replace(which, states=chosen))
        parts.append(f"SELECT t.row_no, t.id FROM task t WHERE {where}{after}")  # noqa: S608
        values += found if key is None else [*found, key]
    sql = f"{' UNION ALL '.join(parts)} ORDER BY 1 {direction} LIMIT {CHUNK}"
    return sql, values


def sorted_sql(which: TaskFilter, sort: Sort, descending: bool) -> tuple[str, list[Any]]:
    """All pks sorted by a column that has no index; ties in sheet order."""
    where, values = conditions(which)
    direction = "DESC" if descending else "ASC"
    order = f"ORDER BY {_ORDERS[sort]} {direction}, t.batch_id, t.row_no"
    return f"{MATCHING.format('t.id')} WHERE {where} {order}", values


def _pairs(conn: sqlite3.Connection, sql: str, values: Sequence[Any]) -> list[tuple[int, int]]:
    return conn.execute(sql, values).fetchall()


def _flat(conn: sqlite3.Connection, sql: str, values: Sequence[Any]) -> Sequence[int]:
    return array("q", (pk for (pk,) in conn.execute(sql, values)))
