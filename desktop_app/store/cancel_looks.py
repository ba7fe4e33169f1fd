"""Every flight looks for a cancel before it leaves; those that look at one moment share one read,
because a hop to the reader's thread and back costs more than the read."""

from __future__ import annotations

import asyncio
import json
import sqlite3

from desktop_app.store.reader import Reader

REQUESTED = """
SELECT t.id FROM json_each(?) CROSS JOIN task t ON t.id = json_each.value
WHERE t.cancel_requested = 1"""


class CancelLooks:
    """Used on one loop."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._waiting: dict[asyncio.Future[bool], int] = {}
        self._looking: set[asyncio.Task[None]] = set()

    async def requested(self, task_pk: int) -> bool:
        """Whether the running task is asked to stop, by what is committed now or later."""
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
