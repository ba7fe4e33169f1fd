"""Batches as the engine moves them: run states, gates, and the clock of their running time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from desktop_app.domain.batch import Batch, BatchPriority, RunState
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.money import Money
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message
from desktop_app.domain.views import BatchSummary
from desktop_app.store.codec import BATCH_COLUMNS, dump, from_message, from_nano, to_batch, to_nano
from desktop_app.store.tasks import budget
from desktop_app.store.writer import Txn

_RUN = """
UPDATE batch SET run_state = 1, pause_reason = NULL, started_at = coalesce(started_at, :now),
       run_since = CASE WHEN finished_at IS NULL THEN coalesce(run_since, :now) END
WHERE id = :batch AND stage = 1"""

_HALT = """
UPDATE batch SET run_state = :state, pause_reason = :reason,
       ran_s = ran_s + max(0, :now - coalesce(run_since, :now)), run_since = NULL
WHERE id = :batch AND stage = 1"""

# After a crash nobody knows when it ran last, except that its last attempt tells.
_PAUSE_ALL = """
UPDATE batch SET run_state = 2, pause_reason = ?,
       ran_s = ran_s + max(0, coalesce(
         (SELECT last_at FROM calls WHERE calls.batch_id = batch.id), 0)
         - coalesce(run_since, 9e99)),
       run_since = NULL
WHERE stage = 1 AND run_state = 1 RETURNING id, finished_at IS NULL"""


IN_PART = """
SELECT t.batch_id, count(*) FROM result r INDEXED BY result_in_part
CROSS JOIN task t ON t.id = r.task_pk
WHERE instr(r.flags, '"partial"') > 0 AND t.result_id = r.id
  AND t.batch_id IN (SELECT value FROM json_each(?)) GROUP BY t.batch_id"""

_CALLS = "FROM batch b JOIN calls c ON c.batch_id = b.id"


def set_run_state(
    txn: Txn, batch_id: int, state: RunState, reason: Message | None, now: float
) -> None:
    """Let the engine claim from the batch, or stop it."""
    if state is RunState.RUNNING:
        txn.execute(_RUN, {"batch": batch_id, "now": now})
    else:
        values = {
            "batch": batch_id,
            "now": now,
            "state": int(state),
            "reason": from_message(reason),
        }
        txn.execute(_HALT, values)
    txn.touch(batch_id)


def set_gate(txn: Txn, batch_id: int, rows: Sequence[int]) -> bool:
    """Let these rows alone be claimed (numbers), for a further trial; False where the batch has no
    gate, and so runs whole."""
    found = txn.execute(
        "UPDATE batch SET row_gate = 0, options = json_set(options, '$.open_rows', json(?)) "
        "WHERE id = ? AND row_gate IS NOT NULL",
        (dump(list(rows)), batch_id),
    )
    txn.touch(batch_id)
    return found.rowcount > 0


def open_gate(txn: Txn, batch_id: int) -> None:
    """Let every row be claimed, not the trial's alone."""
    txn.execute("UPDATE batch SET row_gate = NULL WHERE id = ?", (batch_id,))
    txn.touch(batch_id)


def set_max_calls(txn: Txn, batch_id: int, most: int | None) -> None:
    """Cap the batch's calls at ``most``, those already made included; None lifts the cap."""
    txn.execute("UPDATE batch SET max_calls = ? WHERE id = ?", (most, batch_id))
    txn.touch(batch_id)


def set_budget(txn: Txn, batch_id: int, budget: Money | None) -> None:
    """Cap what the batch's calls may cost, those already made included; None lifts the cap."""
    nano, currency = (None, None) if budget is None else (to_nano(budget.amount), budget.currency)
    txn.execute(
        "UPDATE batch SET budget_nano = ?, budget_currency = ? WHERE id = ?",
        (nano, currency, batch_id),
    )
    txn.touch(batch_id)


def set_priority(txn: Txn, batch_id: int, priority: BatchPriority) -> bool:
    """Let the batch go before those of a lower priority. False where there is no such batch."""
    sql = "UPDATE batch SET priority = ? WHERE id = ? AND stage = 1"
    found = txn.execute(sql, (int(priority), batch_id))
    txn.touch(batch_id)
    return found.rowcount > 0


def pause_all_unfinished(txn: Txn, reason: Message) -> list[int]:
    """Pause every running batch; returns the ids of those that have work to come.

    A batch at its end is paused as well, or what is requeued in it would be sent at once.
    """
    found = txn.execute(_PAUSE_ALL, (reason.dump(),)).fetchall()
    paused = [pk for pk, is_unfinished in found if is_unfinished]
    for batch_id in paused:
        txn.touch(batch_id)
    return sorted(paused)


def running(conn: sqlite3.Connection) -> list[Batch]:
    """Batches the engine may claim from and that have work to come, oldest first."""
    return _batches(conn, "WHERE b.stage = 1 AND b.run_state = 1 AND b.finished_at IS NULL")


def one(conn: sqlite3.Connection, batch_id: int) -> Batch | None:
    """One sealed batch."""
    return next(iter(_batches(conn, "WHERE b.stage = 1 AND b.id = ?", batch_id)), None)


def newest_with_fingerprint(conn: sqlite3.Connection, fingerprint: str) -> Batch | None:
    """The newest sealed batch of the same sheet, mapping, connection and output."""
    found = _batches(conn, "WHERE b.stage = 1 AND b.fingerprint = ?", fingerprint)
    return found[-1] if found else None


def _batches(conn: sqlite3.Connection, where: str, *values: object) -> list[Batch]:
    sql = f"SELECT {BATCH_COLUMNS} FROM batch b {where} ORDER BY b.id"  # noqa: S608 - constants
    return [to_batch(row) for row in conn.execute(sql, values)]


def ledger(conn: sqlite3.Connection, batch_id: int | None) -> Ledger:
    """The counters of a sealed batch, or of all together."""
    total = Ledger()
    for ledger_of_one in _ledgers(conn, batch_id).values():
        total = total.plus(ledger_of_one)
    return total


def _ledgers(conn: sqlite3.Connection, batch_id: int | None) -> dict[int, Ledger]:
    where = "b.stage = 1" if batch_id is None else "b.stage = 1 AND b.id = ?"
    values = () if batch_id is None else (batch_id,)
    counts: dict[int, dict[TaskState, int]] = {}
    for pk, state, n in conn.execute(
        f"SELECT b.id, t.state, t.n FROM batch b JOIN tally t ON t.batch_id = b.id WHERE {where}",  # noqa: S608 - constants
        values,
    ):
        counts.setdefault(pk, {})[TaskState(state)] = n
    sql = f"SELECT b.id, c.attempts, c.throttled {_CALLS} WHERE {where}"
    calls = conn.execute(sql, values)
    return {
        pk: Ledger.of(counts.get(pk, {}), attempts=attempts, throttled=throttled)
        for pk, attempts, throttled in calls
    }


def summaries(
    conn: sqlite3.Connection,
    now: float | None,
    *,
    batch_id: int | None = None,
    sheet: str | None = None,
) -> list[BatchSummary]:
    """Sidebar entries, newest first: of one batch, of one sheet's bytes, or of all. ``now`` None:
    no engine is at work, and what was left running ran until its last attempt tells."""
    where = "b.stage = 1"
    values: list[object] = []
    if batch_id is not None:
        where, values = where + " AND b.id = ?", [batch_id]
    elif sheet is not None:
        where, values = where + " AND b.sheet_hash = ?", [sheet]
    rows = conn.execute(
        f"SELECT {BATCH_COLUMNS}, c.name, b.run_since, b.ran_s, k.unpriced, "  # noqa: S608
        "k.maybe_double + k.given_up, k.last_at "
        "FROM batch b JOIN connection c ON c.id = b.connection_id "
        f"JOIN calls k ON k.batch_id = b.id WHERE {where} ORDER BY b.id DESC",
        values,
    ).fetchall()
    ledgers = _ledgers(conn, batch_id)
    spent = _spent(conn, [row[0] for row in rows])
    held = budget.held(conn, [row[0] for row in rows])
    in_part = dict(conn.execute(IN_PART, (dump([row[0] for row in rows]),)))
    return [
        BatchSummary(
            batch=to_batch(row),
            ledger=ledgers[row[0]],
            connection_name=name,
            spent=tuple(spent.get(row[0], ())),
            unpriced_calls=unpriced,
            elapsed_s=ran_s + _ran(since, last_at if now is None else now),
            reserved=_reserved(held.get(row[0], {}), spent.get(row[0], ())),
            maybe_double=doubles,
            in_part=in_part.get(row[0], 0),
        )
        for row, (name, since, ran_s, unpriced, doubles, last_at) in (
            (row, row[-6:]) for row in rows
        )
    ]


def _ran(since: float | None, until: float | None) -> float:
    return 0.0 if since is None or until is None else max(0.0, until - since)


def _reserved(held: Mapping[str, int], spent: Iterable[Money]) -> tuple[Money, ...]:
    known = {money.currency: to_nano(money.amount) or 0 for money in spent}
    rest = ((currency, nano - known.get(currency, 0)) for currency, nano in sorted(held.items()))
    return tuple(Money(from_nano(nano), currency) for currency, nano in rest if nano > 0)


def _spent(conn: sqlite3.Connection, batch_ids: Iterable[int]) -> dict[int, list[Money]]:
    found: dict[int, list[Money]] = {}
    for batch_id in batch_ids:
        for currency, nano in conn.execute(
            "SELECT currency, nano FROM spent WHERE batch_id = ? ORDER BY currency", (batch_id,)
        ):
            found.setdefault(batch_id, []).append(Money(from_nano(nano), currency))
    return found
