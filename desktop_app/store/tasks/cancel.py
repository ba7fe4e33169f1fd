"""Cancel: what waits is cancelled at once, what runs is asked to stop by the rules."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.store.filters import conditions
from desktop_app.store.tasks.requeue import batches_of
from desktop_app.store.writer import Txn

_WAITING = frozenset({TaskState.PENDING, TaskState.RETRYING})
_RUNNING = frozenset({TaskState.RUNNING})

CANCEL = """
UPDATE task AS t SET state = 7, rev = rev + 1, ready = 1, due_at = NULL, delay_s = NULL,
       updated_at = ? WHERE """

# The rev stays: the running attempt must still be able to end by its own.
_ASK = "UPDATE task AS t SET cancel_requested = 1, updated_at = ? WHERE t.cancel_requested = 0 AND "


def cancel(txn: Txn, which: TaskFilter, now: float) -> int:
    """PENDING, RETRYING -> CANCELLED; RUNNING gets ``cancel_requested``. Returns how many."""
    changed = 0
    for batch_id in batches_of(txn, which):
        one = replace(which, batch_id=batch_id)
        count = sum(
            _apply(txn, sql, one, states, now)
            for sql, states in ((CANCEL, _WAITING), (_ASK, _RUNNING))
        )
        if count:
            txn.touch(batch_id)
        changed += count
    return changed


def _apply(txn: Txn, sql: str, which: TaskFilter, states: frozenset[TaskState], now: float) -> int:
    chosen = states & (which.states or states)
    if not chosen:
        return 0
    where, values = conditions(which, chosen)
    return txn.execute(sql + where, [now, *values]).rowcount
