"""Packed rows into the store, by the thousand: this is where an import spends its time."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from desktop_app.domain.ports import Packed
from desktop_app.domain.task import TaskState
from desktop_app.store.many import insert_columns
from desktop_app.store.packing import Columns, unpack
from desktop_app.store.stems import Stems
from desktop_app.store.tasks.attempts import next_pk
from desktop_app.store.writer import Txn

_TASK = """
INSERT INTO task (id, row_no, task_id, key, stem, stem_fold, batch_id, updated_at, state)
VALUES {rows}"""

_TASK_WITH_REST = """
INSERT INTO task (id, row_no, task_id, key, stem, stem_fold, state, priority, lane, blocked,
                  error_class, error_code, note, batch_id, updated_at)
VALUES {rows}"""

_PAYLOAD = "INSERT INTO payload (task_pk, prompt, params, cells, digest, extra) VALUES {rows}"

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


def insert(txn: Txn, batch_id: int, packed: Packed, stems: Stems, now: float) -> None:
    """Insert the rows, and count them: no trigger does."""
    if not packed.rows:
        return
    columns = unpack(packed)
    if stems.are_distinct(columns.folded):
        # Most names are free, and the index that has to be asked anyway says so.
        txn.execute("SAVEPOINT names")
        try:
            _insert(txn, batch_id, columns, now)
        except sqlite3.IntegrityError:
            txn.execute("ROLLBACK TO names")
            _insert(txn, batch_id, _renamed(txn, batch_id, columns, stems), now)
        txn.execute("RELEASE names")
    else:
        _insert(txn, batch_id, _renamed(txn, batch_id, columns, stems), now)
    txn.executemany(
        "UPDATE tally SET n = n + ? WHERE batch_id = ? AND state = ?",
        [
            (packed.rows - packed.bad, batch_id, int(TaskState.PENDING)),
            (packed.bad, batch_id, int(TaskState.FAILED)),
        ],
    )


def lead_lanes(txn: Txn, batch_id: int) -> None:
    """Mark the head of every lane; a batch without lanes pays one look into an empty index."""
    txn.execute(BLOCK, (batch_id,))
    txn.execute(LEAD, {"batch": batch_id})


def _renamed(txn: Txn, batch_id: int, columns: Columns, stems: Stems) -> Columns:
    names = stems.reserve(txn, batch_id, columns.stem)
    return columns._replace(stem=[name for name, _ in names], folded=[key for _, key in names])


def _insert(txn: Txn, batch_id: int, columns: Columns, now: float) -> None:
    first = next_pk(txn, "task")
    pks = range(first, first + len(columns.row_no))
    of_task: list[Sequence[Any]] = [pks, columns.row_no, columns.task_id, columns.key]
    of_task += [columns.stem, columns.folded]
    if columns.rest is None:
        pending = int(TaskState.PENDING)
        insert_columns(txn, _TASK, (batch_id, now, pending), of_task)
    else:
        insert_columns(txn, _TASK_WITH_REST, (batch_id, now), [*of_task, *columns.rest])
    of_payload = [pks, columns.prompt, columns.params, columns.cells, columns.digest]
    extra = columns.extra
    if extra.count(extra[0]) == len(extra):  # a sheet names none
        insert_columns(txn, _PAYLOAD, extra[:1], of_payload)
    else:
        insert_columns(txn, _PAYLOAD, (), [*of_payload, extra])
