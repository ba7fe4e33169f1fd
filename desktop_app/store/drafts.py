"""Drafts into rows, by the thousand: this is where an import spends its time."""

from __future__ import annotations

import os
import sqlite3
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.task import Draft, TaskState, digest_of, digested, request_digest
from desktop_app.domain.text import Message, message
from desktop_app.store.codec import dump, dump_texts
from desktop_app.store.many import run_many
from desktop_app.store.stems import Stems
from desktop_app.store.tasks.attempts import next_pk
from desktop_app.store.writer import Txn

_TASK = """
INSERT INTO task (id, batch_id, row_no, state, priority, lane, blocked, task_id, key, stem,
                  stem_fold, error_class, error_code, note, updated_at)
VALUES {rows}"""

_PAYLOAD = "INSERT INTO payload VALUES {rows}"

_VARIANT = bytes(0x80 | byte & 0x3F for byte in range(256))

BLOCK = """
UPDATE task INDEXED BY task_lane_head SET blocked = 1
WHERE batch_id = ? AND lane IS NOT NULL AND state < 3 AND blocked = 0"""

LEAD = """
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
    wanted = [row.stem for row in rows]
    names = stems.distinct(wanted)
    if names is None:
        _insert(txn, batch_id, rows, stems.reserve(txn, batch_id, wanted), now)
        return
    # Most names are free, and the index that has to be asked anyway says so.
    txn.execute("SAVEPOINT names")
    try:
        _insert(txn, batch_id, rows, names, now)
    except sqlite3.IntegrityError:
        txn.execute("ROLLBACK TO names")
        _insert(txn, batch_id, rows, stems.reserve(txn, batch_id, wanted), now)
    txn.execute("RELEASE names")


def _insert(
    txn: Txn, batch_id: int, rows: Sequence[Draft], names: Sequence[tuple[str, str]], now: float
) -> None:
    first = next_pk(txn, "task")
    ids = task_ids(len(rows))
    known = _Known()
    pending, failed = int(TaskState.PENDING), int(TaskState.FAILED)
    tasks = []
    payloads = []
    for pk, (draft, (stem, folded), task_id) in enumerate(
        zip(rows, names, ids, strict=True), first
    ):
        lane = draft.lane or None
        problem = _problem(draft)
        tasks.append(
            (
                pk,
                batch_id,
                draft.row_no,
                pending if problem is _NO_PROBLEM else failed,
                draft.priority,
                lane,
                int(lane is not None),
                task_id,
                draft.key,
                stem,
                folded,
                *problem,
                now,
            )
        )
        payloads.append((pk, *known.payload(draft)))
    run_many(txn, _TASK, tasks)
    run_many(txn, _PAYLOAD, payloads)


def count(txn: Txn, batch_id: int, rows: Sequence[Draft]) -> None:
    """Count rows of a batch that is not sealed: there the triggers keep still."""
    states = Counter(int(_state(draft)) for draft in rows)
    txn.executemany(
        "UPDATE tally SET n = n + ? WHERE batch_id = ? AND state = ?",
        [(n, batch_id, state) for state, n in states.items()],
    )


def lead_lanes(txn: Txn, batch_id: int) -> None:
    """Mark the head of every lane; a batch without lanes pays one look into an empty index."""
    txn.execute(BLOCK, (batch_id,))
    txn.execute(LEAD, {"batch": batch_id})


def task_ids(count: int) -> list[str]:
    """UUIDs of version 7: they grow, so that a million of them fill their index in order."""
    stamp = time.time_ns() // 1_000_000
    random = bytearray(os.urandom(count * 8))
    random[::8] = random[::8].translate(_VARIANT)
    noise = random.hex()
    found: list[str] = []
    for start in range(0, count, 0x1000):
        when = f"{stamp + (start >> 12):012x}"
        head = f"{when[:8]}-{when[8:]}-7"
        found += [
            f"{head}{serial:03x}-{noise[at : at + 4]}-{noise[at + 4 : at + 16]}"
            for serial, at in enumerate(range(start * 16, min(count, start + 0x1000) * 16, 16))
        ]
    return found


def payload_of(draft: Draft) -> tuple[str, str, str, str, str]:
    """prompt, params, extra, cells, digest, as the store keeps them."""
    return _Known().payload(draft)


class _Known:
    """What parameters come to as text, by identity: the drafts of a chunk share theirs, and hold
    on to them for as long as this is used."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[str, str]] = {}

    def payload(self, draft: Draft) -> tuple[str, str, str, str, str]:
        """See ``payload_of``."""
        request = draft.request
        cells = dump_texts(draft.cells)
        if request is None:
            return "", "{}", "{}", cells, request_digest(None)
        params, params_digested = self._text(request.params)
        extra, extra_digested = self._text(request.extra)
        digest = digest_of(request.prompt, params_digested, extra_digested)
        return request.prompt, params, extra, cells, digest

    def _text(self, values: Mapping[str, Any]) -> tuple[str, str]:
        if not values:
            return "{}", "{}"
        text = self._texts.get(id(values))
        if text is None:
            text = self._texts[id(values)] = dump(dict(values)), digested(values)
        return text


_Problem = tuple[str | None, str | None, str | None]

_NO_PROBLEM: _Problem = (None, None, None)


def _problem(draft: Draft) -> _Problem:
    problem = draft.problem
    if problem is None:
        if draft.request is not None:
            return _NO_PROBLEM
        problem = message("store.no_request")
    said = problem if isinstance(problem, Message) else message("text.plain", text=str(problem))
    return FailureClass.INVALID.value, said.code, said.dump()


def _state(draft: Draft) -> TaskState:
    return TaskState.PENDING if _problem(draft) is _NO_PROBLEM else TaskState.FAILED
