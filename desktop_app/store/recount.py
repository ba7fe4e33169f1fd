"""Counts anew what triggers keep: after rows were put together from two files no sum is trusted."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

_LOST_CALL = "a.sent = 1 AND a.outcome <> 'open' AND a.billed <> 'no'"

_STATEMENTS = (
    "DELETE FROM tally",
    """
INSERT INTO tally (batch_id, state, n)
  SELECT b.id, s.value, (SELECT count(*) FROM task t WHERE t.batch_id = b.id AND t.state = s.value)
  FROM batch b, json_each('[0,1,2,3,4,5,6,7]') s""",
    "DELETE FROM calls",
    f"""
INSERT INTO calls (batch_id, attempts, throttled, unpriced, last_at, maybe_double, given_up)
  SELECT b.id, coalesce(sum(a.sent), 0), coalesce(sum(a.outcome = 'throttled'), 0),
    coalesce(sum(a.billed = 'yes' AND a.cost_nano IS NULL), 0),
    max(max(a.started_at, coalesce(a.ended_at, 0))),
    (SELECT coalesce(sum(n - 1), 0) FROM (
      SELECT count(*) AS n FROM attempt a WHERE a.batch_id = b.id AND {_LOST_CALL}
      GROUP BY a.task_pk, a.edition)),
    (SELECT count(*) FROM (
      SELECT 1 FROM attempt a JOIN task t ON t.id = a.task_pk
      WHERE a.batch_id = b.id AND a.edition < t.edition AND a.sent = 1
      GROUP BY a.task_pk, a.edition
      HAVING max(a.outcome = 'unknown' AND a.billed = 'maybe') = 1 AND max(a.billed = 'yes') = 0))
  FROM batch b LEFT JOIN attempt a ON a.batch_id = b.id GROUP BY b.id""",  # noqa: S608 - constants
    "DELETE FROM spent",
    """
INSERT INTO spent (batch_id, currency, nano)
  SELECT batch_id, currency, sum(cost_nano) FROM attempt
  WHERE cost_nano IS NOT NULL AND billed <> 'no' GROUP BY 1, 2""",
    "UPDATE attempt SET day = date(started_at, 'unixepoch', 'localtime') WHERE day IS NULL",
    "DELETE FROM purse",
    """
INSERT INTO purse (batch_id, day, currency, connection_id, held_nano, open_nano)
  SELECT a.batch_id, a.day, a.currency, b.connection_id,
    sum(CASE a.billed WHEN 'no' THEN 0 ELSE coalesce(a.cost_nano, a.reserved_nano, 0) END),
    sum(CASE a.outcome WHEN 'open' THEN coalesce(a.reserved_nano, 0) ELSE 0 END)
  FROM attempt a JOIN batch b ON b.id = a.batch_id
  WHERE a.currency IS NOT NULL GROUP BY 1, 2, 3""",
    """
UPDATE batch SET finished_at = CASE
  WHEN EXISTS (SELECT 1 FROM task t WHERE t.batch_id = batch.id AND t.state < 3) THEN NULL
  ELSE coalesce(
    finished_at, (SELECT max(updated_at) FROM task t WHERE t.batch_id = batch.id)) END""",
    # Who leads a lane: a hint that the claim looks at again.
    "UPDATE task SET blocked = 1 WHERE lane IS NOT NULL AND state < 3 AND blocked = 0",
    """
UPDATE task SET blocked = 0
WHERE lane IS NOT NULL AND state < 3
  AND row_no = (SELECT min(h.row_no) FROM task h INDEXED BY task_lane
                WHERE h.batch_id = task.batch_id AND h.lane = task.lane AND h.lane IS NOT NULL
                  AND h.state < 3)
  AND ((SELECT lane_on_dead FROM batch b WHERE b.id = task.batch_id) = 'go'
       OR NOT EXISTS (SELECT 1 FROM task d INDEXED BY task_lane_dead
                      WHERE d.lane IS NOT NULL AND d.batch_id = task.batch_id
                        AND d.lane = task.lane AND d.state IN (4, 5, 6)
                        AND d.row_no < task.row_no))""",
)


def recount(conn: sqlite3.Connection) -> None:
    """Every count, sum and hint, from tasks and attempts. For a store of the latest version, in a
    transaction, inside ``no_triggers``."""
    for statement in _STATEMENTS:
        conn.execute(statement)


@contextlib.contextmanager
def no_triggers(conn: sqlite3.Connection) -> Iterator[None]:
    """In one transaction, without what triggers would count or refuse; they are back at its end,
    as is everything where it fails."""
    conn.execute("BEGIN IMMEDIATE")
    try:
        sql = "SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger'"
        triggers = conn.execute(sql).fetchall()
        for name, _ in triggers:
            conn.execute(f"DROP TRIGGER main.{name}")
        yield
        for _, made in triggers:
            conn.execute(made)
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        raise
