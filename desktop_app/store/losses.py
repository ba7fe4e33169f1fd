"""Names what a restored list has lost, by what the damaged file still tells of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LostRows:
    """Rows of a batch that are in neither file; ``rows`` None: nobody knows how many, if any.
    ``folder`` None: the batch itself is lost, and ``name`` is its number."""

    name: str
    rows: int | None
    folder: str | None


def lost_calls(conn: sqlite3.Connection) -> int:
    """Calls that rows were counted to have made, or that were read, and of which nothing is kept.
    To be asked right after ``merge``."""
    (count,) = conn.execute(
        "SELECT coalesce(sum(max(0, t.attempt_no - "
        "(SELECT count(*) FROM main.attempt a WHERE a.task_pk = t.id))), 0) + "
        "(SELECT count(*) FROM saved.attempt WHERE id NOT IN (SELECT id FROM main.attempt)) "
        "FROM main.task t"
    ).fetchone()
    return int(count)


def lost_rows(
    conn: sqlite3.Connection, partly: set[str], counted: Mapping[int, int] | None
) -> list[LostRows]:
    """By batch, after ``merge``. ``counted``: how many rows the damaged file had of each batch."""
    unsealed = {pk for (pk,) in conn.execute("SELECT id FROM saved.batch WHERE stage = 0")}
    known = {row[0]: row[1:] for row in conn.execute("SELECT id, name, out_dir FROM saved.batch")}
    known |= {row[0]: row[1:] for row in conn.execute("SELECT id, name, out_dir FROM main.batch")}
    copied = {pk for (pk,) in conn.execute("SELECT id FROM saved.old_batch")}
    held = dict(conn.execute("SELECT batch_id, count(*) FROM main.task GROUP BY batch_id"))
    seen = dict(conn.execute("SELECT batch_id, count(*) FROM saved.task GROUP BY batch_id"))
    met = {pk for (pk,) in conn.execute("SELECT DISTINCT batch_id FROM saved.attempt")}
    found = []
    for batch in sorted((known.keys() | seen.keys() | met | set(counted or ())) - unsealed):
        name, folder = known.get(batch, (f"#{batch}", None))
        whole = (counted or {}).get(batch)
        if whole is None and batch not in held:
            whole = seen.get(batch)
        if whole is not None:
            lost = whole - held.get(batch, 0)
            if lost > 0:
                found.append(LostRows(name, lost, folder))
        elif batch not in held or ("task" in partly and batch not in copied):
            found.append(LostRows(name, None, folder))
    return found
