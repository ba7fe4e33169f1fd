"""Rows that may have been billed, with what a person must know before deciding about them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

from desktop_app.domain.budget import worst_case
from desktop_app.domain.connection import Connection
from desktop_app.domain.money import Money
from desktop_app.domain.task import Request, TaskState
from desktop_app.domain.views import DoubtfulRow, TaskFilter
from desktop_app.store.codec import to_connection, to_request
from desktop_app.store.filters import conditions

_UNKNOWN = """EXISTS (
  SELECT 1 FROM attempt a WHERE a.task_pk = t.id AND a.outcome = 'unknown' AND a.billed <> 'no'"""

_ROWS = f"""
SELECT t.id, t.batch_id, p.prompt, p.params, p.extra,
       {_UNKNOWN}), {_UNKNOWN} AND a.job_id IS NOT NULL)
FROM task t JOIN payload p ON p.task_pk = t.id
JOIN batch b ON b.id = t.batch_id AND b.stage = 1 WHERE {{}}"""  # noqa: S608 - constants

_CONNECTION = """
SELECT c.id, c.name, c.adapter, c.base_url, c.model, c.retries, c.spec
FROM batch b JOIN connection c ON c.id = b.connection_id WHERE b.id = ?"""


def find(conn: sqlite3.Connection, which: TaskFilter) -> list[DoubtfulRow]:
    """The UNCERTAIN among those that match, at the prices of now."""
    connections: dict[int, Connection] = {}
    found = []
    for pk, batch_id, prompt, params, extra, unknown, has_job in _matching(conn, which):
        if batch_id not in connections:
            connections[batch_id] = to_connection(conn.execute(_CONNECTION, (batch_id,)).fetchone())
        connection = connections[batch_id]
        worst = _worst(connection, to_request(prompt, params, extra))
        found.append(DoubtfulRow(pk, connection.id, bool(unknown), bool(has_job), worst))
    return found


def _matching(conn: sqlite3.Connection, which: TaskFilter) -> Iterator[Any]:
    batches: list[int | None] = [which.batch_id]
    if which.batch_id is None and which.pks is None:  # named, so that each uses its own index
        batches = [pk for (pk,) in conn.execute("SELECT id FROM batch WHERE stage = 1")]
    for batch_id in batches:
        narrowed = replace(which, batch_id=batch_id)
        where, values = conditions(narrowed, frozenset({TaskState.UNCERTAIN}))
        yield from conn.execute(_ROWS.format(where), values)


def _worst(connection: Connection, request: Request) -> Money | None:
    worst = worst_case(connection, request)
    currency = "" if connection.price is None else connection.price.currency
    return None if worst is None else Money(Decimal(worst), currency)
