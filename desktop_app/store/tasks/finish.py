"""A completion is one conditional update: whoever comes twice changes nothing, and who comes late
changes a row only while nothing else has brought its result."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.domain.attempt import Completion
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import FinishResult
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.text import message
from desktop_app.domain.verdict import POISON
from desktop_app.store.codec import dump
from desktop_app.store.many import change_many
from desktop_app.store.tasks import attempts, editions, jobs, late, newest
from desktop_app.store.writer import Txn

FINISH = """
UPDATE task SET state = {state}, rev = task.rev + 1, cancel_requested = 0,
       due_at = {due_at}, delay_s = {delay_s}, ready = {ready},
       retries_spent = retries_spent + {retry}, timeouts = timeouts + {timeout},
       throttled = task.throttled + {throttled}, key_seq = key_seq + {new_key},
       error_class = {error_class}, error_code = {error_code}, note = {note},
       result_id = {result}, updated_at = {now}
FROM {given} WHERE task.id = {pk} AND task.state = 1 AND task.rev = {rev}
  AND task.attempt_id = {attempt}"""

FINISHED = (
    "state due_at delay_s ready retry timeout throttled new_key error_class error_code note result "
    "now pk rev attempt"
)

STAND = """
SELECT t.id, t.batch_id, t.rev, t.attempt_id, t.attempt_no
FROM json_each(?) CROSS JOIN task t ON t.id = json_each.value
     LEFT JOIN next_edition n ON n.task_pk = t.id
WHERE t.state = 1 AND t.cancel_requested = 0 AND n.task_pk IS NULL"""

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
    attempts.close(txn, [done])
    result_pk = (
        None if done.kept is None else attempts.keep(txn, done.task_pk, done.attempt_pk, done.kept)
    )
    txn.touch(batch_id, (done.task_pk,))
    if (state, rev, attempt_pk) != (TaskState.RUNNING, done.rev, done.attempt_pk):
        if result_pk is not None and late.win(txn, done, result_pk):
            return FinishResult(True, TaskState.SUCCESS)
        if done.failure is not None and done.failure.code == POISON:
            late.set_aside(txn, done, done.failure)
        return FinishResult(False, TaskState(state))
    to: TaskState = TaskState.CANCELLED if cancel and done.to in _WAITING else done.to
    done, to = newest.standing(txn, done, to)
    if to in late.RESTS:
        result_pk = late.earlier(txn, done.task_pk, done.attempt_pk)
        to = to if result_pk is None else TaskState.SUCCESS
        goes_on = None if result_pk is not None else jobs.go_on(txn, done, to)
        if goes_on is not None:
            return FinishResult(True, TaskState.RUNNING, bool(cancel), goes_on)
    changed = change_many(txn, FINISH, FINISHED, [_values(done, to, result_pk)])
    editions.follow(txn, done.task_pk, to, done.ended_at, cancelled=bool(cancel))
    return FinishResult(changed == 1, to, bool(cancel))


def finish_all(txn: Txn, dones: Sequence[Completion]) -> list[FinishResult]:
    """End these attempts as ``finish`` ends each; those that end as was foreseen when they were
    claimed take one statement a table. Raises what ``finish`` raises."""
    foreseen = _foreseen(txn, dones) if len(dones) > 1 else {}
    together = [done for done in dones if done.task_pk in foreseen]
    kept = [(d.task_pk, d.attempt_pk, d.kept) for d in together if d.kept is not None]
    results = dict(zip([row[1] for row in kept], attempts.keep_many(txn, kept), strict=True))
    attempts.close(txn, together)
    change_many(
        txn,
        FINISH,
        FINISHED,
        [_values(done, done.to, results.get(done.attempt_pk)) for done in together],
    )
    touched: dict[int, list[int]] = {}
    for pk, batch_id in foreseen.items():
        touched.setdefault(batch_id, []).append(pk)
    for batch_id, pks in touched.items():
        txn.touch(batch_id, pks)
    applied = {to: FinishResult(True, to) for to in {done.to for done in together}}
    return [applied[done.to] if done.task_pk in foreseen else finish(txn, done) for done in dones]


def _foreseen(txn: Txn, dones: Sequence[Completion]) -> dict[int, int]:
    """task pk -> batch id of those that are RUNNING by this very attempt, come to their end for
    good, and were neither cancelled nor changed nor answered twice meanwhile. Of an earlier call of
    one that brings no result more may come."""
    pks = [done.task_pk for done in dones]
    stand = {row[0]: row for row in txn.execute(STAND, (dump(pks),))}
    twice = set() if len(set(pks)) == len(pks) else {pk for pk in pks if pks.count(pk) > 1}
    found = {}
    for done in dones:
        now = stand.get(done.task_pk)
        if now is None or done.task_pk in twice:
            continue
        _, batch_id, rev, attempt_pk, attempt_no = now
        ends = done.to is TaskState.FAILED and attempt_no == 1
        if done.to is TaskState.SUCCESS:
            ends = done.kept is not None
        if ends and rev == done.rev and attempt_pk == done.attempt_pk:
            found[done.task_pk] = batch_id
    return found


def _values(done: Completion, to: TaskState, result_pk: int | None) -> tuple[object, ...]:
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
    return (
        int(to),
        due_at,
        delay_s,
        int(due_at is None),
        int(done.spend_retry),
        int(done.spend_timeout),
        int(done.count_throttled),
        int(done.new_key),
        error_class,
        error_code,
        note,
        result_pk if to is TaskState.SUCCESS else None,
        done.ended_at,
        done.task_pk,
        done.rev,
        done.attempt_pk,
    )
