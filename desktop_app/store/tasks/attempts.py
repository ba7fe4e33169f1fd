"""Attempts are committed before a request leaves, so they are opened and closed in one place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from desktop_app.domain.attempt import Completion, Kept, Outcome
from desktop_app.store.codec import dump, to_nano
from desktop_app.store.many import change_many, run_many
from desktop_app.store.writer import Txn

BODY_CHARS = 2_000
PAID_CHARS = 64 * 1024
"""Of an answer that was paid for and broke off, what came is worth keeping."""

_NOT_SENT = frozenset({Outcome.NOT_SENT, Outcome.OFFLINE})

_OPEN = """
INSERT INTO attempt (id, task_pk, batch_id, attempt_no, edition, idempotency_key, stem,
                     started_at, day, reserved_nano, currency, outcome)
SELECT {id}, {task_pk}, {batch_id}, {attempt_no}, {edition}, {key}, {stem}, {started_at}, {day},
       {reserved}, {currency}, 'open' FROM {given}"""

_OPENED = "task_pk batch_id attempt_no edition key stem started_at day reserved currency id"

CLOSE = """
UPDATE attempt SET ended_at = {ended_at}, outcome = {outcome}, sent = {sent},
       latency_s = {latency_s}, http_status = {http_status}, request_id = {request_id},
       error_class = {error_class}, error_code = {error_code}, said = {said}, body = {body},
       wait_s = {wait_s}, cost_nano = {cost_nano},
       currency = coalesce({currency}, attempt.currency), billed = {billed}, usage = {usage}
FROM {given} WHERE attempt.id = {id} AND attempt.outcome = 'open'"""

CLOSED = (
    "ended_at outcome sent latency_s http_status request_id error_class error_code said body "
    "wait_s cost_nano currency billed usage id"
)

_KEEP = """
INSERT OR IGNORE INTO result (task_pk, attempt_id, path, size, mime, text, width, height, flags,
                              sha256)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_KEEP_MANY = """
INSERT INTO result (id, task_pk, attempt_id, path, size, mime, text, width, height, flags, sha256)
VALUES {rows}"""


_KEEP_MORE = """
INSERT INTO more_result (task_pk, result_id, place, path, size, mime, text, width, height, sha256)
VALUES {rows}"""


def key_of(task_id: str, edition: int, key_seq: int) -> str:
    """The idempotency key: it changes with the request's content or after a known failure."""
    return f"{task_id}-{edition}-{key_seq}"


def next_pk(txn: Txn, table: str) -> int:
    """The pk that the next row of the table will have, inside this transaction."""
    (top,) = txn.one(f"SELECT coalesce(max(id), 0) FROM {table}")  # noqa: S608 - a literal name
    return int(top) + 1


def open_many(txn: Txn, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert (task_pk, batch_id, attempt_no, edition, key, stem, started_at, day, reserved_nano,
    currency, id)."""
    change_many(txn, _OPEN, _OPENED, rows)


def close(txn: Txn, dones: Sequence[Completion]) -> None:
    """Close attempts with their outcomes; nothing changes of one that was closed before."""
    change_many(txn, CLOSE, CLOSED, [_outcome(done) for done in dones])


def keep(txn: Txn, task_pk: int, attempt_pk: int | None, kept: Kept) -> int:
    """Store a result with all that came beside it; the same attempt's is stored once. Returns the
    result's pk."""
    done = txn.execute(_KEEP, (task_pk, attempt_pk, *_kept(kept)))
    if done.rowcount == 1 and done.lastrowid is not None:
        _keep_more(txn, [(task_pk, done.lastrowid, kept)])
        return done.lastrowid
    (found,) = txn.one("SELECT id FROM result WHERE attempt_id = ?", (attempt_pk,))
    return int(found)


def keep_many(txn: Txn, results: Sequence[tuple[int, int, Kept]]) -> list[int]:
    """Store the first results of these (task pk, attempt pk); returns their pks, in order. Raises
    IntegrityError where an attempt has one already."""
    if not results:
        return []
    first = next_pk(txn, "result")
    pks = list(range(first, first + len(results)))
    rows = [(pk, *ids, *_kept(kept)) for pk, (*ids, kept) in zip(pks, results, strict=True)]
    run_many(txn, _KEEP_MANY, rows)
    _keep_more(txn, [(task, pk, kept) for pk, (task, _, kept) in zip(pks, results, strict=True)])
    return pks


def _keep_more(txn: Txn, results: Sequence[tuple[int, int, Kept]]) -> None:
    """What came beside these (task pk, result pk)."""
    rows = [
        (task_pk, result_pk, place, k.path, k.size, k.mime, k.text, k.width, k.height, k.sha256)
        for task_pk, result_pk, kept in results
        for place, k in enumerate(kept.more, start=2)
    ]
    run_many(txn, _KEEP_MORE, rows)


def _outcome(done: Completion) -> tuple[Any, ...]:
    failure = done.failure
    sent = done.outcome not in _NOT_SENT and (failure is None or failure.sent)
    return (
        done.ended_at,
        done.outcome.value,
        int(sent),
        done.latency_s,
        _first(done.http_status, failure and failure.http_status),
        _first(done.request_id, failure and failure.request_id),
        failure and failure.kind.value,
        failure and failure.code,
        failure and failure.said.dump(),
        failure.body[: PAID_CHARS if failure.billed else BODY_CHARS] if failure else "",
        _first(done.delay_s, failure and failure.wait.seconds),
        to_nano(done.cost) if done.currency else None,
        done.currency,
        done.billed.value,
        dump(dict(done.usage)) if done.usage else None,
        done.attempt_pk,
    )


def _kept(kept: Kept) -> tuple[Any, ...]:
    return (
        kept.path,
        kept.size,
        kept.mime,
        kept.text,
        kept.width,
        kept.height,
        dump(list(kept.flags)) if kept.flags else "[]",
        kept.sha256,
    )


def _first(value: Any, other: Any) -> Any:
    return other if value is None else value
