"""A key makes a resend safe only as long as the provider remembers it, which is counted from its
first use and not from the last."""

from __future__ import annotations

from desktop_app.store.writer import Txn

KEY_SINCE = """
SELECT CASE WHEN max(k.billed <> 'no') THEN (
         SELECT f.started_at FROM attempt f
         WHERE f.task_pk = t.id AND f.edition = t.edition AND f.sent = 1
           AND f.idempotency_key = a.idempotency_key AND f.id <> a.id
         ORDER BY f.id LIMIT 1) END FROM attempt k
WHERE k.task_pk = t.id AND k.edition = t.edition AND k.idempotency_key = a.idempotency_key
  AND k.id <> a.id AND k.sent = 1"""
"""When attempt ``a`` of task ``t`` was not the first to send its key, and one of those before may
have been billed: since when the provider may know the key, epoch s. The first of them tells, not
the earliest date: the clock may have been set back between them."""

_OF_ATTEMPT = f"SELECT ({KEY_SINCE}) FROM attempt a JOIN task t ON t.id = a.task_pk WHERE a.id = ?"  # noqa: S608 - a literal


def key_since(txn: Txn, attempt_pk: int) -> float | None:
    """Since when the provider may know the attempt's key from earlier ones (epoch s)."""
    (found,) = txn.one(_OF_ATTEMPT, (attempt_pk,))
    return None if found is None else float(found)
