"""An answer that comes after its attempt was given up is paid: it wins while nothing newer has."""

from __future__ import annotations

from desktop_app.domain.attempt import Completion
from desktop_app.domain.errors import Failure
from desktop_app.domain.task import TaskState
from desktop_app.domain.verdict import POISON
from desktop_app.store.codec import dump, to_nano
from desktop_app.store.tasks import settle
from desktop_app.store.writer import Txn

# Whoever gave the attempt up called it unknown, or was told that it had never arrived; now its bill
# is known too.
_KNOWN = """
UPDATE attempt SET outcome = 'success', sent = 1, ended_at = ?, latency_s = ?, http_status = ?,
       request_id = ?, error_class = NULL, error_code = NULL, said = NULL, body = '',
       cost_nano = ?, currency = coalesce(?, currency), billed = ?, usage = ?
WHERE id = ? AND outcome IN ('unknown', 'offline')"""

_SET_ASIDE = """
UPDATE attempt SET error_code = ?, said = ?, billed = ? WHERE id = ? AND outcome = 'unknown'
  AND edition = (SELECT edition FROM task WHERE id = task_pk) RETURNING id"""

FAILED_BY_RULE = f"""
(+t.state = 4 AND t.error_class <> 'unknown' AND t.error_code IS NOT '{POISON}')"""
"""Whether a row failed since its provider would have none of it: not on the word of a person, who
has looked, nor since it ends the program."""

_WIN = f"""
UPDATE task AS t SET state = 3, rev = rev + 1, result_id = ?, ready = 1, due_at = NULL,
       delay_s = NULL, error_class = NULL, error_code = NULL, note = NULL, updated_at = ?
WHERE t.id = ? AND (t.state IN (0, 2, 5, 6) OR {FAILED_BY_RULE})
  AND t.edition = (SELECT edition FROM attempt WHERE id = ?)"""  # noqa: S608 - a constant

EARLIER = """
SELECT r.id FROM result r JOIN attempt a ON a.id = r.attempt_id JOIN task t ON t.id = r.task_pk
WHERE r.task_pk = ? AND a.edition = t.edition AND a.id <> ? ORDER BY r.id DESC LIMIT 1"""

RESTS = frozenset(
    {
        TaskState.PENDING,
        TaskState.RETRYING,
        TaskState.FAILED,
        TaskState.DEAD,
        TaskState.UNCERTAIN,
        TaskState.CANCELLED,
    }
)
"""Ends of an attempt after which an earlier one's result is better than none."""


def win(txn: Txn, done: Completion, result_pk: int) -> bool:
    """PENDING, RETRYING, FAILED, DEAD, UNCERTAIN -> SUCCESS by the late result of the row's present
    content: what would have been sent again is not. Whether it won; else it is history."""
    txn.execute(
        _KNOWN,
        (
            done.ended_at,
            done.latency_s,
            done.http_status,
            done.request_id,
            to_nano(done.cost) if done.currency else None,
            done.currency,
            done.billed.value,
            dump(dict(done.usage)) if done.usage else None,
            done.attempt_pk,
        ),
    )
    values = (result_pk, done.ended_at, done.task_pk, done.attempt_pk)
    return txn.execute(_WIN, values).rowcount == 1


def set_aside(txn: Txn, done: Completion, failure: Failure) -> None:
    """To look into the late answer has ended the program: nobody does so again, and the row is not
    sent for another of its kind."""
    said = failure.said.dump()
    changed = txn.execute(_SET_ASIDE, (failure.code, said, done.billed.value, done.attempt_pk))
    if changed.fetchone() is not None:
        settle.fail_waiting(txn, done.task_pk, failure.said, failure.code, done.ended_at)


def earlier(txn: Txn, task_pk: int, attempt_pk: int) -> int | None:
    """The result that an earlier attempt of the same content brought while this one ran."""
    found = txn.one(EARLIER, (task_pk, attempt_pk))
    return None if found is None else int(found[0])
