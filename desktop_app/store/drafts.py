"""Drafts into rows, by the thousand: this is where an import spends its time."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.task import Draft, TaskState, request_digest
from desktop_app.domain.text import Message, message
from desktop_app.store.codec import dump
from desktop_app.store.stems import Stems
from desktop_app.store.tasks.attempts import next_pk
from desktop_app.store.writer import Txn

_TASK = """
INSERT INTO task (id, batch_id, row_no, state, priority, lane, blocked, task_id, key, stem,
                  stem_fold, error_class, error_code, note, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_PAYLOAD = "INSERT INTO payload VALUES (?, ?, ?, ?, ?, ?)"

_TOGETHER = 100

_BLOCK = """
UPDATE task SET blocked = 1
WHERE batch_id = ? AND lane IS NOT NULL AND state < 3 AND blocked = 0"""

_LEAD = """
UPDATE task SET blocked = 0 WHERE id IN (
  SELECT id FROM (SELECT t.id AS id, min(t.row_no) AS row_no, t.lane AS lane
                  FROM task t INDEXED BY task_lane
                  WHERE t.batch_id = :batch AND t.lane IS NOT NULL AND t.state < 3
                  GROUP BY t.lane) head
  WHERE (SELECT lane_on_dead FROM batch WHERE id = :batch) = 'go'
     OR NOT EXISTS (SELECT 1 FROM task d
                    WHERE d.batch_id = :batch AND d.lane = head.lane AND d.state IN (4, 5, 6)
                      AND d.row_no < head.row_no))"""


def insert(txn: Txn, batch_id: int, rows: Sequence[Draft], stems: Stems, now: float) -> None:
    """Insert drafts as tasks; a draft with a problem becomes a FAILED row, class ``invalid``."""
    names = stems.reserve(txn, batch_id, [row.stem for row in rows])
    first = next_pk(txn, "task")
    ids = task_ids(len(rows))
    tasks = []
    payloads = []
    for pk, (draft, name, task_id) in enumerate(zip(rows, names, ids, strict=True), first):
        tasks.append(
            (pk, batch_id, *_task(draft), task_id, draft.key, *name, *_problem(draft), now)
        )
        payloads.append((pk, *payload_of(draft)))
    _insert_all(txn, _TASK, tasks)
    _insert_all(txn, _PAYLOAD, payloads)


def _insert_all(txn: Txn, sql: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """A hundred rows a statement: SQLite gives the interpreter back to the other threads, and has
    to wait for it again, once a statement, which under load costs more than the rows do."""
    head, _, values = sql.rpartition("VALUES ")
    many = f"{head}VALUES {', '.join([values] * _TOGETHER)}"
    whole = len(rows) - len(rows) % _TOGETHER
    for start in range(0, whole, _TOGETHER):
        txn.execute(many, tuple(chain.from_iterable(rows[start : start + _TOGETHER])))
    txn.executemany(sql, rows[whole:])


def count(txn: Txn, batch_id: int, rows: Sequence[Draft]) -> None:
    """Count rows of a batch that is not sealed: there the triggers keep still."""
    states = Counter(int(_state(draft)) for draft in rows)
    txn.executemany(
        "UPDATE tally SET n = n + ? WHERE batch_id = ? AND state = ?",
        [(n, batch_id, state) for state, n in states.items()],
    )


def lead_lanes(txn: Txn, batch_id: int) -> None:
    """Mark the head of every lane; a batch without lanes pays one look into an empty index."""
    txn.execute(_BLOCK, (batch_id,))
    txn.execute(_LEAD, {"batch": batch_id})


def task_ids(count: int) -> list[str]:
    """UUIDs of version 7: they grow, so that a million of them fill their index in order."""
    stamp = time.time_ns() // 1_000_000
    noise = os.urandom(count * 8).hex()
    found = []
    for index in range(count):
        when, serial = f"{stamp + (index >> 12):012x}", index & 0xFFF
        low = noise[index * 16 : index * 16 + 16]
        variant = "89ab"[int(low[0], 16) & 3]
        found.append(f"{when[:8]}-{when[8:]}-7{serial:03x}-{variant}{low[1:4]}-{low[4:]}")
    return found


def _problem(draft: Draft) -> tuple[str | None, str | None, str | None]:
    problem = draft.problem
    if problem is None and draft.request is None:
        problem = message("store.no_request")
    if problem is None:
        return None, None, None
    said = problem if isinstance(problem, Message) else message("text.plain", text=str(problem))
    return FailureClass.INVALID.value, said.code, said.dump()


def _state(draft: Draft) -> TaskState:
    usable = draft.problem is None and draft.request is not None
    return TaskState.PENDING if usable else TaskState.FAILED


def _task(draft: Draft) -> tuple[Any, ...]:
    lane = draft.lane or None
    return draft.row_no, int(_state(draft)), draft.priority, lane, int(lane is not None)


def payload_of(draft: Draft) -> tuple[str, str, str, str, str]:
    """prompt, params, extra, cells, digest, as the store keeps them."""
    request = draft.request
    cells = dump(list(draft.cells))
    digest = request_digest(request)
    if request is None:
        return "", "{}", "{}", cells, digest
    extra = dump(dict(request.extra)) if request.extra else "{}"
    return request.prompt, dump(dict(request.params)), extra, cells, digest
