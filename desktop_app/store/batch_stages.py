"""A batch passes its stages in whole commits, so that no row comes to one of another stage."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.domain.batch import Batch, BatchStage, RunState
from desktop_app.domain.ports import Packed
from desktop_app.domain.task import Draft, TaskState
from desktop_app.store import drafts, packing
from desktop_app.store.codec import dump, from_mapping, to_nano
from desktop_app.store.stems import Stems
from desktop_app.store.writer import Txn

_BEGIN = """
INSERT INTO batch (name, sheet_path, sheet_hash, fingerprint, columns, mapping, connection_id,
                   out_dir, created_at, stage, run_state, lane_on_dead, row_gate, max_calls,
                   options, budget_nano, budget_currency, priority)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)"""

_SEAL = """
UPDATE batch SET stage = 1,
       finished_at = CASE WHEN NOT EXISTS (
         SELECT 1 FROM tally WHERE batch_id = :batch AND state < 3 AND n > 0) THEN :now END
WHERE id = :batch AND stage = 0"""


def begin(txn: Txn, batch: Batch) -> int:
    """Make an unsealed batch; returns its id."""
    values = (
        batch.name,
        batch.sheet_path,
        batch.sheet_hash,
        batch.fingerprint,
        dump(list(batch.columns)),
        from_mapping(batch.mapping),
        batch.connection_id,
        batch.out_dir,
        batch.created_at,
        int(RunState.IDLE),
        batch.lane_on_dead.value,
        batch.row_gate,
        batch.max_calls,
        dump(dict(batch.options)),
        None if batch.budget is None else to_nano(batch.budget.amount),
        None if batch.budget is None else batch.budget.currency,
        int(batch.priority),
    )
    batch_id = int(txn.execute(_BEGIN, values).lastrowid or 0)
    txn.executemany(
        "INSERT INTO tally (batch_id, state) VALUES (?, ?)",
        [(batch_id, int(state)) for state in TaskState],
    )
    txn.execute("INSERT INTO calls (batch_id) VALUES (?)", (batch_id,))
    return batch_id


def _stage(txn: Txn, batch_id: int) -> int | None:
    row = txn.one("SELECT stage FROM batch WHERE id = ?", (batch_id,))
    return None if row is None else int(row[0])


def packed(rows: Sequence[Draft]) -> Packed:
    """Rows as ``add`` takes them."""
    packs = packing.pack((row.values() for row in rows), max(1, len(rows)))
    return next(packs, Packed(0, 0))


def add(txn: Txn, batch_id: int, rows: Packed, stems: Stems, now: float) -> None:
    """Add rows to an unsealed batch. Raises LookupError for any other."""
    if _stage(txn, batch_id) != BatchStage.IMPORTING:
        raise LookupError(batch_id)
    drafts.insert(txn, batch_id, rows, stems, now)


def seal(txn: Txn, batch_id: int, now: float) -> None:
    """Make an unsealed batch real. Raises LookupError for any other."""
    if _stage(txn, batch_id) != BatchStage.IMPORTING:
        raise LookupError(batch_id)
    drafts.lead_lanes(txn, batch_id)
    txn.execute(_SEAL, {"batch": batch_id, "now": now})
    txn.touch(batch_id)


def extend(txn: Txn, batch_id: int, rows: Sequence[Draft], now: float) -> int:
    """Add the rows that a sealed batch doesn't have; returns how many. Raises LookupError for any
    other."""
    if _stage(txn, batch_id) != BatchStage.SEALED:
        raise LookupError(batch_id)
    sql = "SELECT row_no FROM task WHERE batch_id = ?"
    known = {row_no for (row_no,) in txn.execute(sql, (batch_id,))}
    fresh = [row for row in rows if row.row_no not in known]
    if not fresh:
        return 0
    drafts.insert(txn, batch_id, packed(fresh), Stems(), now)
    drafts.lead_lanes(txn, batch_id)
    txn.execute(
        "UPDATE batch SET finished_at = NULL, run_since = CASE WHEN run_state = 1 THEN ? END "
        "WHERE id = ? AND finished_at IS NOT NULL AND EXISTS ("
        "SELECT 1 FROM tally WHERE batch_id = batch.id AND state < 3 AND n > 0)",
        (now, batch_id),
    )
    txn.touch(batch_id)
    return len(fresh)
