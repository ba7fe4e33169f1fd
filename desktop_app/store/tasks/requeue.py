"""Requeue by filter, set-based: twenty thousand rows are one statement, not twenty thousand."""

from __future__ import annotations

import json
from dataclasses import replace

from desktop_app.domain.task import DEAD_LETTERS, REQUEUEABLE, TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.store.filters import conditions
from desktop_app.store.writer import Txn

_BATCHES_OF_PKS = """
SELECT DISTINCT t.batch_id FROM task t JOIN batch b ON b.id = t.batch_id AND b.stage = 1
WHERE t.id IN (SELECT value FROM json_each(?))"""

_AFRESH = """
       state = 0, rev = rev + 1, retries_spent = 0, timeouts = 0, throttled = 0,
       ready = 1, due_at = NULL, delay_s = NULL, cancel_requested = 0, result_id = NULL,
       error_class = NULL, error_code = NULL, note = NULL, updated_at = ?"""


def batches_of(txn: Txn, which: TaskFilter) -> list[int]:
    """The sealed batches a filter may reach; naming them lets each use its own index."""
    if which.batch_id is not None:
        return [which.batch_id]
    if which.pks is not None:
        rows = txn.execute(_BATCHES_OF_PKS, (json.dumps(list(which.pks)),))
        return [pk for (pk,) in rows]
    return [pk for (pk,) in txn.execute("SELECT id FROM batch WHERE stage = 1")]


USABLE = """NOT (+t.state = 4 AND (t.attempt_no = 0 OR t.error_code GLOB 'ingest.*'
                              OR t.error_code = 'store.request_lost'))"""
"""A row that failed without a try, that a newer sheet left empty, or whose prompt a damaged list
has lost, is no request: sending it as it is would fail again, for money."""


def requeue_sql(which: TaskFilter, *, edited: bool = False) -> tuple[str, list[object]]:
    """The UPDATE for one batch (or for pks); values come after the time. ``edited``: the row gets
    another prompt, which makes a request even of a row that was none."""
    states = REQUEUEABLE & (which.states or REQUEUEABLE)
    if which.cause is not None:
        states &= DEAD_LETTERS  # only these have a cause; it is what their index is for
    where, values = conditions(which, states or frozenset())
    if not states:
        where = "0"
        values = []
    if not edited:
        where = f"{where} AND {USABLE}"
    sql = f"UPDATE task AS t SET {_AFRESH} WHERE {where}"  # noqa: S608 - values are bound
    return sql, values


def requeue(txn: Txn, which: TaskFilter, now: float) -> int:
    """FAILED, DEAD, UNCERTAIN, CANCELLED -> PENDING, in their old places; rows that were no
    request stay FAILED. Returns how many."""
    changed = 0
    for batch_id in batches_of(txn, which):
        sql, values = requeue_sql(replace(which, batch_id=batch_id))
        count = txn.execute(sql, [now, *values]).rowcount
        if count:
            txn.touch(batch_id)
        changed += count
    return changed


def edit_and_requeue(txn: Txn, task_pk: int, prompt: str, now: float) -> bool:
    """A new edition with this prompt, requeued; its idempotency key is a new one. With the prompt
    that it has it is no other request: it keeps edition and key, so that a double is seen."""
    found = txn.one("SELECT prompt FROM payload WHERE task_pk = ?", (task_pk,))
    if found == (prompt,) and _requeue_one(txn, task_pk, REQUEUEABLE, now):
        return True
    if not _requeue_one(txn, task_pk, REQUEUEABLE, now, edited=True):
        return False
    txn.execute("UPDATE payload SET prompt = ? WHERE task_pk = ?", (prompt, task_pk))
    txn.execute("UPDATE task SET edition = edition + 1, key_seq = 0 WHERE id = ?", (task_pk,))
    return True


def settle_resend(txn: Txn, task_pk: int, now: float) -> bool:
    """UNCERTAIN -> PENDING on a person's word; the same key is sent again."""
    return _requeue_one(txn, task_pk, frozenset({TaskState.UNCERTAIN}), now)


def _requeue_one(
    txn: Txn, task_pk: int, states: frozenset[TaskState], now: float, *, edited: bool = False
) -> bool:
    found = txn.one("SELECT batch_id FROM task WHERE id = ?", (task_pk,))
    if found is None:
        return False
    which = TaskFilter(batch_id=found[0], pks=(task_pk,), states=states)
    sql, values = requeue_sql(which, edited=edited)
    if txn.execute(sql, [now, *values]).rowcount != 1:
        return False
    txn.touch(found[0], (task_pk,))
    return True
