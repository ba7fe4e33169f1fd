"""The command table: how a verb in another process reaches the engine that holds the folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import Command
from desktop_app.store.codec import dump
from desktop_app.store.reader import Reader
from desktop_app.store.tables import CommandRow, run
from desktop_app.store.writer import Txn, Writer

EXPIRES_S = 60.0
"""A command that nobody took this long is void: a "resume" must not fire days later."""

KEEP_S = 86_400.0


class Commands:
    """Implements CommandStore."""

    def __init__(self, writer: Writer, reader: Reader, clock: Clock) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock

    async def post(self, verb: str, args: Mapping[str, Any]) -> int:
        """Leave a command for the engine's process; returns its id."""
        row = {
            CommandRow.verb: verb,
            # ASCII: a path may hold what is no text in UTF-8.
            CommandRow.args: json.dumps(dict(args), default=str),
            CommandRow.posted_at: self._clock.now(),
        }

        def op(txn: Txn) -> int:
            return int(run(txn.conn, CommandRow.insert(row)).lastrowid or 0)

        return await self._writer.do(op)

    async def withdraw(self, command_id: int) -> bool:
        """Take a command back; False where it is taken already."""
        mine = (CommandRow.id == command_id) & CommandRow.taken_at.is_null()
        query = CommandRow.delete().where(mine)
        return await self._writer.do(lambda txn: run(txn.conn, query).rowcount == 1)

    async def take(self) -> list[Command]:
        """Every command not taken yet, in order; each is given out once."""
        if not await self._reader.read(
            lambda conn: run(
                conn, CommandRow.select(CommandRow.id).where(CommandRow.taken_at.is_null()).limit(1)
            ).fetchall()
        ):
            return []
        now = self._clock.now()
        return await self._writer.do(lambda txn: _take(txn, now))

    async def answer(self, command_id: int, result: Mapping[str, Any]) -> None:
        """Store what came of it; old answers are dropped."""
        now = self._clock.now()

        def op(txn: Txn) -> None:
            change = CommandRow.update({CommandRow.result: dump(dict(result))})
            run(txn.conn, change.where(CommandRow.id == command_id))
            run(txn.conn, CommandRow.delete().where(CommandRow.posted_at < now - KEEP_S))

        await self._writer.do(op)

    async def result(self, command_id: int) -> Mapping[str, Any] | None:
        """The answer, None while there is none."""
        query = CommandRow.select(CommandRow.result).where(CommandRow.id == command_id)
        row = await self._reader.read(lambda conn: run(conn, query).fetchone())
        if row is None or row[0] is None:
            return None
        found: Mapping[str, Any] = json.loads(row[0])
        return found


def _take(txn: Txn, now: float) -> list[Command]:
    waiting = CommandRow.taken_at.is_null()
    stale = waiting & (CommandRow.posted_at < now - EXPIRES_S)
    void = {CommandRow.taken_at: now, CommandRow.result: dump({"error": "store.expired"})}
    run(txn.conn, CommandRow.update(void).where(stale))
    query = CommandRow.select(CommandRow.id, CommandRow.verb, CommandRow.args).where(waiting)
    rows = run(txn.conn, query.order_by(CommandRow.id)).fetchall()
    run(txn.conn, CommandRow.update({CommandRow.taken_at: now}).where(waiting))
    return [Command(pk, verb, json.loads(args)) for pk, verb, args in rows]
