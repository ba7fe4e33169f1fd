"""Packed rows into the store, by the thousand, from table to table: this is where an import spends
its time, and no row passes through Python."""

from __future__ import annotations

import sqlite3

from desktop_app.domain.ports import Packed
from desktop_app.domain.task import TaskState
from desktop_app.store.stems import Stems
from desktop_app.store.tasks.attempts import next_pk
from desktop_app.store.writer import Txn

_TASK = """
INSERT INTO main.task (id, row_no, task_id, key, stem, stem_fold, state, priority, lane, blocked,
                       error_class, error_code, note, batch_id, updated_at)
SELECT rowid + :before, row_no, task_id, key, stem, stem_fold, state, priority, lane, blocked,
       error_class, error_code, note, :batch, :now
FROM packed.task ORDER BY rowid"""

_PAYLOAD = """
INSERT INTO main.payload (task_pk, prompt, params, cells, digest, extra)
SELECT rowid + :before, prompt, params, cells, digest, extra FROM packed.payload ORDER BY rowid"""

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
    for part in packed.parts:
        _insert(txn, batch_id, part, stems, now)
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


def _insert(txn: Txn, batch_id: int, part: bytes, stems: Stems, now: float) -> None:
    _hold(txn.conn, part)
    if stems.have_clashed and not stems.are_distinct(_column(txn, "stem_fold")):
        _rename(txn, batch_id, stems)
        _copy(txn, batch_id, now)
    else:
        # Most names are free, and the index that has to be asked anyway says so.
        txn.execute("SAVEPOINT names")
        try:
            _copy(txn, batch_id, now)
        except sqlite3.IntegrityError:
            txn.execute("ROLLBACK TO names")
            _rename(txn, batch_id, stems)
            _copy(txn, batch_id, now)
        txn.execute("RELEASE names")


def _hold(connection: sqlite3.Connection, part: bytes) -> None:
    """Read the rows as ``packed``, instead of those before."""
    held = (name for _, name, _ in connection.execute("PRAGMA database_list"))
    if "packed" not in held:
        connection.execute("ATTACH ':memory:' AS packed")
    connection.deserialize(part, name="packed")


def _column(txn: Txn, name: str) -> list[str]:
    rows = txn.execute(f"SELECT {name} FROM packed.task ORDER BY rowid")  # noqa: S608 - a literal
    return [value for (value,) in rows]


def _rename(txn: Txn, batch_id: int, stems: Stems) -> None:
    names = stems.reserve(txn, batch_id, _column(txn, "stem"))
    txn.executemany(
        "UPDATE packed.task SET stem = ?, stem_fold = ? WHERE rowid = ?",
        [(*name, place) for place, name in enumerate(names, start=1)],
    )


def _copy(txn: Txn, batch_id: int, now: float) -> None:
    values = {"before": next_pk(txn, "task") - 1, "batch": batch_id, "now": now}
    txn.execute(_TASK, values)
    txn.execute(_PAYLOAD, {"before": values["before"]})
