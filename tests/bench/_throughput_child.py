"""The two sides of the throughput bench, in a process of its own whose syncs may be slowed; prints
the figures of its rounds as JSON.

    python -m tests.bench._throughput_child ROWS ROUNDS FOLDER
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from desktop_app.__main__ import collect_rarely
from desktop_app.domain.attempt import Billed, Completion, Outcome
from desktop_app.domain.batch import Batch, RunState, SheetMapping
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import SystemClock
from desktop_app.domain.connection import Connection, Limits
from desktop_app.domain.events import BatchFinished, Event
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.engine.engine import Engine
from desktop_app.store.connect import open_writer, raw
from desktop_app.store.store import Store, open_store
from desktop_app.store.tasks.claim import claim
from desktop_app.store.tasks.finish import finish
from desktop_app.store.writer import Txn
from tests.bench._no_provider import KEPT, NoAdapter, NoAwake, NoFiles, NoSecrets

CONCURRENCY, STEPS = 64, 200


async def filled(path: Path, rows: int) -> tuple[Store, int]:
    """A store with one sealed batch of plain rows."""
    store = await open_store(path, boot_id="bench")
    connection = await store.connections.save(
        Connection(
            name="none",
            adapter="none",
            base_url="https://none.test/v1",
            model="m",
            limits=Limits(concurrency=CONCURRENCY, headroom=1.0),
        )
    )
    batch_id = await store.imports.begin(
        Batch(
            id=0,
            name="bench",
            sheet_path="/bench.csv",
            sheet_hash="hash",
            fingerprint="print",
            columns=("prompt",),
            mapping=SheetMapping(prompt_column="prompt"),
            connection_id=connection.id,
            out_dir=str(path.parent),
            created_at=time.time(),
        )
    )
    numbers = iter(range(2, rows + 2))
    while chunk := list(itertools.islice(numbers, 5_000)):
        drafts = [
            Draft(n, (f"prompt {n}",), Request(f"prompt {n}"), f"{n:05d}_prompt") for n in chunk
        ]
        await store.imports.add(batch_id, drafts)
    await store.imports.seal(batch_id)
    return store, batch_id


async def engine_rate(path: Path, rows: int) -> tuple[float, float, int]:
    """(tasks a second, CPU seconds a task, rows that did not end as SUCCESS)."""
    store, batch_id = await filled(path, rows)
    bus, over = Bus(), asyncio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, BatchFinished):
            over.set()

    bus.subscribe(hear)
    engine = Engine(
        store=store.engine,
        actions=store.actions,
        connections=store.connections,
        adapters=NoAdapter(),
        files=NoFiles(),
        secrets=NoSecrets(),
        awake=NoAwake(),
        clock=SystemClock(),
        bus=bus,
    )
    await engine.start()
    began, used = time.monotonic(), time.process_time()
    await engine.resume(batch_id)
    await over.wait()
    took, used = time.monotonic() - began, time.process_time() - used
    await engine.stop()
    ledger = await store.engine.ledger(batch_id)
    lost = rows - min(ledger.success, ledger.attempts)
    await store.close()
    return rows / took, used / rows, lost


async def step_rate(path: Path, rows: int) -> tuple[float, float]:
    """(Tasks a second, CPU seconds a task) with one commit a step."""
    store, batch_id = await filled(path, rows)
    await store.engine.set_run_state(batch_id, RunState.RUNNING)
    await store.close()
    database = open_writer(path)
    conn = raw(database)
    began, used = time.monotonic(), time.process_time()
    for _ in range(rows):
        with conn:
            conn.execute("BEGIN IMMEDIATE")
            (one,) = claim(Txn(conn, {}), batch_id, 1, time.time())
        done = Completion(
            task_pk=one.task_pk,
            rev=one.rev,
            attempt_pk=one.attempt_pk,
            to=TaskState.SUCCESS,
            outcome=Outcome.SUCCESS,
            ended_at=time.time(),
            kept=KEPT,
            billed=Billed.YES,
        )
        with conn:
            conn.execute("BEGIN IMMEDIATE")
            finish(Txn(conn, {}), done)
    took, used = time.monotonic() - began, time.process_time() - used
    database.close()
    return rows / took, used / rows


def fsync_s(folder: Path) -> float:
    """Seconds of one fsync of 4 KB on this disk: the median of a hundred."""
    took = []
    with Path(folder, "synced").open("wb", buffering=0) as file:
        for _ in range(100):
            file.write(b"x" * 4096)
            began = time.monotonic()
            os.fsync(file.fileno())
            took.append(time.monotonic() - began)
    return statistics.median(took)


def figures(rows: int, rounds: int, folder: Path) -> dict[str, Any]:
    """Both, in turn; medians of the rounds."""
    engine: list[tuple[float, float, int]] = []
    steps: list[tuple[float, float]] = []
    fsyncs: list[float] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="batchwright-bench-", dir=folder) as place:
            fsyncs.append(fsync_s(Path(place)))
            steps.append(asyncio.run(step_rate(Path(place, "steps.db"), min(rows, STEPS))))
            engine.append(asyncio.run(engine_rate(Path(place, "engine.db"), rows)))
    own, theirs = statistics.median(e[0] for e in engine), statistics.median(s[0] for s in steps)
    return {
        "ratio": own / theirs,
        "tasks_a_s": own,
        "one_commit_a_step_tasks_a_s": theirs,
        "fsync_ms": statistics.median(fsyncs) * 1e3,
        "cpu_us_a_task": statistics.median(e[1] for e in engine) * 1e6,
        "one_commit_a_step_cpu_us_a_task": statistics.median(s[1] for s in steps) * 1e6,
        "lost": max(e[2] for e in engine),
    }


if __name__ == "__main__":
    collect_rarely()  # as the program itself does
    print(json.dumps(figures(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))))
