"""A job's id is worth the money that it cost: it is stored before anything else is done with it,
and taken up again when somebody asks what became of it."""

from __future__ import annotations

import sqlite3

from desktop_app.domain.attempt import Orphan
from desktop_app.domain.jobs import Job
from desktop_app.domain.ports.engine_store import Standing
from desktop_app.store.codec import dump
from desktop_app.store.tasks import orphans
from desktop_app.store.writer import Txn

# What a call says is no more than the id, and must not replace what the provider answered.
_TAKEN = """
UPDATE attempt SET job_id = :id, job_context = CASE
       WHEN job_id = :id AND :context = '{}' THEN job_context ELSE :context END
WHERE id = :attempt RETURNING task_pk, batch_id"""

_WAITS = "(t.state = 2 OR t.state = 0 AND t.retries_spent > 0)"
"""Whether a row is to be sent again by a rule: what a person requeued has no retry spent."""

# Of all that may have been billed the one with a job, then the newest, is worth asking about. A row
# that waits to be sent again is not sent where its job became known meanwhile.
_DOUBTFUL = f"""
SELECT a.id FROM task t JOIN attempt a ON a.task_pk = t.id AND a.edition = t.edition
WHERE t.id = ? AND a.outcome = 'unknown' AND a.billed <> 'no'
  AND (t.state = 6 OR {_WAITS} AND a.job_id IS NOT NULL)
ORDER BY a.job_id IS NULL, a.attempt_no DESC LIMIT 1"""  # noqa: S608 - a constant

_STANDING = f"""
SELECT t.id, a.idempotency_key, b.connection_id, a.job_id,
       a.edition = t.edition AND a.outcome = 'unknown' AND a.billed <> 'no'
       AND (t.state = 6 OR {_WAITS}),
       a.outcome = 'open'
FROM attempt a JOIN task t ON t.id = a.task_pk JOIN batch b ON b.id = t.batch_id
WHERE a.id = ?"""  # noqa: S608 - a constant

_REOPEN = """
UPDATE attempt SET outcome = 'open', ended_at = NULL, error_class = NULL, error_code = NULL,
       said = NULL, body = '', wait_s = NULL, billed = 'maybe' WHERE id = ?"""

_RUN = """
UPDATE task SET state = 1, rev = rev + 1, attempt_id = ?, error_class = NULL, error_code = NULL,
       note = NULL, ready = 1, due_at = NULL, delay_s = NULL, updated_at = ?
WHERE id = ? RETURNING batch_id"""


def taken(txn: Txn, attempt_pk: int, job: Job) -> None:
    """The provider has taken the attempt as this job."""
    values = {"id": job.id, "context": dump(dict(job.context)), "attempt": attempt_pk}
    found = txn.execute(_TAKEN, values).fetchone()
    if found is not None:  # its batch may have been removed meanwhile
        txn.touch(found[1], (found[0],))


def doubtful(conn: sqlite3.Connection, task_pk: int) -> int | None:
    """The attempt of an UNCERTAIN task that its provider can be asked about, or that of a waiting
    one whose job became known; or None."""
    found = conn.execute(_DOUBTFUL, (task_pk,)).fetchone()
    return None if found is None else int(found[0])


def standing(conn: sqlite3.Connection, attempt_pk: int) -> Standing | None:
    """How an attempt stands, or None."""
    found = conn.execute(_STANDING, (attempt_pk,)).fetchone()
    if found is None:
        return None
    return Standing(found[0], found[1], found[2], found[3], bool(found[4]), bool(found[5]))


def reopen(txn: Txn, task_pk: int, attempt_pk: int, now: float) -> Orphan | None:
    """UNCERTAIN, RETRYING or PENDING -> RUNNING on the attempt that ``doubtful`` named, so that
    what the provider says of it settles the task like any other outcome. None where the task has
    moved on."""
    if doubtful(txn.conn, task_pk) != attempt_pk:
        return None
    txn.execute(_REOPEN, (attempt_pk,))
    (batch_id,) = txn.execute(_RUN, (attempt_pk, now, task_pk)).fetchone()
    txn.touch(batch_id, (task_pk,))
    return orphans.of_task(txn.conn, task_pk)
