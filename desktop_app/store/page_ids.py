"""Ids in order, in chunks by key, so that a walk over a million rows can be left at any moment."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import Sort, TaskFilter
from desktop_app.store.filters import conditions
from desktop_app.store.reader import Reader
from desktop_app.store.sort_keys import order_by

FIRST = 500
"""Ids of the first chunk: more than a screen shows, and there at once."""

CHUNK = 20_000

FETCHED = 2_000
"""Rows that come over from SQLite at a time."""

Statement = tuple[str, list[Any]]
Bounds = tuple[str, list[int]]
"""More for the WHERE, with its values."""

ENDS = """
SELECT (SELECT min(row_no) FROM task WHERE batch_id = ?1),
       (SELECT max(row_no) FROM task WHERE batch_id = ?1)"""

MATCHING = "SELECT {} FROM task t JOIN batch b ON b.id = t.batch_id AND b.stage = 1"

BATCHES = "SELECT id FROM batch WHERE stage = 1 ORDER BY {}"


def batches(conn: sqlite3.Connection, which: TaskFilter, sort: Sort, descending: bool) -> list[int]:
    """The sealed batches a filter may show, in the order in which their rows stand."""
    by = "name COLLATE NOCASE, id" if sort is Sort.BATCH else "id"
    found = [pk for (pk,) in conn.execute(BATCHES.format(by))]
    if which.batch_id is not None:
        found = [pk for pk in found if pk == which.batch_id]
    turned = descending and sort in (Sort.ROW, Sort.BATCH)
    return found[::-1] if turned else found


async def walk(
    reader: Reader,
    which: TaskFilter,
    sealed: Sequence[int],
    sort: Sort,
    descending: bool,
    now: float,
) -> AsyncGenerator[array[int], None]:
    """Chunks of pks, the first a small one; sheet order and that by batch go by key. In the others
    rows take other places while they run: what follows the first chunk comes in one, as the rows
    stood at one moment, or a row would come twice. ``now``: until when what runs has run, epoch
    seconds."""
    if sort not in (Sort.ROW, Sort.BATCH):
        if sort is Sort.STATE:
            found = state_sql(which, sealed, descending)
        else:
            found = [sorted_sql(which, sort, descending, now)]
        first = await reader.read(lambda conn: _walk(conn, found, FIRST))
        yield first
        if len(first) == FIRST:
            # What moved up meanwhile is in the first chunk, or is told of by its change.
            yield await reader.read(lambda conn: _walk(conn, found, None, frozenset(first)))
        return
    limit = FIRST
    by_span = bool(which.text.strip()) and which.pks is None
    backwards = descending and sort is Sort.ROW
    for batch_id in sealed:
        one = replace(which, batch_id=batch_id)
        walk_one = (
            _by_span(reader, one, backwards) if by_span else _by_row(reader, one, backwards, limit)
        )
        async for chunk in walk_one:
            yield chunk
            limit = CHUNK


async def _by_row(
    reader: Reader, which: TaskFilter, descending: bool, limit: int
) -> AsyncGenerator[array[int], None]:
    bounds: Bounds = ("", [])
    while True:
        pks, key = await _chunk(reader, chunk_sql(which, bounds, descending, limit), descending)
        if pks:
            yield pks
        if len(pks) < limit:
            return
        bounds, limit = after(key, descending), CHUNK


async def _by_span(
    reader: Reader, which: TaskFilter, descending: bool
) -> AsyncGenerator[array[int], None]:
    """So many rows at a time, whether they match or not: what is found is told at once."""
    low, high = await reader.read(lambda conn: conn.execute(ENDS, (which.batch_id,)).fetchone())
    spans = [] if low is None else [(at, at + CHUNK - 1) for at in range(low, high + 1, CHUNK)]
    for span in reversed(spans) if descending else spans:
        bounds = (" AND t.row_no BETWEEN ? AND ?", [*span])
        pks, _ = await _chunk(reader, chunk_sql(which, bounds, descending, CHUNK), descending)
        if pks:
            yield pks


def _walk(
    conn: sqlite3.Connection,
    statements: Sequence[Statement],
    limit: int | None,
    without: frozenset[int] = frozenset(),
) -> array[int]:
    """The pks that these find one after the other, so many of them (None: all), ``without``
    these."""
    found = array("q")
    for sql, values in statements:
        left = -1 if limit is None else limit - len(found)
        cursor = conn.execute(f"{sql} LIMIT {left:d}", values)
        # In pieces: nobody waits for the interpreter meanwhile, and little memory is taken.
        while rows := cursor.fetchmany(FETCHED):
            found.extend([pk for (pk,) in rows if pk not in without])
    return found


async def _chunk(reader: Reader, statement: Statement, descending: bool) -> tuple[array[int], int]:
    """The pks that a statement finds, and the row of the last."""
    # One text instead of thousands of rows: nobody waits for the interpreter meanwhile.
    last = "min" if descending else "max"
    sql = f"SELECT json_group_array(pk), {last}(row_no) FROM ({statement[0]})"  # noqa: S608
    found, key = await reader.read(lambda conn: conn.execute(sql, statement[1]).fetchone())
    return array("q", json.loads(found)), key or 0


def after(key: int, descending: bool) -> Bounds:
    """Rows beyond this one."""
    return f" AND t.row_no {'<' if descending else '>'} ?", [key]


def chunk_sql(which: TaskFilter, bounds: Bounds, descending: bool, limit: int) -> Statement:
    """A chunk of one batch in sheet order within ``bounds``: row_no and pk.

    Several states are one index walk each, merged by SQLite in order without a sort.
    """
    direction = "DESC" if descending else "ASC"
    states = [None] if not which.states or which.pks is not None else sorted(which.states)
    parts: list[str] = []
    values: list[Any] = []
    for state in states:
        chosen = which.states if state is None else frozenset({state})
        where, found = conditions(replace(which, states=chosen))
        parts.append(f"SELECT t.row_no, t.id AS pk FROM task t WHERE {where}{bounds[0]}")  # noqa: S608
        values += [*found, *bounds[1]]
    return f"{' UNION ALL '.join(parts)} ORDER BY 1 {direction} LIMIT {limit}", values


def state_sql(which: TaskFilter, sealed: Sequence[int], descending: bool) -> list[Statement]:
    """The rows of one state after those of another, by key: pks; those of one in sheet order."""
    found = []
    for state in sorted(which.states or TaskState, reverse=descending):
        for batch_id in sealed:
            one = replace(which, batch_id=batch_id, states=frozenset({state}))
            where, values = conditions(one)
            found.append((f"SELECT t.id FROM task t WHERE {where} ORDER BY t.row_no", values))  # noqa: S608
    return found


def sorted_sql(which: TaskFilter, sort: Sort, descending: bool, now: float) -> Statement:
    """All sorted by a column that has no index: pks; equal ones in sheet order."""
    where, values = conditions(which)
    order, more = order_by(sort, descending, now)
    return f"{MATCHING.format('t.id')} WHERE {where} ORDER BY {order}", [*values, *more]
