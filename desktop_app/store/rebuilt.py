"""Makes a batch's lost row anew from its tasks and calls, so that what was paid for in it is not
forgotten and bought again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from desktop_app.domain.batch import BatchStage, LaneOnDead, RunState, SheetMapping
from desktop_app.domain.text import message
from desktop_app.store.codec import dump, from_mapping
from desktop_app.store.finished_files import sha256_of

_SHORT = 40
_SAMPLE = 5
_FOLDERS = 2_000

# A batch of which nothing was ever sent is left out: it may be an import that was under way or was
# given up, and its sheet can be imported again at no cost.
_ADRIFT = """
SELECT t.batch_id, min(t.updated_at) FROM main.task t
WHERE t.batch_id NOT IN (SELECT id FROM main.batch)
  AND t.batch_id NOT IN (SELECT id FROM saved.batch WHERE stage = 0)
GROUP BY t.batch_id
HAVING max(t.state) > 0 OR EXISTS (SELECT 1 FROM main.attempt a WHERE a.batch_id = t.batch_id)"""

_FIRST = """
SELECT p.prompt, p.cells FROM main.task t JOIN main.payload p ON p.task_pk = t.id
WHERE t.batch_id = ? ORDER BY t.row_no LIMIT 1"""

_NEWEST_CONNECTION = "SELECT id FROM main.connection ORDER BY removed, id DESC LIMIT 1"

_RESULTS = """
SELECT r.path, r.sha256 FROM main.task t JOIN main.result r ON r.id = t.result_id
WHERE t.batch_id = ? AND r.size > 0 ORDER BY t.row_no LIMIT ?"""

_MAKE = """
INSERT INTO main.batch (id, name, sheet_path, sheet_hash, fingerprint, columns, mapping,
  connection_id, out_dir, created_at, stage, run_state, pause_reason, lane_on_dead, started_at,
  options)
VALUES (?, ?, '', '', '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}')"""


def rebuild(
    conn: sqlite3.Connection, partly: set[str], connections: Mapping[int, int], near: Path
) -> None:
    """After ``merge``, before strays are dropped.

    Leaves the ids of the batches made in ``saved.rebuilt``. ``partly``: tables of which rows may
    be missing; where ``batch`` is whole nothing is made. ``connections``: of each batch, the
    connection that the damaged file's sums name. ``near``: where a folder is placed of a batch
    whose own is not found. They are paused, and what they can't know is guessed.
    """
    conn.execute("CREATE TABLE saved.rebuilt (id INTEGER PRIMARY KEY)")
    known = dict(conn.execute("SELECT id, name FROM main.connection"))
    newest = conn.execute(_NEWEST_CONNECTION).fetchone()
    if newest is None or "batch" not in partly:
        return
    for batch_id, oldest in conn.execute(_ADRIFT).fetchall():
        found = connections.get(batch_id)
        connection = found if found in known else newest[0]
        prompt, columns, mapping = _sheet(conn, batch_id)
        sql = "SELECT min(started_at) FROM main.attempt WHERE batch_id = ?"
        (started,) = conn.execute(sql, (batch_id,)).fetchone()
        values = (
            batch_id,
            f"#{batch_id} {prompt}".strip(),
            dump(columns),
            from_mapping(mapping),
            connection,
            str(_folder(conn, batch_id) or near / f"restored-{batch_id}"),
            oldest if started is None else min(oldest, started),
            int(BatchStage.SEALED),
            int(RunState.PAUSED),
            message("store.restored_batch", connection=known[connection]).dump(),
            LaneOnDead.STOP.value,
            started,
        )
        conn.execute(_MAKE, values)
        conn.execute("INSERT INTO saved.rebuilt VALUES (?)", (batch_id,))


def _sheet(conn: sqlite3.Connection, batch_id: int) -> tuple[str, list[str], SheetMapping]:
    """The beginning of its first prompt; its columns by their numbers; the one of the prompts."""
    prompt, cells = conn.execute(_FIRST, (batch_id,)).fetchone() or ("", "[]")
    texts: list[Any] = json.loads(cells)
    columns = [str(number) for number in range(1, len(texts) + 1)] or ["1"]
    place = texts.index(prompt) if prompt in texts else 0
    short = " ".join(prompt.split())
    if len(short) > _SHORT:
        short = f"{short[:_SHORT].rstrip()}…"
    return short, columns, SheetMapping(prompt_column=columns[place])


def _folder(conn: sqlite3.Connection, batch_id: int) -> Path | None:
    """The folder, among and beside those of other batches, that holds its results."""
    results = conn.execute(_RESULTS, (batch_id, _SAMPLE)).fetchall()
    found = {
        folder: sum(sha256_of(folder / path) == sha256 for path, sha256 in results)
        for folder in _folders(conn)
    }
    best = max(found, key=lambda folder: found[folder], default=None)
    return best if best is not None and found[best] else None


def _folders(conn: sqlite3.Connection) -> Iterator[Path]:
    known = [Path(out_dir) for (out_dir,) in conn.execute("SELECT out_dir FROM main.batch")]
    yield from known
    left = _FOLDERS
    for parent in dict.fromkeys(place for one in known for place in (one.parent, one)):
        try:
            inner = sorted(path for path in parent.iterdir() if path.is_dir())
        except OSError:
            continue
        yield from inner[:left]
        left -= len(inner[:left])
