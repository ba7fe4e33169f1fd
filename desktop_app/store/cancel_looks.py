"""Every flight looks for a cancel before it leaves. Where nobody asked for one since the row was
claimed there is none to be found; else those that look at one moment share one read, because a hop
to the reader's thread and back costs more than the read."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterable

from desktop_app.store.reader import Reader

REQUESTED = """
SELECT t.id FROM json_each(?) CROSS JOIN task t ON t.id = json_each.value
WHERE t.cancel_requested = 1"""


class Cancels:
    """``asked`` counts the cancels that were asked for: who asks, counts before it is written."""

    def __init__(self) -> None:
        self.asked = 0


class CancelLooks:
    """Used on one loop, as those are who ask for a cancel."""

    def __init__(self, reader: Reader, cancels: Cancels) -> None:
        self._reader = reader
        self._cancels = cancels
        self._claimed: dict[int, int] = {}
        self._waiting: dict[asyncio.Future[bool], int] = {}
        self._looking: set[asyncio.Task[None]] = set()

    def claimed(self, task_pks: Iterable[int], asked: int) -> None:
        """These rows were claimed, and so not cancelled; ``asked`` is the count of cancels from
        before the claim was written."""
        self._claimed.update(dict.fromkeys(task_pks, asked))

    def ended(self, task_pk: int) -> None:
        """The row runs no more."""
        self._claimed.pop(task_pk, None)

    async def requested(self, task_pk: int) -> bool:
        """Whether the running task is asked to stop, by what is committed now or later."""
        if self._claimed.get(task_pk) == self._cancels.asked:
            return False
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        if not self._waiting:
            look = asyncio.ensure_future(self._look())
            self._looking.add(look)
            look.add_done_callback(self._looking.discard)
        self._waiting[future] = task_pk
        return await future

    async def _look(self) -> None:
        waiting, self._waiting = self._waiting, {}
        pks = json.dumps(sorted(waiting.values()))

        def read(conn: sqlite3.Connection) -> set[int]:
            return {pk for (pk,) in conn.execute(REQUESTED, (pks,))}

        try:
            requested = await self._reader.read(read)
        except BaseException as error:
            for future in waiting:
                if not future.done():
                    future.set_exception(error)
            if not isinstance(error, Exception):
                raise
            return
        for future, task_pk in waiting.items():
            if not future.done():
                future.set_result(task_pk in requested)
