"""Decides what a restored row is, so that nothing that may have been paid for is bought again.

What the damaged file itself says of a row stands. A row that could not be read is what its attempts
and its files prove; without a proof it waits for a person's word and is not sent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.attempt import Kept
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.reach import reachable
from desktop_app.domain.text import Message, message
from desktop_app.store.finished_files import FinishedFiles, sha256_of

Verify = Callable[[Path, str, str], Kept | None]
"""Reads a file again: (the batch's folder, the path in it, its SHA-256); None where it is no whole
result."""

_UNKNOWN = FailureClass.UNKNOWN.value

# Of a row that was not read: its newest attempt, where that is newer than the copy's stand of it
# (or the copy had it on its way), and the newest result that the copy did not know.
_EVIDENCE = """
SELECT t.id, a.id, a.attempt_no, a.outcome, a.error_class, a.error_code, a.said, b.out_dir,
       r.id, r.path, r.sha256
FROM saved.unread u CROSS JOIN main.task t ON t.id = u.id JOIN main.batch b ON b.id = t.batch_id
     LEFT JOIN main.attempt a ON a.id = (
       SELECT id FROM main.attempt
       WHERE task_pk = t.id AND (attempt_no > t.attempt_no OR t.state = 1)
       ORDER BY attempt_no DESC LIMIT 1)
     LEFT JOIN main.result r ON r.id = (
       SELECT max(id) FROM main.result WHERE task_pk = t.id AND id > coalesce(t.result_id, 0)
         AND (t.state <> 3 OR attempt_id > coalesce(t.attempt_id, 0)))
WHERE a.id IS NOT NULL OR r.id IS NOT NULL"""

_MOVE = """
UPDATE main.task SET state = :state, rev = rev + 1, attempt_id = coalesce(:attempt, attempt_id),
  attempt_no = max(attempt_no, coalesce(:no, 0)), result_id = :result, ready = 1, due_at = NULL,
  delay_s = NULL, cancel_requested = 0, error_class = :kind, error_code = :code, note = :note
WHERE id = :pk"""

_NEXT_NO = (
    "SELECT 1 + max(t.attempt_no, coalesce((SELECT max(attempt_no) FROM main.attempt "
    "WHERE task_pk = t.id), 0)) FROM main.task t WHERE t.id = :pk"
)

_NOTE_ATTEMPT = """
INSERT INTO main.attempt (task_pk, batch_id, attempt_no, edition, idempotency_key, stem, started_at,
                          ended_at, outcome, sent, error_class, error_code, said)
SELECT t.id, t.batch_id, :no, t.edition, t.task_id || '-' || t.edition || '-' || t.key_seq, t.stem,
       t.updated_at, t.updated_at, 'unknown', 0, :kind, :code, :note
FROM main.task t WHERE t.id = :pk RETURNING id"""

# The row is known to be done, and so is the call that brought it: its result alone is missing.
_BROKEN = """
SELECT t.id, coalesce(a.stem, t.stem), b.out_dir, a.id, a.attempt_no,
       CASE WHEN t.state = 3 AND a.outcome IN ('success', 'adopted') THEN t.result_id END
FROM main.task t JOIN main.batch b ON b.id = t.batch_id
     LEFT JOIN main.attempt a ON a.id = t.attempt_id AND a.task_pk = t.id
WHERE (t.state = 1 AND t.attempt_id NOT IN (SELECT id FROM main.attempt)) OR
      (t.state = 3 AND t.result_id NOT IN (SELECT id FROM main.result))"""

_KEEP = """
INSERT OR IGNORE INTO main.result (id, task_pk, attempt_id, path, size, mime, text, width, height,
                                   flags, sha256)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', ?)"""

_KEEP_MORE = """
INSERT OR IGNORE INTO main.more_result SELECT * FROM saved.more_result WHERE result_id = ?"""

# Rows of a batch whose connection is guessed: whom to ask about such a call nobody knows.
_ADRIFT = """
SELECT t.id, t.stem, b.out_dir, a.id, a.attempt_no, a.outcome = 'open'
FROM saved.rebuilt n CROSS JOIN main.task t ON t.batch_id = n.id JOIN main.batch b ON b.id = n.id
     JOIN main.attempt a ON a.id = t.attempt_id
WHERE t.state = 1 OR (t.state IN (0, 2) AND a.sent = 1 AND a.billed = 'maybe'
                      AND a.outcome IN ('open', 'unknown'))"""

_CLOSE = """
UPDATE main.attempt SET outcome = 'unknown', ended_at = started_at, error_class = ?,
  error_code = ?, said = ?
WHERE id = ?"""

_EMPTY = "INSERT INTO main.payload VALUES (?, '', '{}', '{}', '[]', '')"

_LOST_REQUESTS = """
SELECT t.id, t.state FROM main.task t LEFT JOIN main.payload p ON p.task_pk = t.id
WHERE p.task_pk IS NULL"""

# The copy's request of a row that has been changed since is not what would be sent.
_STALE_REQUESTS = """
DELETE FROM main.payload WHERE task_pk NOT IN (SELECT task_pk FROM saved.payload) AND task_pk IN (
  SELECT t.id FROM main.task t JOIN saved.old_task o ON o.id = t.id WHERE o.edition <> t.edition)"""

# And the changed request of a row that is known in its old edition only is a newer edition.
_NEWER_REQUESTS = """
UPDATE main.task SET edition = edition + 1, key_seq = 0
WHERE id IN (SELECT u.id FROM saved.unread u JOIN saved.old_payload o ON o.task_pk = u.id
             JOIN main.payload p ON p.task_pk = u.id
             WHERE (o.prompt, o.params, o.extra) <> (p.prompt, p.params, p.extra))"""


@dataclass(slots=True)
class Fates:
    """Rows that were set aside (``held``), and rows whose request could not be read."""

    held: int = 0
    requests: int = 0


def decide(conn: sqlite3.Connection, verify: Verify, when: str) -> Fates:
    """After ``drop_strays``, in its transaction. ``when``: the copy's time as a person reads it."""
    fates = Fates()
    _decide_by_evidence(conn, fates, when)
    files = FinishedFiles()
    _hold_the_rest(conn, fates, files, when)
    _mend_the_broken(conn, fates, files, verify)
    _hold_the_adrift(conn, fates, files)
    conn.execute(_STALE_REQUESTS)
    conn.execute(_NEWER_REQUESTS)
    for pk, state in conn.execute(_LOST_REQUESTS).fetchall():
        conn.execute(_EMPTY, (pk,))
        fates.requests += 1
        if state != 3:
            _move(conn, pk, 4, message("store.request_lost"), kind=FailureClass.INVALID.value)
    return fates


def _decide_by_evidence(conn: sqlite3.Connection, fates: Fates, when: str) -> None:
    for row in conn.execute(_EVIDENCE).fetchall():
        pk, attempt, no, outcome, kind, code, said, out_dir, result, path, sha256 = row
        if result is not None and sha256_of(Path(out_dir) / path) == sha256:
            _move(conn, pk, 3, attempt=attempt, no=no, result=result)
        elif outcome == "open":
            _move(conn, pk, 1, attempt=attempt, no=no)  # settled at the next start like any other
        elif outcome in ("refused", "invalid") and kind is not None:
            note = None if said is None else Message.load(said)
            _move(conn, pk, 4, note, kind=kind, code=code, attempt=attempt, no=no)
        elif outcome in ("success", "adopted", "discarded") or result is not None:
            _hold(conn, pk, message("store.file_gone", when=when), attempt, no)
            fates.held += 1
        elif attempt is not None:
            _hold(conn, pk, message("store.sent_since", when=when), attempt, no)
            fates.held += 1


def _hold_the_rest(conn: sqlite3.Connection, fates: Fates, files: FinishedFiles, when: str) -> None:
    """Rows that the copy knows as waiting, and of which nothing at all was read."""
    sql = (
        "SELECT t.id, t.stem, b.out_dir FROM saved.unread u CROSS JOIN main.task t ON t.id = u.id "
        "JOIN main.batch b ON b.id = t.batch_id WHERE t.state IN (0, 2)"
    )
    for pk, stem, out_dir in conn.execute(sql).fetchall():
        name = files.named(out_dir, stem)
        if name is None:
            said = message("store.held", when=when)
        else:
            said = message("store.held_file", when=when, file=name)
        _hold(conn, pk, said)
        fates.held += 1


def _mend_the_broken(
    conn: sqlite3.Connection, fates: Fates, files: FinishedFiles, verify: Verify
) -> None:
    """Rows whose attempt or result is missing, without which they would stand still for ever. What
    is done and has its file stays done."""
    for pk, stem, out_dir, attempt, no, result in conn.execute(_BROKEN).fetchall():
        name = files.named(out_dir, stem)
        if result is not None and name is not None:
            kept = _read(reachable(Path(out_dir)), name, verify)
            if kept is not None and _keep(conn, pk, attempt, result, kept):
                continue
        _hold(conn, pk, _lost(name), attempt, no)
        fates.held += 1


def _keep(conn: sqlite3.Connection, pk: int, attempt: int, result: int, kept: Kept) -> bool:
    values = (result, pk, attempt, kept.path, kept.size, kept.mime, kept.text, kept.width)
    if conn.execute(_KEEP, (*values, kept.height, kept.sha256)).rowcount != 1:
        return False
    if conn.execute("SELECT 1 FROM saved.sqlite_master WHERE name = 'more_result'").fetchone():
        conn.execute(_KEEP_MORE, (result,))
    return True


def _hold_the_adrift(conn: sqlite3.Connection, fates: Fates, files: FinishedFiles) -> None:
    for pk, stem, out_dir, attempt, no, is_open in conn.execute(_ADRIFT).fetchall():
        said = _lost(files.named(out_dir, stem))
        if is_open:
            conn.execute(_CLOSE, (_UNKNOWN, said.code, said.dump(), attempt))
        _hold(conn, pk, said, attempt, no)
        fates.held += 1


def _lost(name: str | None) -> Message:
    if name is None:
        return message("store.result_lost")
    return message("store.result_lost_file", file=name)


def _hold(
    conn: sqlite3.Connection,
    pk: int,
    said: Message,
    attempt: int | None = None,
    no: int | None = None,
) -> None:
    """UNCERTAIN, by way of an attempt that tells a person why."""
    if attempt is None:
        (no,) = conn.execute(_NEXT_NO, {"pk": pk}).fetchone()
        values = {"pk": pk, "no": no, "kind": _UNKNOWN, "code": said.code, "note": said.dump()}
        (attempt,) = conn.execute(_NOTE_ATTEMPT, values).fetchone()
    _move(conn, pk, 6, said, kind=_UNKNOWN, attempt=attempt, no=no)


def _move(
    conn: sqlite3.Connection,
    pk: int,
    state: int,
    note: Message | None = None,
    *,
    kind: str | None = None,
    code: str | None = None,
    attempt: int | None = None,
    no: int | None = None,
    result: int | None = None,
) -> None:
    values = {
        "pk": pk,
        "state": state,
        "kind": kind,
        "code": code if code is not None or note is None else note.code,
        "note": None if note is None else note.dump(),
        "attempt": attempt,
        "no": no,
        "result": result,
    }
    conn.execute(_MOVE, values)


def _read(out: Path, name: str, verify: Verify) -> Kept | None:
    sha256 = sha256_of(out / name)
    try:
        return None if sha256 is None else verify(out, name, sha256)
    except OSError:
        return None
