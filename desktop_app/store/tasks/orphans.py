"""What an earlier process left: RUNNING tasks that no flight of this process holds, and answers
that came after their attempts had ended, with all that is needed to settle them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from desktop_app.domain.attempt import Claim, Mark, Orphan
from desktop_app.domain.connection import Connection
from desktop_app.domain.verdict import POISON
from desktop_app.store.codec import dump, to_connection, to_job, to_request
from desktop_app.store.names import named
from desktop_app.store.tasks.key_age import KEY_SINCE

CALLED = "called"
"""The error code of an attempt whose provider has called about it without naming a job: it has
arrived, whatever is said of it otherwise."""

_COLUMNS = f"""
SELECT t.id, t.task_id, t.batch_id, t.row_no, a.edition, t.rev, a.id, a.attempt_no,
       a.idempotency_key, a.stem, b.out_dir, t.retries_spent, t.timeouts, t.throttled, t.lane,
       p.prompt, p.params, p.extra, a.started_at, a.job_id,
       a.job_context, ({KEY_SINCE}), b.connection_id,
       json_extract(b.options, '$.embed'), a.error_code IS '{CALLED}'
"""

FIND = (
    _COLUMNS
    + """
FROM batch b CROSS JOIN task t INDEXED BY task_running
     JOIN attempt a ON a.id = t.attempt_id JOIN payload p ON p.task_pk = t.id
WHERE t.batch_id = b.id AND t.state = 1 ORDER BY t.id"""
)

_ONE = (
    _COLUMNS
    + """
FROM task t JOIN batch b ON b.id = t.batch_id
     JOIN attempt a ON a.id = t.attempt_id JOIN payload p ON p.task_pk = t.id
WHERE t.id = ? AND t.state = 1"""
)

_WHERE_LATE = """
FROM json_each(?) CROSS JOIN attempt a ON a.id = json_each.value JOIN task t ON t.id = a.task_pk
     JOIN batch b ON b.id = t.batch_id JOIN payload p ON p.task_pk = t.id
WHERE a.outcome <> 'open' AND a.error_code IS NOT ?
  AND NOT EXISTS (SELECT 1 FROM result r WHERE r.attempt_id = a.id) ORDER BY a.id"""

_CONNECTION = """
SELECT id, name, adapter, base_url, model, retries, spec FROM connection WHERE id = ?"""


def find(conn: sqlite3.Connection, marks: Callable[[int], Set[Mark]]) -> list[Orphan]:
    """Every RUNNING task; ``marks(attempt_pk)`` are those its process left."""
    known: dict[int, Connection] = {}
    return [_orphan(conn, row, marks(row[6]), known) for row in conn.execute(FIND).fetchall()]


def late(
    conn: sqlite3.Connection, left: Mapping[int, str], marks: Callable[[int], Set[Mark]]
) -> list[Orphan]:
    """Of the attempts whose answers were ``left`` (attempt pk -> key) those that had ended before
    and have no result. One that ended the program stays set aside."""
    known: dict[int, Connection] = {}
    rows = conn.execute(_COLUMNS + _WHERE_LATE, (dump(list(left)), POISON)).fetchall()
    found = (_orphan(conn, row, marks(row[6]), known) for row in rows)
    return [
        replace(orphan, begun=True, job=None, late=True, called=False)
        for orphan in found
        if orphan.claim.idempotency_key == left[orphan.claim.attempt_pk]
    ]


def of_task(
    conn: sqlite3.Connection, task_pk: int, *, held: bool = False, decided: bool = False
) -> Orphan | None:
    """One RUNNING task, whose attempt has surely begun."""
    row = conn.execute(_ONE, (task_pk,)).fetchone()
    if row is None:
        return None
    return replace(_orphan(conn, row, frozenset({Mark.BEGUN}), {}), held=held, decided=decided)


def _orphan(
    conn: sqlite3.Connection, row: Sequence[Any], left: Set[Mark], known: dict[int, Connection]
) -> Orphan:
    if row[22] not in known:
        known[row[22]] = to_connection(conn.execute(_CONNECTION, (row[22],)).fetchone())
    called = bool(row[24])
    return Orphan(
        claim=named(
            conn,
            known[row[22]],
            Claim(
                task_pk=row[0],
                task_id=row[1],
                batch_id=row[2],
                row_no=row[3],
                edition=row[4],
                rev=row[5],
                attempt_pk=row[6],
                attempt_no=row[7],
                idempotency_key=row[8],
                file_stem=row[9],
                out_dir=row[10],
                retries_spent=row[11],
                timeouts=row[12],
                throttled=row[13],
                lane=row[14],
                request=to_request(row[15], row[16], row[17]),
                key_since=row[21],
                embed=bool(row[23]),
            ),
        ),
        started_at=row[18],
        begun=Mark.BEGUN in left or called,
        job=to_job(row[19], row[20]),
        unbilled=Mark.UNBILLED in left and not called,
        processing=Mark.PROCESSING in left,
        called=called,
    )
