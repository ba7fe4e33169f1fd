"""How many rows a second store and engine carry when the provider takes no time.

    python -m tests.bench.throughput [--rows N] [--json]

20,000 tasks, 64 at once, no rate limit, through the real store (WAL, synchronous=FULL, attempts
and counters included) and the real engine; adapter and result files do nothing. Beside it, on the
same disk, one commit a step: the store's own statements for the same task (claim with its attempt,
then the completion), a transaction each, one task after another, with neither engine nor threads.
Both in turn, three times; the ratio is that of the medians.

Bar: 50 times one commit a step. What one commit a step takes is two fsyncs and its own CPU, so the
bar is within reach only of a disk whose fsync takes its time: ``fsync_ms`` is measured beside it
(4 KB written and synced), and ``ratio_without_waiting`` is what the ratio would be if the engine's
side were nothing but its CPU.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from desktop_app.domain.attempt import Billed, Claim, Completion, Kept, Outcome
from desktop_app.domain.batch import Batch, RunState, SheetMapping
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import SystemClock
from desktop_app.domain.connection import Connection, Limits
from desktop_app.domain.events import BatchFinished, Event
from desktop_app.domain.ports import Answer, Call, Capabilities, Content, Preset, TestReport
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.engine.engine import Engine
from desktop_app.store.connect import open_writer, raw
from desktop_app.store.store import Store, open_store
from desktop_app.store.tasks.claim import claim
from desktop_app.store.tasks.finish import finish
from desktop_app.store.writer import Txn
from tests.bench._report import Bar, show

ROWS, CONCURRENCY, STEPS, ROUNDS = 20_000, 64, 200, 3
BARS = (Bar("ratio", 50, at_least=True), Bar("lost", 0))
_CONTENT = Content(b"x", "text/plain", "x")
_KEPT = Kept("x.txt", 1, "text/plain", text="x", sha256="ab")


class NoAdapter:
    """Adapters and the one Adapter: answers at once."""

    capabilities_ = Capabilities("text", default_timeout_s=300.0)

    def names(self) -> tuple[str, ...]:
        return ("none",)

    def presets(self) -> tuple[Preset, ...]:
        return ()

    def prepared(self, connection: Connection) -> Connection:
        return connection

    def capabilities(self, adapter: str, connection: Connection | None = None) -> Capabilities:
        return self.capabilities_

    def open(self, connection: Connection, secret: str | None) -> NoAdapterOpened:
        return NoAdapterOpened()


class NoAdapterOpened:
    """Takes one turn of the loop, as the quickest answer would."""

    capabilities = NoAdapter.capabilities_

    async def submit(self, call: Call) -> Answer:
        call.begin()
        await asyncio.sleep(0)
        return Answer((_CONTENT,))

    async def test(self) -> TestReport:
        return TestReport(True, ())

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        return {}

    async def close(self) -> None:
        return None


class NoFiles:
    """ResultFiles that write nothing."""

    def expect(self, out_dir: str) -> None:
        pass

    async def check_folder(self, out_dir: str) -> None:
        return None

    async def stage(self, claim: Claim, content: Content) -> None:
        return None

    async def keep(self, claim: Claim, content: Content, flags: tuple[str, ...] = ()) -> Kept:
        return _KEPT

    async def find(self, claim: Claim) -> Kept | None:
        return None

    async def settled(self, claim: Claim) -> None:
        return None

    async def sweep(self, out_dir: str) -> int:
        return 0

    async def attach(self, out_dir: str, stem: str, source: Path, makes: str | None = None) -> Kept:
        raise NotImplementedError


class NoSecrets:
    """A key that is always there."""

    async def get(self, connection: str) -> str | None:
        return "key"

    async def set(self, connection: str, secret: str) -> bool:
        return True

    async def delete(self, connection: str) -> None:
        return None

    async def available(self) -> None:
        return None


class NoAwake:
    """Lets the computer sleep."""

    def hold(self) -> None:
        return None

    def release(self) -> None:
        return None


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
            kept=_KEPT,
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


def measure(rows: int, rounds: int, folder: Path | None = None) -> dict[str, Any]:
    """Both, in turn."""
    engine: list[tuple[float, float, int]] = []
    steps: list[tuple[float, float]] = []
    fsyncs: list[float] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="batchwright-bench-", dir=folder) as place:
            fsyncs.append(fsync_s(Path(place)))
            steps.append(asyncio.run(step_rate(Path(place, "steps.db"), min(rows, STEPS))))
            engine.append(asyncio.run(engine_rate(Path(place, "engine.db"), rows)))
    own, theirs = statistics.median(e[0] for e in engine), statistics.median(s[0] for s in steps)
    cpu_s = statistics.median(e[1] for e in engine)
    return {
        "ratio": own / theirs,
        "tasks_a_s": own,
        "one_commit_a_step_tasks_a_s": theirs,
        "ratio_without_waiting": 1 / cpu_s / theirs,
        "fsync_ms": statistics.median(fsyncs) * 1e3,
        "cpu_us_a_task": cpu_s * 1e6,
        "one_commit_a_step_cpu_us_a_task": statistics.median(s[1] for s in steps) * 1e6,
        "lost": max(e[2] for e in engine),
        "rows": rows,
        "rounds": rounds,
    }


def main(arguments: list[str]) -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(arguments)
    title = "throughput: tasks that take no time, through store and engine, synchronous=FULL"
    return show(title, measure(given.rows, given.rounds), BARS, json_only=given.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
