"""An earlier call of a row may be followed after a newer one has ended: what the newest came to is
no less true for that, and stands where the earlier one brings nothing."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.domain.attempt import Billed, Completion
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message
from desktop_app.domain.verdict import UNANSWERED
from desktop_app.store.writer import Txn

STANDS = frozenset({TaskState.FAILED, TaskState.UNCERTAIN})
"""What is not to be sent again, whatever an earlier call comes to. While that is followed its row
keeps the cause: of the class ``unknown`` where the newest call may have been billed."""

_CAUSE = """
SELECT t.error_class, t.error_code, t.note FROM task t
WHERE t.id = ? AND t.error_class IS NOT NULL
  AND t.attempt_id <> (SELECT a.id FROM attempt a
                       WHERE a.task_pk = t.id AND a.attempt_no = t.attempt_no)"""


def standing(txn: Txn, done: Completion, to: TaskState) -> tuple[Completion, TaskState]:
    """What the end of the row's attempt makes of it, and the state. The same as it was, but for an
    earlier attempt that brings no result."""
    found = txn.one(_CAUSE, (done.task_pk,))
    if found is None or to is TaskState.SUCCESS:
        return done, to
    kind, code, note = found
    stands = TaskState.UNCERTAIN if kind == FailureClass.UNKNOWN else TaskState.FAILED
    failure = done.failure
    if failure is not None and failure.code != UNANSWERED:
        if failure.kind is FailureClass.UNKNOWN and done.billed is not Billed.NO:
            return done, TaskState.UNCERTAIN
        if to is stands:
            return done, to
    said = Message.load(note)
    return replace(done, failure=Failure(FailureClass(kind), code, said)), stands
