"""Decides what a restored row is, so that nothing that may have been paid for is bought again.

What the damaged file itself says of a row stands. A row that could not be read is what its attempts
and its files prove; without a proof it waits for a person's word and is not sent.
"""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.text import Message, message

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


class _Files:
    """Finished files by their names without the ending; each folder is looked through once."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, str]] = {}

    def named(self, folder: str, stem: str) -> str | None:
        """The file of that name, or None."""
        if folder not in self._known:
            try:
                files = [path for path in Path(folder).iterdir() if path.is_file()]
            except OSError:
                files = []
            self._known[folder] = {path.stem.casefold(): path.name for path in files}
        return self._known[folder].get(stem.casefold())


def decide(conn: sqlite3.Connection, when: str) -> Fates:
    """After ``merge``, in its transaction. ``when``: the copy's time as a person reads it."""
    fates = Fates()
    _decide_by_evidence(conn, fates, when)
    files = _Files()
    _hold_the_rest(conn, fates, files, when)
    _hold_the_broken(conn, fates, files)
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
        if result is not None and _is_there(Path(out_dir) / path, sha256):
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


def _hold_the_rest(conn: sqlite3.Connection, fates: Fates, files: _Files, when: str) -> None:
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


def _hold_the_broken(conn: sqlite3.Connection, fates: Fates, files: _Files) -> None:
    """Rows whose attempt or result is missing, without which they would stand still for ever."""
    sql = (
        "SELECT t.id, t.stem, b.out_dir FROM main.task t JOIN main.batch b ON b.id = t.batch_id "
        "WHERE (t.state = 1 AND t.attempt_id NOT IN (SELECT id FROM main.attempt)) OR "
        "(t.state = 3 AND t.result_id NOT IN (SELECT id FROM main.result))"
    )
    for pk, stem, out_dir in conn.execute(sql).fetchall():
        name = files.named(out_dir, stem)
        if name is None:
            said = message("store.result_lost")
        else:
            said = message("store.result_lost_file", file=name)
        _hold(conn, pk, said)
        fates.held += 1


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


def _is_there(path: Path, sha256: str) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return False
