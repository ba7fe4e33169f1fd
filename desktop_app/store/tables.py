"""The tables that are touched now and then, as peewee models; the hot ones are plain SQL.

A model a row costs nine times what executemany does, so tasks and attempts have none. Models are
not bound to a database: each query runs on the connection of the thread that owns it.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from peewee import AutoField, FloatField, IntegerField, Model, TextField


class ConnectionRow(Model):
    """One way to reach one model; ``spec`` is JSON, see ``codec``."""

    id = AutoField()
    name = TextField()
    adapter = TextField()
    base_url = TextField()
    model = TextField()
    retries = IntegerField()
    spec = TextField()
    removed = IntegerField()

    class Meta:
        table_name = "connection"


class AccountPauseRow(Model):
    """An account that a person has to look after."""

    account = TextField(primary_key=True)
    reason = TextField()
    since = FloatField()

    class Meta:
        table_name = "account_pause"


class CommandRow(Model):
    """A request of another process; ``args`` and ``result`` are JSON."""

    id = AutoField()
    verb = TextField()
    args = TextField()
    posted_at = FloatField()
    taken_at = FloatField(null=True)
    result = TextField(null=True)

    class Meta:
        table_name = "command"


MODELS: tuple[Any, ...] = (ConnectionRow, AccountPauseRow, CommandRow)


def run(conn: sqlite3.Connection, query: Any) -> sqlite3.Cursor:
    """Execute a peewee query on this connection."""
    sql, values = query.sql()
    return conn.execute(sql, values)
