"""Connections in the store: everything about them except the secret."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.text import OperatorError, message
from desktop_app.store.codec import from_connection, to_connection
from desktop_app.store.reader import Reader
from desktop_app.store.tables import ConnectionRow as Row
from desktop_app.store.tables import run
from desktop_app.store.writer import Txn, Writer

_IN_USE = """
SELECT EXISTS (SELECT 1 FROM batch
               WHERE connection_id = ? AND (stage = 0 OR finished_at IS NULL))"""


class Connections:
    """Implements ConnectionStore. A removed one stays for the batches that ran on it."""

    def __init__(self, writer: Writer, reader: Reader) -> None:
        self._writer = writer
        self._reader = reader

    async def all(self) -> list[Connection]:
        """Every connection, by id."""
        return await self._reader.read(lambda conn: _find(conn))

    async def get(self, connection_id: int) -> Connection | None:
        """One connection."""
        found = await self._reader.read(lambda conn: _find(conn, Row.id == connection_id))
        return found[0] if found else None

    async def by_name(self, name: str) -> Connection | None:
        """The connection of that name; case doesn't matter."""
        found = await self.all()
        return next((c for c in found if c.name.casefold() == name.casefold()), None)

    async def save(self, connection: Connection) -> Connection:
        """Add (id 0) or change. Raises OperatorError for a name taken or one that is gone."""
        return await self._writer.do(lambda txn: _save(txn, connection))

    async def remove(self, connection_id: int) -> bool:
        """Remove; False where it is unknown or an unfinished batch needs it."""
        return await self._writer.do(lambda txn: _remove(txn, connection_id))

    async def in_use(self, connection_id: int) -> bool:
        """Whether an unfinished batch needs it."""
        return await self._reader.read(lambda conn: _in_use(conn, connection_id))


def _find(conn: sqlite3.Connection, condition: Any = None) -> list[Connection]:
    query = Row.select(
        Row.id, Row.name, Row.adapter, Row.base_url, Row.model, Row.retries, Row.spec
    ).where(Row.removed == 0)
    if condition is not None:
        query = query.where(condition)
    return [to_connection(row) for row in run(conn, query.order_by(Row.id))]


def _save(txn: Txn, connection: Connection) -> Connection:
    values = {
        Row.name: connection.name,
        Row.adapter: connection.adapter,
        Row.base_url: connection.base_url,
        Row.model: connection.model,
        Row.retries: connection.retries,
        Row.spec: from_connection(connection),
    }
    try:
        if connection.id == 0:
            made = run(txn.conn, Row.insert({**values, Row.removed: 0}))
            return replace(connection, id=int(made.lastrowid or 0))
        before = _find(txn.conn, Row.id == connection.id)
        change = Row.update(values).where((Row.id == connection.id) & (Row.removed == 0))
        changed = run(txn.conn, change)
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_CONSTRAINT_UNIQUE:
            raise
        raise OperatorError(message("store.name_taken", name=connection.name)) from error
    if changed.rowcount != 1:
        raise OperatorError(message("store.connection_gone", name=connection.name))
    if any(_asks(old) != _asks(connection) for old in before):
        from desktop_app.store.asked_rows import ASKS_OTHERWISE

        txn.execute(ASKS_OTHERWISE, (connection.id,))
    return connection


def _asks(connection: Connection) -> tuple[object, ...]:
    """What it says to every request: rows that are done with other words ask for something
    else. A server on this machine may have another port each time."""
    c = connection
    server = "" if c.is_loopback else c.base_url
    return c.adapter, server, c.model, dict(c.params), dict(c.extra)


def _remove(txn: Txn, connection_id: int) -> bool:
    if _in_use(txn.conn, connection_id):
        return False
    change = Row.update({Row.removed: 1}).where((Row.id == connection_id) & (Row.removed == 0))
    return run(txn.conn, change).rowcount == 1


def _in_use(conn: sqlite3.Connection, connection_id: int) -> bool:
    return bool(conn.execute(_IN_USE, (connection_id,)).fetchone()[0])
