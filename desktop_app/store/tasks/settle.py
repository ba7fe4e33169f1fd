"""What a person or a rule decides about one task without sending anything."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.domain.attempt import Kept
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message
from desktop_app.domain.views import TaskFilter
from desktop_app.store.filters import conditions
from desktop_app.store.tasks import attempts
from desktop_app.store.tasks.requeue import batches_of
from desktop_app.store.writer import Txn

_SETTLE_FAILED = """
UPDATE task SET state = 4, rev = rev + 1, error_class = ?, error_code = ?, note = ?,
       updated_at = ? WHERE id = ? AND state = 6 RETURNING batch_id"""

_SETTLE_FAILED_ALL = """
UPDATE task AS t SET state = 4, rev = rev + 1, error_class = ?, error_code = ?, note = ?,
       updated_at = ? WHERE {}"""

_SETTLE_SUCCESS = """
UPDATE task SET state = 3, rev = rev + 1, result_id = ?, error_class = NULL, error_code = NULL,
       note = NULL, updated_at = ? WHERE id = ? AND state = 6"""

_STEP_IN = """
UPDATE task SET state = 1, rev = rev + 1, attempt_no = attempt_no + 1, attempt_id = ?, ready = 1,
       due_at = NULL, delay_s = NULL, updated_at = ? WHERE id = ?"""

_STEP_OUT = """
UPDATE task SET state = 4, rev = rev + 1, error_class = ?, error_code = ?, note = ?
WHERE id = ?"""

_NOTHING_SENT = """
INSERT INTO attempt (id, task_pk, batch_id, attempt_no, edition, idempotency_key, stem,
                     started_at, ended_at, outcome, sent, billed, error_class, error_code, said)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'not_sent', 0, 'no', ?, ?, ?)"""


def settle_failed(txn: Txn, task_pk: int, note: Message, now: float) -> bool:
    """UNCERTAIN -> FAILED on a person's word."""
    values = (FailureClass.UNKNOWN.value, note.code, note.dump(), now, task_pk)
    changed = txn.execute(_SETTLE_FAILED, values).fetchone()
    if changed is None:
        return False
    txn.touch(changed[0], (task_pk,))
    return True


def settle_failed_all(txn: Txn, which: TaskFilter, note: Message, now: float) -> int:
    """UNCERTAIN -> FAILED for all that match, on a person's word. Returns how many."""
    changed = 0
    for batch_id in batches_of(txn, which):
        where, values = conditions(
            replace(which, batch_id=batch_id), frozenset({TaskState.UNCERTAIN})
        )
        said = (FailureClass.UNKNOWN.value, note.code, note.dump(), now)
        count = txn.execute(_SETTLE_FAILED_ALL.format(where), (*said, *values)).rowcount
        if count:
            txn.touch(batch_id)
        changed += count
    return changed


def settle_attach(txn: Txn, task_pk: int, kept: Kept, now: float) -> bool:
    """UNCERTAIN -> SUCCESS with a file that a person found."""
    found = txn.one("SELECT batch_id FROM task WHERE id = ? AND state = 6", (task_pk,))
    if found is None:
        return False
    result_pk = attempts.keep(txn, task_pk, None, kept)
    txn.execute(_SETTLE_SUCCESS, (result_pk, now, task_pk))
    txn.touch(found[0], (task_pk,))
    return True


def fail_waiting(txn: Txn, task_pk: int, note: Message, code: str, now: float) -> bool:
    """Set aside one waiting row that can never go through (FAILED, class ``invalid``).

    It steps through RUNNING with an attempt that was not sent, in this one commit: there is no
    other legal way, and the attempt tells a person why.
    """
    found = txn.one(
        "SELECT batch_id, attempt_no, edition, task_id, key_seq, stem FROM task "
        "WHERE id = ? AND state IN (0, 2)",
        (task_pk,),
    )
    if found is None:
        return False
    batch_id, attempt_no, edition, task_id, key_seq, stem = found
    attempt_pk = attempts.next_pk(txn, "attempt")
    said = note.dump()
    kind = FailureClass.INVALID.value
    key = attempts.key_of(task_id, edition, key_seq)
    txn.execute(
        _NOTHING_SENT,
        (
            attempt_pk,
            task_pk,
            batch_id,
            attempt_no + 1,
            edition,
            key,
            stem,
            now,
            now,
            kind,
            code,
            said,
        ),
    )
    txn.execute(_STEP_IN, (attempt_pk, now, task_pk))
    txn.execute(_STEP_OUT, (kind, code, said, task_pk))
    txn.touch(batch_id, (task_pk,))
    return True
