"""A changed row supersedes the request that waits; a running one is left to come to its end."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from desktop_app.domain.task import TaskState
from desktop_app.store.writer import Txn

Payload = tuple[str, str, str, str, str]
"""prompt, params, extra, cells, digest, as ``payload`` keeps them."""

_WAITING = frozenset({TaskState.PENDING, TaskState.RETRYING})

_FIND = "SELECT batch_id, state, edition FROM task WHERE id = ?"

_CONTENT = """
UPDATE payload SET prompt = ?, params = ?, extra = ?, cells = ?, digest = ? WHERE task_pk = ?"""

# A row that waits comes back by the legal way only: superseded, then requeued.
_STEP_OUT = """
UPDATE task SET state = 7, due_at = NULL, delay_s = NULL, ready = 1, updated_at = ?
WHERE id = ?"""

_NEW = """
UPDATE task SET state = 0, rev = rev + 1, edition = edition + 1, key_seq = 0, retries_spent = 0,
       timeouts = 0, throttled = 0, ready = 1, due_at = NULL, delay_s = NULL,
       cancel_requested = 0, result_id = NULL, error_class = NULL, error_code = NULL, note = NULL,
       updated_at = ? WHERE id = ?"""

_LATER = "INSERT OR REPLACE INTO next_edition VALUES (?, ?, ?, ?, ?, ?)"

_TAKE = """
DELETE FROM next_edition WHERE task_pk = ? RETURNING prompt, params, extra, cells, digest"""


class Superseded(Enum):
    """What became of a changed row."""

    REPLACED = "replaced"  # it had not been sent in this form and never will be
    LATER = "later"  # the older edition is on its way and comes to its end first
    AGAIN = "again"  # the older edition was final; the newer one runs
    MOVED_ON = "moved_on"  # somebody else changed it meanwhile; nothing is done


def supersede(txn: Txn, task_pk: int, edition: int, content: Payload, now: float) -> Superseded:
    """Give the row its new request. ``edition`` is the one that was seen when this was decided."""
    found = txn.one(_FIND, (task_pk,))
    if found is None or found[2] != edition:
        return Superseded.MOVED_ON
    batch_id, state = found[0], TaskState(found[1])
    txn.touch(batch_id, (task_pk,))
    if state is TaskState.RUNNING:
        txn.execute(_LATER, (task_pk, *content))
        return Superseded.LATER
    _renew(txn, task_pk, state, content, now)
    return Superseded.REPLACED if state in _WAITING else Superseded.AGAIN


def follow(txn: Txn, task_pk: int, state: TaskState, now: float, *, cancelled: bool) -> None:
    """The running edition has ended in ``state``: a newer one that waited for that takes over,
    unless the row was cancelled."""
    content = txn.execute(_TAKE, (task_pk,)).fetchall()
    if content and not cancelled:
        _renew(txn, task_pk, state, content[0], now)


def _renew(txn: Txn, task_pk: int, state: TaskState, content: Sequence[str], now: float) -> None:
    if state in _WAITING:
        txn.execute(_STEP_OUT, (now, task_pk))
    txn.execute(_CONTENT, (*content, task_pk))
    txn.execute(_NEW, (now, task_pk))
