"""A completion is one conditional update: whoever comes twice changes nothing, and who comes late
changes a row only while nothing else has brought its result."""

from __future__ import annotations

from desktop_app.domain.attempt import Completion
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import FinishResult
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.text import message
from desktop_app.store.tasks import attempts, editions, late
from desktop_app.store.writer import Txn

FINISH = """
UPDATE task SET state = :state, rev = rev + 1, cancel_requested = 0,
       due_at = :due_at, delay_s = :delay_s, ready = :ready,
       retries_spent = retries_spent + :retry, timeouts = timeouts + :timeout,
       throttled = throttled + :throttled, key_seq = key_seq + :new_key,
       error_class = :error_class, error_code = :error_code, note = :note,
       result_id = :result_id, updated_at = :now
WHERE id = :pk AND state = 1 AND rev = :rev AND attempt_id = :attempt"""

_WAITING = frozenset({TaskState.PENDING, TaskState.RETRYING})


def finish(txn: Txn, done: Completion) -> FinishResult:
    """End an attempt. ``applied`` False: the task had moved on and only its history grew.

    Raises ValueError for a completion that ends nothing or a SUCCESS that kept no file.
    """
    if done.to is TaskState.RUNNING:
        raise ValueError("a completion ends an attempt")
    if done.to is TaskState.SUCCESS and done.kept is None:
        raise ValueError("a success keeps a result")
    found = txn.one(
        "SELECT batch_id, state, rev, attempt_id, cancel_requested FROM task WHERE id = ?",
        (done.task_pk,),
    )
    if found is None:
        return FinishResult(False, TaskState.CANCELLED)  # its batch was removed meanwhile
    batch_id, state, rev, attempt_pk, cancel = found
    attempts.close(txn, done)
    result_pk = (
        None if done.kept is None else attempts.keep(txn, done.task_pk, done.attempt_pk, done.kept)
    )
    txn.touch(batch_id, (done.task_pk,))
    if (state, rev, attempt_pk) != (TaskState.RUNNING, done.rev, done.attempt_pk):
        if result_pk is not None and late.win(txn, done, result_pk):
            return FinishResult(True, TaskState.SUCCESS)
        return FinishResult(False, TaskState(state))
    to = TaskState.CANCELLED if cancel and done.to in _WAITING else done.to
    if to in late.RESTS:
        result_pk = late.earlier(txn, done.task_pk, done.attempt_pk)
        to = to if result_pk is None else TaskState.SUCCESS
    changed = txn.execute(FINISH, _values(done, to, result_pk))
    editions.follow(txn, done.task_pk, to, done.ended_at, cancelled=bool(cancel))
    return FinishResult(changed.rowcount == 1, to, bool(cancel))


def _values(done: Completion, to: TaskState, result_pk: int | None) -> dict[str, object]:
    due_at = done.due_at if to in _WAITING else None
    if to is TaskState.RETRYING and due_at is None:
        due_at = done.ended_at
    delay_s = done.delay_s
    if due_at is None:
        delay_s = None
    elif delay_s is None:
        delay_s = max(0.0, due_at - done.ended_at)
    failure = done.failure if to is not TaskState.SUCCESS else None
    error_class = failure and failure.kind.value
    error_code = failure and failure.code
    note = failure and failure.said.dump()
    if failure is None and to in DEAD_LETTERS:
        # Nobody could say more than the outcome (a crash, an answer that never came).
        error_class = FailureClass.UNKNOWN.value
        error_code = f"store.{done.outcome.value}"
        note = message("store.no_reason").dump()
    return {
        "state": int(to),
        "due_at": due_at,
        "delay_s": delay_s,
        "ready": int(due_at is None),
        "retry": int(done.spend_retry),
        "timeout": int(done.spend_timeout),
        "throttled": int(done.count_throttled),
        "new_key": int(done.new_key),
        "error_class": error_class,
        "error_code": error_code,
        "note": note,
        "result_id": result_pk if to is TaskState.SUCCESS else None,
        "now": done.ended_at,
        "pk": done.task_pk,
        "rev": done.rev,
        "attempt": done.attempt_pk,
    }
