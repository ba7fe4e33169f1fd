"""A changed row supersedes the request that waits; a running one is left to come to its end, and a
paid one stays as it is unless a person agreed to pay for the row again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, message
from desktop_app.store import drafts
from desktop_app.store.stems import Stems, fold
from desktop_app.store.tasks import settle
from desktop_app.store.writer import Txn

Payload = tuple[str, str, str, str, str]
"""prompt, params, extra, cells, digest, as ``payload`` keeps them."""

GONE = "store.gone"
"""The error code of rows that were cancelled because the sheet has them no longer."""

PAID = """
(t.state IN (1, 3, 6) OR (t.state > 3 AND EXISTS (
  SELECT 1 FROM attempt a WHERE a.task_pk = t.id AND a.edition = t.edition AND a.sent = 1
    AND a.outcome <> 'open' AND a.billed <> 'no')))"""
"""Whether a row ``t`` is on its way, done, or may have been billed and does not wait."""

_WAITING = frozenset({TaskState.PENDING, TaskState.RETRYING})

_FIND = f"""
SELECT t.batch_id, t.state, t.edition, p.digest, t.error_code IS '{GONE}', {PAID}
FROM task t JOIN payload p ON p.task_pk = t.id WHERE t.id = ?"""  # noqa: S608 - constants

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

_LATER = "INSERT OR REPLACE INTO next_edition VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

_TAKE = """
DELETE FROM next_edition WHERE task_pk = ?
RETURNING prompt, params, extra, cells, digest, key, lane, priority, stem, problem, again"""

_FILE = "UPDATE task SET key = ?, priority = ? WHERE id = ?"

# Who leads a lane is for ``drafts.lead_lanes`` to say, once for all rows of a commit.
_LANE = "UPDATE task SET lane = ?, blocked = ? WHERE id = ? AND lane IS NOT ?"

_CANCEL_GONE = """
UPDATE task SET state = 7, rev = rev + 1, ready = 1, due_at = NULL, delay_s = NULL,
       error_class = NULL, error_code = ?, note = ?, updated_at = ?
WHERE id IN (SELECT value FROM json_each(?)) AND state IN (0, 2)"""


@dataclass(frozen=True, slots=True)
class Newer:
    """What the newer sheet says of a row. ``problem``: why it can't be asked for. Without a
    ``stem`` the row keeps its key, lane, priority and name."""

    content: Payload
    key: str | None = None
    lane: str | None = None
    priority: int = 0
    stem: str | None = None
    problem: Message | None = None

    @property
    def digest(self) -> str:
        """What it asks for."""
        return self.content[4]


class Superseded(Enum):
    """What became of a row that the newer sheet says otherwise."""

    REPLACED = "replaced"  # it had not been sent in this form and never will be
    LATER = "later"  # the older edition is on its way and comes to its end first
    AGAIN = "again"  # the older edition was final; the newer one runs
    REFILED = "refiled"  # it asks for the same: its cells, key, lane and priority follow
    UNUSABLE = "unusable"  # it can't be asked for as it is now: it failed, if it waited
    LEFT = "left"  # it may have been paid for, and stays as it is
    MOVED_ON = "moved_on"  # somebody else changed it meanwhile; nothing is done


def supersede(
    txn: Txn, task_pk: int, edition: int, newer: Newer, now: float, *, again: bool = True
) -> Superseded:
    """Bring the row up to the newer sheet; the caller names the heads of lanes afterwards.

    ``edition`` is the one that was seen when this was decided; ``again``: a person agreed to pay
    for the row once more.
    """
    found = txn.one(_FIND, (task_pk,))
    if found is None or found[2] != edition:
        return Superseded.MOVED_ON
    batch_id, state, _, digest, is_gone, is_paid = found
    txn.touch(batch_id, (task_pk,))
    if TaskState(state) is not TaskState.RUNNING:
        stand = _Stand(batch_id, task_pk, TaskState(state), digest, bool(is_gone), bool(is_paid))
        return _take(txn, stand, newer, now, again=again)
    problem = None if newer.problem is None else newer.problem.dump()
    filed = (newer.key, newer.lane, newer.priority, newer.stem, problem, int(again))
    txn.execute(_LATER, (task_pk, *newer.content, *filed))
    if digest != newer.digest:
        return Superseded.LATER if again else Superseded.LEFT
    _set_cells(txn, task_pk, newer)
    return Superseded.REFILED


def follow(txn: Txn, task_pk: int, state: TaskState, now: float, *, cancelled: bool) -> None:
    """The running edition has ended in ``state``: a newer one that waited for that takes over,
    unless the row was cancelled, or is paid and nobody agreed to pay again."""
    rows = txn.execute(_TAKE, (task_pk,)).fetchall()
    if not rows or cancelled:
        return
    *content, key, lane, priority, stem, problem, again = rows[0]
    said = None if problem is None else Message.load(problem)
    newer = Newer(_payload(content), key, lane, priority, stem, said)
    batch_id, _, _, digest, _, is_paid = txn.one(_FIND, (task_pk,))
    stand = _Stand(batch_id, task_pk, state, digest, False, bool(is_paid))
    _take(txn, stand, newer, now, again=bool(again))
    drafts.lead_lanes(txn, batch_id)


def cancel_gone(txn: Txn, batch_id: int, pks: Sequence[int], now: float) -> int:
    """PENDING, RETRYING -> CANCELLED, of rows that the newer sheet has no longer. Returns how
    many."""
    values = (GONE, message(GONE).dump(), now, json.dumps(list(pks)))
    txn.touch(batch_id, pks)
    return txn.execute(_CANCEL_GONE, values).rowcount


@dataclass(frozen=True, slots=True)
class _Stand:
    """Where a row stands; ``is_gone``: it was cancelled because the sheet had it no longer."""

    batch_id: int
    pk: int
    state: TaskState
    digest: str
    is_gone: bool
    is_paid: bool


def _take(txn: Txn, row: _Stand, newer: Newer, now: float, *, again: bool) -> Superseded:
    is_waiting = row.state in _WAITING
    if row.digest == newer.digest and not row.is_gone:
        _file(txn, row, newer, rename=row.state is not TaskState.SUCCESS)
        return Superseded.REFILED
    if newer.problem is not None:
        if is_waiting:
            _set_aside(txn, row, newer, newer.problem, now)
        return Superseded.UNUSABLE
    if row.is_paid and not again:
        return Superseded.LEFT
    if is_waiting:
        txn.execute(_STEP_OUT, (now, row.pk))
    txn.execute(_CONTENT, (*newer.content, row.pk))
    _file(txn, row, newer, rename=True)
    txn.execute(_NEW, (now, row.pk))
    return Superseded.REPLACED if is_waiting else Superseded.AGAIN


def _set_aside(txn: Txn, row: _Stand, newer: Newer, problem: Message, now: float) -> None:
    txn.execute(_CONTENT, (*newer.content, row.pk))
    _file(txn, row, newer, rename=True)
    txn.execute("UPDATE task SET edition = edition + 1, key_seq = 0 WHERE id = ?", (row.pk,))
    settle.fail_waiting(txn, row.pk, problem, problem.code, now)


def _file(txn: Txn, row: _Stand, newer: Newer, *, rename: bool) -> None:
    """Cells, key, lane, priority, and where ``rename`` the name its file will have."""
    _set_cells(txn, row.pk, newer)
    if newer.stem is None:
        return
    txn.execute(_FILE, (newer.key, newer.priority, row.pk))
    lane = newer.lane or None
    txn.execute(_LANE, (lane, int(lane is not None), row.pk, lane))
    if rename:
        _rename(txn, row, newer.stem)


def _set_cells(txn: Txn, task_pk: int, newer: Newer) -> None:
    """And the parameters: what asks for the same may say otherwise where a picture lies."""
    _, params, _, cells, _ = newer.content
    txn.execute(
        "UPDATE payload SET cells = ?, params = ? WHERE task_pk = ?", (cells, params, task_pk)
    )


def _rename(txn: Txn, row: _Stand, stem: str) -> None:
    (folded,) = txn.one("SELECT stem_fold FROM task WHERE id = ?", (row.pk,))
    base, _, number = folded.rpartition("-")
    if fold(stem) == folded or (fold(stem) == base and number.isdigit()):
        return  # it has that name already, or the one it got because that was taken
    name = Stems().reserve(txn, row.batch_id, [stem])[0]
    txn.execute("UPDATE task SET stem = ?, stem_fold = ? WHERE id = ?", (*name, row.pk))


def _payload(values: Sequence[Any]) -> Payload:
    prompt, params, extra, cells, digest = values
    return prompt, params, extra, cells, digest
