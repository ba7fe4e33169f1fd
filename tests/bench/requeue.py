"""20,000 dead rows scattered among a million go back to waiting, and the window stays alive.

    python -m tests.bench.requeue [--rows N] [--dead N] [--json]

Twice. In the real window (``window`` tells of it): one of fifty rows is dead, a fifth is done, the
others wait; the script presses the buttons of *Needs you*, and the time is that from the last press
until the window's own ledger shows no dead row. How late Qt's loop is meanwhile is measured as
there, above the same window idle before.

And at the store's port alone, where it costs most: every other row is done. A ticker on the same
loop notes how late it wakes.

Bars: 2 s each; neither loop 100 ms late; every row requeued, once.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.store.store import open_store
from tests.bench._report import Bar, show
from tests.bench._throughput_child import filled
from tests.bench._window_store import fill
from tests.bench.window import screen, window

ROWS, DEAD, TICK_S = 1_000_000, 20_000, 0.005
BARS = (
    Bar("window_seconds", 2),
    Bar("window_late_over_idle_ms", 100),
    Bar("seconds", 2),
    Bar("late_ms", 100),
    Bar("wrong", 0),
)
IDLE_S = 2.0

_ATTEMPTS = """
INSERT INTO attempt (id, task_pk, batch_id, attempt_no, edition, idempotency_key, stem,
                     started_at, ended_at, outcome, error_class, error_code)
SELECT id, id, batch_id, 1, 1, task_id || '-1-0', stem, 1000, 1010, 'transient', 'transient',
       'http_500' FROM task WHERE row_no % :every = 0"""
_RUN = "UPDATE task SET state = 1, rev = 1, attempt_no = 1, attempt_id = id"
_DIE = """
UPDATE task SET state = 5, rev = 2, retries_spent = 3,
       error_class = 'transient', error_code = 'http_500', note = '{"code":"x","values":{}}'
WHERE row_no % :every = 0"""
_DONE = "UPDATE task SET state = 3, rev = 2, result_id = id WHERE row_no % :every <> 0"


async def ticker(late: list[float], stop: asyncio.Event) -> None:
    """Note by how much each wake-up came late, seconds."""
    loop = asyncio.get_running_loop()
    while not stop.is_set():
        due = loop.time() + TICK_S
        await asyncio.sleep(TICK_S)
        late.append(loop.time() - due)


async def measure(rows: int, dead: int, path: Path) -> dict[str, Any]:
    """Fill the store, let the rows end, requeue."""
    store, batch_id = await filled(path, rows)
    await store.close()
    every = rows // dead
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute(_RUN)
        for sql in (_ATTEMPTS, _DIE, _DONE):
            conn.execute(sql, {"every": every})
        conn.execute("UPDATE batch SET run_state = 1")
    store = await open_store(path, boot_id="bench")
    before = await store.engine.ledger(batch_id)
    late: list[float] = []
    stop = asyncio.Event()
    beside = asyncio.ensure_future(ticker(late, stop))
    await asyncio.sleep(0.2)
    began = time.monotonic()
    which = TaskFilter(batch_id=batch_id, states=frozenset({TaskState.DEAD}))
    count = await store.actions.requeue(which, time.time())
    took = time.monotonic() - began
    stop.set()
    await beside
    after = await store.engine.ledger(batch_id)
    await store.close()
    return {
        "seconds": took,
        "late_ms": max(late) * 1000,
        "wrong": abs(before.dead - count) + abs(after.pending - before.dead) + after.dead,
        "requeued": count,
        "rows": rows,
        "us_a_row": took / max(1, count) * 1e6,
    }


def in_window(rows: int, dead: int, folder: Path) -> dict[str, Any]:
    """The same by the window's buttons."""
    with screen() as env:
        data = folder / "data"
        data.mkdir()
        asyncio.run(fill(data, rows, rows // dead))
        told = window(env, data, "requeue", IDLE_S)
    late, idle = max(told["scenes"]["requeue"]), max(told["scenes"]["idle"])
    return {
        "window_seconds": told["seconds"],
        "window_late_over_idle_ms": late - idle,
        "window_late_ms": late,
        "window_late_served_ms": max(told["served"]["requeue"]),
        "window_requeued": told["dead"],
        "wrong": abs(dead - told["dead"]) + told["left"] + abs(told["waiting"] - told["wanted"]),
    }


def both(rows: int, dead: int, folder: Path) -> dict[str, Any]:
    """In the window, and at the store's port; ``wrong`` of both together."""
    shown = in_window(rows, dead, folder)
    alone = asyncio.run(measure(rows, dead, folder / "store.db"))
    return {**shown, **alone, "wrong": shown["wrong"] + alone["wrong"]}


def main(arguments: list[str]) -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--dead", type=int, default=DEAD)
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="batchwright-bench-") as place:
        figures = both(given.rows, given.dead, Path(place))
    title = "requeue: dead rows scattered among many, with the window alive"
    return show(title, figures, BARS, json_only=given.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
