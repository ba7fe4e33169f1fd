"""Committed results in the order of their commits, for the lists beside them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.domain.ports.manifest import LandedResult
from desktop_app.store.codec import cost_text
from desktop_app.store.page_rows import COSTS, UNSENT
from desktop_app.store.reader import Reader

# A payload is replaced where a newer edition takes over: then it is not what this came from.
_LANDED = f"""
SELECT r.id, t.id, t.batch_id, b.out_dir, t.task_id, t.row_no, t.key, r.path, r.sha256,
       CASE WHEN a.id IS NULL OR a.edition = t.edition THEN p.prompt END, c.model,
       CASE WHEN a.id IS NULL OR a.edition = t.edition THEN p.params END,
       t.attempt_no - {UNSENT}, a.ended_at
FROM result r CROSS JOIN task t ON t.id = r.task_pk
JOIN payload p ON p.task_pk = t.id JOIN batch b ON b.id = t.batch_id
JOIN connection c ON c.id = b.connection_id LEFT JOIN attempt a ON a.id = r.attempt_id
WHERE r.id > :after AND (:batch IS NULL OR t.batch_id = :batch)
ORDER BY r.id LIMIT :limit"""  # noqa: S608 - constants

_BESIDE = """
SELECT result_id, path, sha256 FROM more_result
WHERE result_id IN (SELECT value FROM json_each(?)) ORDER BY result_id, place"""


class Landed:
    """Implements LandedStore."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def newest(self) -> int:
        """The newest one's id."""
        sql = "SELECT coalesce(max(id), 0) FROM result"
        row = await self._reader.read(lambda conn: conn.execute(sql).fetchone())
        return int(row[0])

    async def landed(
        self, after: int, limit: int, batch_id: int | None = None
    ) -> list[LandedResult]:
        """Those after that one."""
        values = {"after": after, "limit": limit, "batch": batch_id}
        return await self._reader.read(lambda conn: _landed(conn, values))


def _landed(conn: sqlite3.Connection, values: Mapping[str, Any]) -> list[LandedResult]:
    rows = conn.execute(_LANDED, values).fetchall()
    beside: dict[int, list[tuple[str, str]]] = {}
    for result, path, sha256 in conn.execute(_BESIDE, (json.dumps([row[0] for row in rows]),)):
        beside.setdefault(result, []).append((path, sha256))
    costs: dict[int, list[tuple[str, int]]] = {}
    for pk, currency, nano in conn.execute(COSTS, (json.dumps([row[1] for row in rows]),)):
        costs.setdefault(pk, []).append((currency, nano))
    return [
        LandedResult(
            row[0],
            row[2],
            row[3],
            _records(row, beside.get(row[0], []), cost_text(costs.get(row[1], ()))),
        )
        for row in rows
    ]


def _records(
    row: Sequence[Any], beside: Sequence[tuple[str, str]], cost: str | None
) -> tuple[Mapping[str, Any], ...]:
    files = [(row[7], row[8]), *beside]
    params = None if row[11] is None else json.loads(row[11])
    return tuple(
        {
            "result": row[0],
            "n": n,
            "of": len(files),
            "task_id": row[4],
            "batch": row[2],
            "row": row[5],
            "key": row[6],
            "file": path,
            "sha256": sha256,
            "prompt": row[9],
            "model": (params or {}).get("model") or row[10],
            "params": params,
            "attempts": row[12],
            "cost": cost,
            "ended_at": row[13],
        }
        for n, (path, sha256) in enumerate(files, start=1)
    )
