"""Import in chunks that only one last commit makes visible, so that half a sheet never runs."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from pathlib import PurePath
from typing import TypeVar

from desktop_app.domain.batch import Batch
from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import KnownRow, Packed, RowChange, Updated
from desktop_app.domain.task import Draft
from desktop_app.domain.views import BatchSummary
from desktop_app.store import asked_rows, batch_stages, batches, leftovers, newer_sheet, packing
from desktop_app.store.log_copying import LogCopying
from desktop_app.store.reader import Reader
from desktop_app.store.stems import Stems
from desktop_app.store.tasks import editions
from desktop_app.store.tasks.editions import Superseded
from desktop_app.store.writer import Writer

Item = TypeVar("Item")

UPDATES = 2_000

NEWEST_RESULTS = 2_000
"""How far back results are looked at: a million of them tell no more."""

_MEAN_SIZE = """
SELECT avg(r.size) FROM (SELECT task_pk, size FROM result ORDER BY id DESC LIMIT ?) r
JOIN task t ON t.id = r.task_pk JOIN batch b ON b.id = t.batch_id
WHERE b.connection_id = ? AND r.size > 0"""


class Imports:
    """Implements ImportStore."""

    pack = staticmethod(packing.pack)

    def __init__(self, writer: Writer, reader: Reader, clock: Clock) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock
        self._stems: dict[int, Stems] = {}
        self._copying = LogCopying(self._path)

    async def begin(self, batch: Batch) -> int:
        """Make an unsealed batch; returns its id."""
        batch_id = await self._writer.do(lambda txn: batch_stages.begin(txn, batch))
        self._stems[batch_id] = Stems()
        return batch_id

    async def add(self, batch_id: int, drafts_: Sequence[Draft] | Packed) -> None:
        """Add a chunk to an unsealed batch; all of it or nothing."""
        stems = self._stems.setdefault(batch_id, Stems())
        now = self._clock.now()
        packed = drafts_ if isinstance(drafts_, Packed) else batch_stages.packed(drafts_)
        await self._writer.do_provisionally(
            lambda txn: batch_stages.add(txn, batch_id, packed, stems, now)
        )
        self._copying.added(sum(map(len, packed.parts)))

    async def seal(self, batch_id: int) -> None:
        """Make the batch real."""
        now = self._clock.now()
        await self._copying.ended()
        await self._writer.do(lambda txn: batch_stages.seal(txn, batch_id, now))
        self._stems.pop(batch_id, None)

    async def discard(self, batch_id: int) -> None:
        """Remove a half-made batch; a sealed one is left alone."""
        await self._copying.ended()
        await self._writer.do(
            lambda txn: txn.execute("DELETE FROM batch WHERE id = ? AND stage = 0", (batch_id,))
        )
        self._stems.pop(batch_id, None)

    async def discard_unsealed(self) -> int:
        """At start: remove what an earlier process left half-made; returns how many."""
        return await self._writer.do(leftovers.discard_unsealed)

    async def extend(self, batch_id: int, drafts_: Iterable[Draft]) -> int:
        """Add rows that a sealed batch doesn't have yet, in one commit; returns how many."""
        rows = list(drafts_)
        now = self._clock.now()
        return await self._writer.do(lambda txn: batch_stages.extend(txn, batch_id, rows, now))

    async def find_runs(self, sheet_hash: str) -> list[BatchSummary]:
        """Batches of the same bytes, newest first."""
        now = self._clock.now()
        return await self._reader.read(lambda conn: batches.summaries(conn, now, sheet=sheet_hash))

    async def find_fingerprint(self, fingerprint: str) -> Batch | None:
        """The newest batch of the same run."""
        return await self._reader.read(
            lambda conn: batches.newest_with_fingerprint(conn, fingerprint)
        )

    async def find_lineage(self, sheet_path: str, connection_id: int) -> BatchSummary | None:
        """The newest sealed batch of the same sheet and connection, rather one that sent
        something."""
        mine = await self.find_sheet(sheet_path, connection_id)
        sent = [run for run in mine if run.ledger.attempts]
        return next(iter(sent or mine), None)

    async def find_sheet(self, sheet_path: str, connection_id: int) -> list[BatchSummary]:
        """Sealed batches of the same sheet (by path, else by file name) and connection, newest
        first."""
        now = self._clock.now()
        found = await self._reader.read(lambda conn: batches.summaries(conn, now))
        name = PurePath(sheet_path).name
        by_name = [
            run
            for run in found
            if run.batch.connection_id == connection_id
            and PurePath(run.batch.sheet_path).name == name
        ]
        return [run for run in by_name if run.batch.sheet_path == sheet_path] or by_name

    async def find_asked(self, connection_id: int) -> list[BatchSummary]:
        """Batches of the connection in which rows are done, may be or wait, newest first, as many
        as can be looked through."""
        now = self._clock.now()
        found = await self._reader.read(lambda conn: batches.summaries(conn, now))
        return asked_rows.candidates(found, connection_id)

    async def asked_source(self, batch_ids: Sequence[int]) -> asked_rows.AskedRows:
        """Their rows, to be called in any thread or process."""
        return asked_rows.AskedRows(await self._path(), tuple(batch_ids))

    async def mean_size(self, connection_id: int) -> float | None:
        """Bytes of a newest result of the connection, on average; None where it has none."""
        return await self._reader.read(lambda conn: _mean_size(conn, connection_id))

    async def known_rows(
        self, batch_id: int, columns: Sequence[str] | None = None
    ) -> list[KnownRow]:
        """Every row of the batch, in sheet order."""
        return await self._reader.read(lambda conn: newer_sheet.known_rows(conn, batch_id, columns))

    async def known_source(
        self, batch_id: int, columns: Sequence[str] | None = None
    ) -> newer_sheet.KnownRows:
        """``known_rows`` to be called in any thread or process."""
        named = None if columns is None else tuple(columns)
        return newer_sheet.KnownRows(await self._path(), batch_id, named)

    async def update(
        self,
        batch: Batch,
        changes: Sequence[RowChange],
        now: float,
        *,
        again: Collection[int] | None = None,
        gone: Sequence[int] = (),
    ) -> Updated:
        """Supersede these rows, some thousands in a commit; the last one files the batch anew."""
        counts: Counter[Superseded] = Counter()
        await self._writer.do(lambda txn: newer_sheet.take_columns(txn, batch))
        for part in _parts(changes):
            counts += await self._writer.do(
                partial(
                    newer_sheet.supersede, batch_id=batch.id, changes=part, now=now, again=again
                )
            )
        cancelled = 0
        for pks in _parts(gone):
            cancelled += await self._writer.do(
                partial(editions.cancel_gone, batch_id=batch.id, pks=pks, now=now)
            )
        whole = not counts[Superseded.LEFT]
        await self._writer.do(lambda txn: newer_sheet.file(txn, batch, whole=whole))
        return Updated(
            cancelled=cancelled, **{kind.value: counts[kind] for kind in Superseded if counts[kind]}
        )

    async def _path(self) -> str:
        sql = "SELECT file FROM pragma_database_list WHERE name = 'main'"
        (path,) = await self._reader.read(lambda conn: conn.execute(sql).fetchone())
        return str(path)


def _mean_size(conn: sqlite3.Connection, connection_id: int) -> float | None:
    row = conn.execute(_MEAN_SIZE, (NEWEST_RESULTS, connection_id)).fetchone()
    return None if row[0] is None else float(row[0])


def _parts(items: Sequence[Item]) -> Iterable[Sequence[Item]]:
    return (items[start : start + UPDATES] for start in range(0, len(items), UPDATES))
