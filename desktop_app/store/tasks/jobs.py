"""A job's id is worth the money that it cost: it is stored before anything else is done with it,
and taken up again when somebody asks what became of it."""

from __future__ import annotations

import sqlite3

from desktop_app.domain.attempt import Completion, Orphan, Outcome
from desktop_app.domain.jobs import Job
from desktop_app.domain.ports.engine_store import Standing
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.text import message
from desktop_app.store.codec import dump
from desktop_app.store.tasks import orphans
from desktop_app.store.tasks.late import FAILED_BY_RULE
from desktop_app.store.tasks.newest import STANDS
from desktop_app.store.writer import Txn

NAMED = "job_named"
"""The error code of an attempt whose job became known after it was given up, and was not asked for
yet, since a newer attempt was under way."""

CALLED = orphans.CALLED

_WAITS = f"(t.state IN (0, 2, 5) OR {FAILED_BY_RULE})"
"""Whether a row is sent again by a rule, or by a person who need not know of its job."""

# What a call says is no more than the id, and must not replace what the provider answered.
_TAKEN = """
UPDATE attempt SET job_id = :id, job_context = CASE
       WHEN job_id = :id AND :context = '{}' THEN job_context ELSE :context END
WHERE id = :attempt"""

_STAND = f"""
SELECT a.task_pk, a.batch_id, t.state, a.edition = t.edition AND
         a.outcome NOT IN ('open', 'success', 'adopted', 'discarded'),
       a.job_id IS NOT :id OR a.error_code IS :named, t.state = 6 OR {_WAITS}
FROM attempt a JOIN task t ON t.id = a.task_pk WHERE a.id = :attempt"""  # noqa: S608 - a constant

# Of all that may have been billed the one with a job, then the newest, is worth asking about. A row
# that waits to be sent again is not sent where its job became known meanwhile.
_DOUBTFUL = f"""
SELECT a.id FROM task t JOIN attempt a ON a.task_pk = t.id AND a.edition = t.edition
WHERE t.id = ? AND a.outcome = 'unknown' AND a.billed <> 'no'
  AND (t.state = 6 OR {_WAITS} AND a.job_id IS NOT NULL)
ORDER BY a.job_id IS NULL, a.attempt_no DESC LIMIT 1"""  # noqa: S608 - a constant

# Whatever a call came to: where its provider names a job for it, there is one. A job that was
# followed to its end is no news.
_STANDING = f"""
SELECT t.id, a.idempotency_key, b.connection_id, a.job_id, a.outcome = 'open',
       a.edition = t.edition AND a.outcome NOT IN ('open', 'success', 'adopted', 'discarded')
         AND (a.job_id IS NULL OR a.outcome = 'unknown' AND a.billed <> 'no'),
       t.state = 6 OR {_WAITS}, t.state = 1
FROM attempt a JOIN task t ON t.id = a.task_pk JOIN batch b ON b.id = t.batch_id
WHERE a.id = ?"""  # noqa: S608 - a constant

# What was known of a call keeps its class: whether it was in doubt when its row was sent again.
_MARK = """
UPDATE attempt SET outcome = 'unknown', sent = 1, billed = CASE billed WHEN 'no' THEN 'maybe'
       ELSE billed END, error_code = :named, said = :said
WHERE id = :attempt RETURNING batch_id"""

_REOPEN = """
UPDATE attempt SET outcome = 'open', sent = 1, ended_at = NULL, error_class = NULL,
       error_code = :called, said = NULL, body = '', wait_s = NULL, billed = 'maybe'
WHERE id = :attempt"""

_ARRIVED = "UPDATE attempt SET error_code = :called WHERE id = :attempt AND job_id IS NULL"

# Who has refused a call, and calls about it, says no more than that.
_CALLED_STAND = f"""
SELECT t.id, a.outcome = 'open', a.edition = t.edition AND CASE WHEN a.job_id IS NULL
         THEN a.outcome IN ('unknown', 'offline', 'transient', 'throttled')
         ELSE a.outcome = 'unknown' AND a.billed <> 'no' END,
       t.state = 1, t.state = 6 OR {_WAITS}, a.job_id IS NOT NULL
FROM attempt a JOIN task t ON t.id = a.task_pk WHERE a.id = :attempt"""  # noqa: S608 - a constant

_KEEPS = "state IN (4, 6)"
"""See ``newest.STANDS``."""

_RUN = f"""
UPDATE task SET state = 1, rev = rev + 1, attempt_id = ?,
       error_class = CASE WHEN {_KEEPS} THEN error_class END,
       error_code = CASE WHEN {_KEEPS} THEN error_code END,
       note = CASE WHEN {_KEEPS} THEN note END,
       ready = 1, due_at = NULL, delay_s = NULL, updated_at = ?
WHERE id = ? RETURNING batch_id"""  # noqa: S608 - a constant

# What two attempts asked for is one job, where their provider honours their key: its end is known.
_SPOKEN_OF = """
SELECT a.id, a.error_code, a.error_class IS 'unknown'
FROM attempt a JOIN task t ON t.id = a.task_pk AND t.edition = a.edition
WHERE a.task_pk = ? AND a.error_code IN (?, ?) AND a.outcome = 'unknown' AND a.id <> ?
  AND NOT EXISTS (SELECT 1 FROM attempt n WHERE n.task_pk = a.task_pk AND n.id > a.id
                  AND n.job_id = a.job_id)
ORDER BY a.job_id IS NULL, a.id DESC LIMIT 1"""

# The newer attempt has ended; what it spent is spent, and a cancel holds for the earlier one too.
_GO_ON = """
UPDATE task SET rev = rev + 1, attempt_id = :attempt, retries_spent = retries_spent + :retry,
       timeouts = timeouts + :timeout, throttled = throttled + :throttled,
       key_seq = key_seq + :new_key, error_class = :kind, error_code = :code, note = :note,
       updated_at = :now
WHERE id = :task"""


def taken(txn: Txn, attempt_pk: int, job: Job, now: float) -> Orphan | None:
    """The provider has taken the attempt as this job. The task, where this takes it up again."""
    values = {"id": job.id, "named": NAMED, "attempt": attempt_pk}
    found = txn.execute(_STAND, values).fetchone()
    if found is None:
        return None  # its batch may have been removed meanwhile
    task_pk, batch_id, state, is_given_up, is_news, waits = found
    txn.execute(_TAKEN, values | {"context": dump(dict(job.context))})
    txn.touch(batch_id, (task_pk,))
    if not is_given_up or not is_news:
        return None
    if state == TaskState.RUNNING:
        _mark(txn, task_pk, attempt_pk, NAMED)
        return None
    return _take_up(txn, task_pk, attempt_pk, now) if waits else None


def called(txn: Txn, attempt_pk: int, now: float) -> Orphan | None:
    """The provider speaks of the attempt, and of no job of it that is not known. The task, where
    this takes it up again."""
    found = txn.execute(_CALLED_STAND, {"attempt": attempt_pk}).fetchone()
    if found is None:
        return None
    task_pk, is_open, is_in_question, runs, waits, knows_job = found
    if is_open:
        txn.execute(_ARRIVED, {"called": CALLED, "attempt": attempt_pk})
    elif is_in_question and runs:
        code = NAMED if knows_job else CALLED
        _mark(txn, task_pk, attempt_pk, code)
    elif is_in_question and waits:
        return _take_up(txn, task_pk, attempt_pk, now, called=not knows_job)
    return None


def doubtful(conn: sqlite3.Connection, task_pk: int) -> int | None:
    """The attempt of an UNCERTAIN task that its provider can be asked about, or that of a waiting
    or dead one whose job became known; or None."""
    found = conn.execute(_DOUBTFUL, (task_pk,)).fetchone()
    return None if found is None else int(found[0])


def standing(conn: sqlite3.Connection, attempt_pk: int) -> Standing | None:
    """How an attempt stands, or None."""
    found = conn.execute(_STANDING, (attempt_pk,)).fetchone()
    if found is None:
        return None
    task_pk, key, connection_id, job_id, is_open, counts, waits, runs = found
    return Standing(
        task_pk,
        key,
        connection_id,
        job_id,
        is_in_doubt=bool(counts and waits),
        is_open=bool(is_open),
        is_overtaken=bool(counts and runs),
    )


def reopen(txn: Txn, task_pk: int, attempt_pk: int, now: float) -> Orphan | None:
    """UNCERTAIN, RETRYING, PENDING, DEAD, FAILED -> RUNNING on the attempt that ``doubtful`` named,
    so that what the provider says of it settles the task like any other outcome. None where the
    task has moved on."""
    if doubtful(txn.conn, task_pk) != attempt_pk:
        return None
    return _take_up(txn, task_pk, attempt_pk, now)


def go_on(txn: Txn, done: Completion, to: TaskState) -> Orphan | None:
    """Instead of the end ``to`` that ``done`` would be for its task: RUNNING with the earlier
    attempt whose provider spoke of it meanwhile. None where there is none."""
    found = txn.one(_SPOKEN_OF, (done.task_pk, NAMED, CALLED, done.attempt_pk))
    if found is None:
        return None
    attempt_pk, code, was_in_doubt = found
    txn.execute(_REOPEN, {"called": CALLED if code == CALLED else None, "attempt": attempt_pk})
    cause = done.failure if to in STANDS else None
    txn.execute(
        _GO_ON,
        {
            "kind": cause and cause.kind.value,
            "code": cause and cause.code,
            "note": cause and cause.said.dump(),
            "attempt": attempt_pk,
            "retry": done.spend_retry,
            "timeout": done.spend_timeout,
            "throttled": done.count_throttled,
            "new_key": done.new_key,
            "now": done.ended_at,
            "task": done.task_pk,
        },
    )
    decided = bool(was_in_doubt) and to in (TaskState.PENDING, TaskState.RETRYING)
    return orphans.of_task(txn.conn, done.task_pk, held=to in DEAD_LETTERS, decided=decided)


def _mark(txn: Txn, task_pk: int, attempt_pk: int, code: str) -> None:
    values = {"named": code, "said": message(f"store.{code}").dump(), "attempt": attempt_pk}
    (batch_id,) = txn.execute(_MARK, values).fetchone()
    txn.touch(batch_id, (task_pk,))


def _take_up(
    txn: Txn, task_pk: int, attempt_pk: int, now: float, *, called: bool = False
) -> Orphan | None:
    sql = "SELECT t.state, a.outcome FROM task t JOIN attempt a ON a.id = ? WHERE t.id = ?"
    state, outcome = txn.one(sql, (attempt_pk, task_pk))
    txn.execute(_REOPEN, {"called": CALLED if called else None, "attempt": attempt_pk})
    (batch_id,) = txn.execute(_RUN, (attempt_pk, now, task_pk)).fetchone()
    txn.touch(batch_id, (task_pk,))
    held = state in DEAD_LETTERS
    decided = not held and outcome == Outcome.UNKNOWN
    return orphans.of_task(txn.conn, task_pk, held=held, decided=decided)
