"""Brings back a copy, and sees to it that what was sent since then is not paid for again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from desktop_app.domain.budget import day_of, worst_case
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.text import OperatorError, message
from desktop_app.store import migrate
from desktop_app.store.backups import Backup, copy, is_whole, newest_whole
from desktop_app.store.codec import to_nano, to_request
from desktop_app.store.damage import spoken_time
from desktop_app.store.tasks import attempts, budget
from desktop_app.store.writer import Txn

SIDES = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did. ``backup`` None: the list starts empty.

    ``lost_attempts`` and ``lost_batches`` (names) are what the damaged file had and the copy has
    not; None where too little of the damaged file can be read to tell. ``uncertain`` rows were
    sent after the copy was made and were set aside.
    """

    damaged: Path
    backup: Backup | None
    lost_attempts: int | None = None
    lost_batches: tuple[str, ...] | None = None
    uncertain: int = 0


@dataclass(frozen=True, slots=True)
class _Since:
    """What the damaged file knows beyond the copy; ``whole`` False: maybe not all of it."""

    attempts: int
    task_ids: tuple[str, ...]
    batches: tuple[str, ...]
    whole: bool


def restore(path: Path, *, fresh: bool = False) -> Restored:
    """Set the damaged store aside and put the newest whole copy in its place. Blocks.

    The caller holds the folder's lock. Every unfinished batch comes back paused. Raises
    OperatorError for a store that is not damaged, or has no copy (unless ``fresh``: start empty).
    """
    if path.exists() and is_whole(path):
        raise OperatorError(message("store.not_damaged"))
    backup = newest_whole(path)
    if backup is None and not fresh:
        raise OperatorError(message("store.no_backup", folder=str(path.parent)))
    if backup is None:
        return Restored(_set_aside(path), None)
    made = path.with_name(path.name + ".restored")
    copy(backup.path, made)
    since = _since(path, made)
    uncertain = _settle(made, backup, since)
    damaged = _set_aside(path)
    made.replace(path)
    if since is None or not since.whole:
        return Restored(damaged, backup, uncertain=uncertain)
    return Restored(damaged, backup, since.attempts, since.batches, uncertain)


def _set_aside(path: Path) -> Path:
    """Rename the file with what belongs to it; returns its new name."""
    names = (path.with_name(f"{path.stem}.damaged-{n}{path.suffix}") for n in count(1))
    target = next(name for name in names if not any(_side(name, s).exists() for s in SIDES))
    for side in reversed(SIDES):
        if _side(path, side).exists():
            _side(path, side).rename(_side(target, side))
    # It speaks of the damaged file's attempts: without it every open one counts as sent.
    path.with_name(path.name + ".wire").unlink(missing_ok=True)
    return target


def _side(path: Path, side: str) -> Path:
    return path.with_name(path.name + side)


def _since(damaged: Path, made: Path) -> _Since | None:
    """None where the damaged file tells nothing at all."""
    with closing(sqlite3.connect(made)) as conn:
        (last,) = conn.execute("SELECT coalesce(max(id), 0) FROM attempt").fetchone()
        (last_batch,) = conn.execute("SELECT coalesce(max(id), 0) FROM batch").fetchone()
    tasks: set[str] = set()
    batches: list[str] = []
    found = 0
    whole = True
    try:
        conn = sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error:
        return None
    with closing(conn):
        conn.text_factory = lambda data: data.decode("utf-8", "replace")
        try:
            for (name,) in conn.execute("SELECT name FROM batch WHERE id > ?", (last_batch,)):
                batches.append(name)
        except sqlite3.Error:
            whole = False
        try:
            # The latest first: they are the ones that matter, and damage may end the walk.
            for (pk,) in conn.execute(
                "SELECT task_pk FROM attempt WHERE id > ? ORDER BY id DESC", (last,)
            ):
                found += 1
                row = conn.execute("SELECT task_id FROM task WHERE id = ?", (pk,)).fetchone()
                if row is not None:
                    tasks.add(row[0])
        except sqlite3.Error:
            whole = False
    return _Since(found, tuple(sorted(tasks)), tuple(batches), whole)


def _settle(made: Path, backup: Backup, since: _Since | None) -> int:
    """In the copy: rows sent since then are set aside, and every unfinished batch is paused."""
    blind = since is None or not since.whole
    when = spoken_time(backup.made_at)
    code = "store.restored_blind" if blind else "store.restored"
    with closing(sqlite3.connect(made, isolation_level=None)) as conn:
        conn.execute("PRAGMA foreign_keys = 1")
        migrate.migrate(conn, made)
        conn.execute("BEGIN IMMEDIATE")
        txn = Txn(conn, {})
        changed = 0
        for task_id in since.task_ids if since is not None else ():
            changed += _doubt(txn, task_id, when)
        txn.execute(
            "UPDATE batch SET run_state = 2, pause_reason = ?, run_since = NULL "
            "WHERE stage = 1 AND finished_at IS NULL",
            (message(code, when=when).dump(),),
        )
        conn.execute("COMMIT")
        return changed


def _doubt(txn: Txn, task_id: str, when: str) -> int:
    """A waiting row that was sent after the copy was made: UNCERTAIN, by the legal way."""
    found = txn.one(
        "SELECT id, batch_id, attempt_no, edition, key_seq, stem, updated_at FROM task "
        "WHERE task_id = ? AND state IN (0, 2)",
        (task_id,),
    )
    if found is None:
        return 0
    pk, batch_id, attempt_no, edition, key_seq, stem, at = found
    attempt_pk = attempts.next_pk(txn, "attempt")
    key = attempts.key_of(task_id, edition, key_seq)
    reserved, currency = _most(txn, batch_id, pk)
    row = (attempt_pk, pk, batch_id, attempt_no + 1, edition, key, stem, at)
    attempts.open_many(txn, [(*row, day_of(at), reserved, currency)])
    txn.execute(
        "UPDATE task SET state = 1, rev = rev + 1, attempt_no = attempt_no + 1, attempt_id = ?, "
        "ready = 1, due_at = NULL, delay_s = NULL WHERE id = ?",
        (attempt_pk, pk),
    )
    kind = FailureClass.UNKNOWN.value
    said = message("store.sent_since", when=when)
    txn.execute(
        "UPDATE attempt SET outcome = 'unknown', ended_at = ?, error_class = ?, error_code = ?, "
        "said = ? WHERE id = ?",
        (at, kind, said.code, said.dump(), attempt_pk),
    )
    txn.execute(
        "UPDATE task SET state = 6, rev = rev + 1, error_class = ?, error_code = ?, note = ? "
        "WHERE id = ?",
        (kind, said.code, said.dump(), pk),
    )
    return 1


def _most(txn: Txn, batch_id: int, task_pk: int) -> tuple[int | None, str | None]:
    """What the lost call may have cost: (billionths, currency)."""
    sql = "SELECT prompt, params, extra FROM payload WHERE task_pk = ?"
    purse = budget.purse(txn.conn, batch_id, 0.0)
    worst = to_nano(worst_case(purse.connection, to_request(*txn.one(sql, (task_pk,)))))
    if worst is None or purse.currency is None:
        return None, None
    return worst, purse.currency
