"""Claim and attempt are one commit, and the statement itself holds every rule about who may go."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from typing import Any

from desktop_app.domain.attempt import Claim
from desktop_app.domain.budget import day_of
from desktop_app.domain.text import Message
from desktop_app.store.codec import to_request
from desktop_app.store.many import change_many
from desktop_app.store.names import named
from desktop_app.store.tasks import attempts, budget
from desktop_app.store.tasks.key_age import key_since
from desktop_app.store.tasks.waits import next_due
from desktop_app.store.writer import Txn

PROMOTE = """
UPDATE task INDEXED BY task_due SET ready = 1
WHERE batch_id = ? AND ready = 0 AND state IN (0, 2) AND due_at <= ?"""

_COLUMNS = """
SELECT t.id, t.task_id, t.row_no, t.edition, t.rev, t.attempt_no, t.key_seq, t.stem,
       t.retries_spent, t.timeouts, t.throttled, t.lane, p.prompt, p.params, p.extra"""

# "blocked" and "ready" are hints that keep the index small; who leads a lane is decided here.
_RULE = """
  AND t.ready = 1 AND t.blocked = 0 AND t.state IN (0, 2) AND t.cancel_requested = 0
  AND (t.lane IS NULL OR (
        NOT EXISTS (SELECT 1 FROM task o INDEXED BY task_lane
                    WHERE o.batch_id = t.batch_id AND o.lane = t.lane AND o.lane IS NOT NULL
                      AND o.state < 3 AND o.row_no < t.row_no)
    AND NOT EXISTS (SELECT 1 FROM task r INDEXED BY task_running
                    WHERE r.batch_id = t.batch_id AND r.lane = t.lane AND r.state = 1)
    AND (b.lane_on_dead = 'go' OR
         NOT EXISTS (SELECT 1 FROM task d INDEXED BY task_lane_dead
                     WHERE d.batch_id = t.batch_id AND d.lane = t.lane AND d.lane IS NOT NULL
                       AND d.state IN (4, 5, 6) AND d.row_no < t.row_no))))
ORDER BY t.priority DESC, t.row_no LIMIT :limit"""

_FROM = """
FROM batch b CROSS JOIN task t INDEXED BY {index} CROSS JOIN payload p ON p.task_pk = t.id
WHERE b.id = :batch AND b.stage = 1 AND b.run_state = 1 AND t.batch_id = b.id"""

PICK = _COLUMNS + _FROM.format(index="task_ready") + _RULE

# A trial opens a few rows of many: walk those rows, not every ready row beyond the gate.
PICK_GATED = _COLUMNS + _FROM.format(index="task_row") + " AND t.row_no <= b.row_gate" + _RULE

# The rows of a trial that were chosen, wherever they stand: each is looked up by its number.
PICK_OPEN = (
    _COLUMNS
    + """
FROM batch b CROSS JOIN json_each(b.options, '$.open_rows') o
CROSS JOIN task t INDEXED BY task_row CROSS JOIN payload p ON p.task_pk = t.id
WHERE b.id = :batch AND b.stage = 1 AND b.run_state = 1
  AND t.batch_id = b.id AND t.row_no = o.value"""
    + _RULE
)

TAKE = """
UPDATE task SET state = 1, rev = task.rev + 1, attempt_no = {attempt_no},
       attempt_id = {attempt}, ready = 1, due_at = NULL, delay_s = NULL, updated_at = {now}
FROM {given} WHERE task.id = {pk} AND task.rev = {rev} AND task.state IN (0, 2)"""

TAKEN = "attempt_no now pk rev attempt"


@dataclass(frozen=True, slots=True)
class _Terms:
    limit: int
    sql: str
    out_dir: str
    embed: bool


def claim(txn: Txn, batch_id: int, limit: int, now: float) -> list[Claim]:
    """Take up to ``limit`` tasks and open their attempts; never two rows of one lane.

    Nothing is taken unless the batch is sealed and RUNNING, within its row gate, its cap of calls
    and its caps of money (each attempt reserves the most it may cost), and no task whose wait is
    not over, whose cancel was asked for or whose lane is busy.
    """
    terms = _terms(txn.conn, batch_id, limit)
    if terms is None or terms.limit <= 0:
        return []
    txn.execute(PROMOTE, (batch_id, now))
    rows = _pick(txn.conn, batch_id, terms)
    if not rows:
        return []
    first = attempts.next_pk(txn, "attempt")
    purse = budget.purse(txn.conn, batch_id, now)
    model = purse.connection.model
    claims = [_claim(row, batch_id, first + index, terms, model) for index, row in enumerate(rows)]
    reserved = purse.reserve([claim.request for claim in claims])
    claims = claims[: len(reserved)]
    if not claims:
        return []
    day = day_of(now)
    taken = [(c.attempt_no, now, c.task_pk, c.rev - 1, c.attempt_pk) for c in claims]
    change_many(txn, TAKE, TAKEN, taken)
    attempts.open_many(
        txn,
        [
            (
                c.task_pk,
                batch_id,
                c.attempt_no,
                c.edition,
                c.idempotency_key,
                c.file_stem,
                now,
                day,
                nano,
                None if nano is None else purse.currency,
                c.attempt_pk,
            )
            for c, nano in zip(claims, reserved, strict=True)
        ],
    )
    txn.touch(batch_id, [c.task_pk for c in claims])
    return [
        named(txn.conn, purse.connection, c)
        if c.attempt_no == 1
        else named(txn.conn, purse.connection, replace(c, key_since=key_since(txn, c.attempt_pk)))
        for c in claims
    ]


def claimable(conn: sqlite3.Connection, batch_id: int, now: float) -> bool:
    """Whether ``claim`` would give a row now."""
    terms = _terms(conn, batch_id, 1)
    if terms is None or terms.limit <= 0:
        return False
    rows = _pick(conn, batch_id, terms)
    if not rows:
        # What has fallen due is ready only once a claim has come by.
        due = next_due(conn, [batch_id])
        return due is not None and due <= now
    first = _claim(rows[0], batch_id, 0, terms, "").request
    return budget.reached(conn, batch_id, first, now) is None


def over_budget(conn: sqlite3.Connection, batch_id: int, now: float) -> Message | None:
    """Why the next row may not be claimed for the money's sake, or None."""
    terms = _terms(conn, batch_id, 1)
    rows = [] if terms is None else _pick(conn, batch_id, terms)
    if terms is None or not rows:
        return None
    return budget.reached(conn, batch_id, _claim(rows[0], batch_id, 0, terms, "").request, now)


def _pick(conn: sqlite3.Connection, batch_id: int, terms: _Terms) -> list[tuple[Any, ...]]:
    return conn.execute(terms.sql, {"batch": batch_id, "limit": terms.limit}).fetchall()


def _terms(conn: sqlite3.Connection, batch_id: int, limit: int) -> _Terms | None:
    row = conn.execute(
        "SELECT b.row_gate, json_type(b.options, '$.open_rows'), b.max_calls, b.out_dir, "
        "json_extract(b.options, '$.embed'), c.attempts FROM batch b "
        "JOIN calls c ON c.batch_id = b.id WHERE b.id = ? AND b.stage = 1 AND b.run_state = 1",
        (batch_id,),
    ).fetchone()
    if row is None:
        return None
    gate, chosen, max_calls, out_dir, embed, calls = row
    if max_calls is not None:
        limit = min(limit, max_calls - calls)
    sql = PICK if gate is None else PICK_GATED if chosen is None else PICK_OPEN
    return _Terms(limit, sql, out_dir, bool(embed))


def _claim(
    row: tuple[Any, ...], batch_id: int, attempt_pk: int, terms: _Terms, model: str
) -> Claim:
    (
        pk,
        task_id,
        row_no,
        edition,
        rev,
        attempt_no,
        key_seq,
        stem,
        retries_spent,
        timeouts,
        throttled,
        lane,
        prompt,
        params,
        extra,
    ) = row
    return Claim(
        task_pk=pk,
        task_id=task_id,
        batch_id=batch_id,
        row_no=row_no,
        edition=edition,
        rev=rev + 1,
        attempt_pk=attempt_pk,
        attempt_no=attempt_no + 1,
        idempotency_key=attempts.key_of(task_id, edition, key_seq),
        request=to_request(prompt, params, extra),
        file_stem=stem,
        out_dir=terms.out_dir,
        retries_spent=retries_spent,
        timeouts=timeouts,
        throttled=throttled,
        lane=lane,
        model=model,
        embed=terms.embed,
    )
