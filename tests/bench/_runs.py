"""The real program, as a process, against a practice server in a process of its own."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from desktop_app.practice.child import PracticeProcess
from tests.bench._place import place

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-m", "desktop_app"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process took: user and system time, its peak of memory, and the clock's time."""

    cpu_s: float
    rss_mb: float
    wall_s: float


@dataclass(frozen=True, slots=True)
class Job:
    """Rows to be run. ``server`` is the practice config (its hidden limits), ``told`` what
    ``connection add`` is told, ``asked`` what ``run`` is."""

    rows: Sequence[Mapping[str, str]]
    server: Mapping[str, Any]
    told: Sequence[str]
    asked: Sequence[str] = ()
    adapter: str = "openai-images"
    ok_codes: Sequence[int] = (0, 3)


@dataclass(frozen=True, slots=True)
class Done:
    """``ledger`` is the server's, with its calls; ``status`` what ``run --json`` printed;
    ``file_us`` what a new file costs by itself where it ran, see ``Place``."""

    ledger: dict[str, Any]
    status: dict[str, Any]
    usage: Usage
    file_us: float = 0.0

    @property
    def accounted(self) -> int:
        """Rows that came to an end."""
        names = ("success", "failed", "dead", "uncertain", "cancelled")
        return sum(int(self.status.get(name, 0)) for name in names)


def run(job: Job) -> Done:
    """Start the server, add the connection, run the sheet, read the ledger."""
    return asyncio.run(_run(job))


async def _run(job: Job) -> Done:
    with place() as found:
        folder = found.folder
        config, sheet = folder / "server.json", folder / "sheet.csv"
        config.write_text(json.dumps(job.server), encoding="utf-8")
        with sheet.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(job.rows[0]))
            writer.writeheader()
            writer.writerows(job.rows)
        server = PracticeProcess([*PROGRAM, "practice"], config=config, cwd=ROOT)
        base_url, key = await server.start()
        try:
            status, usage = await asyncio.to_thread(_batch, job, folder, sheet, base_url, key)
            ledger = await read_ledger(base_url, key)
        finally:
            await server.stop()
            tell_trouble(folder / "data" / "logs")
    return Done(ledger, status, usage, file_us=found.file_us)


def tell_trouble(logs: Path) -> None:
    """What the program logged beyond the usual goes to the screen: a figure that is odd once in a
    hundred runs can be explained then."""
    for file in sorted(logs.glob("*.log*")):
        for line in file.read_text("utf-8", "replace").splitlines():
            if " WARNING " in line or " ERROR " in line:
                print(line, file=sys.stderr)


async def read_ledger(base_url: str, key: str) -> dict[str, Any]:
    """The server's ledger with one entry a call."""
    async with httpx.AsyncClient(trust_env=False) as client:
        answer = await client.get(
            base_url.removesuffix("/v1") + "/_practice/ledger?calls=1",
            headers={"Authorization": f"Bearer {key}"},
        )
    found: dict[str, Any] = answer.json()
    return found


def _batch(
    job: Job, folder: Path, sheet: Path, base_url: str, key: str
) -> tuple[dict[str, Any], Usage]:
    common = [*PROGRAM, "--data-dir", str(folder / "data"), "--json"]
    environ = {**os.environ, "BATCHWRIGHT_KEY_BENCH": key}
    add = ["connection", "add", "bench", "--adapter", job.adapter, "--base-url", base_url]
    code, said, _ = measured([*common, *add, "--model", "practice", *job.told], environ)
    if code != 0:
        raise SystemExit(f"connection add ended with {code}: {said}")
    go = ["run", str(sheet), "--connection", "bench", "--out", str(folder / "out"), *job.asked]
    code, said, usage = measured([*common, *go], environ)
    if code not in job.ok_codes:
        raise SystemExit(f"run ended with {code}: {said}")
    return json.loads(said), usage


def measured(command: Sequence[str], environ: Mapping[str, str]) -> tuple[int, str, Usage]:
    """Run a process to its end: (exit code, what it printed, what it took). Several threads may."""
    began = time.monotonic()
    environ = {**environ, "PYTHONPATH": str(ROOT)}
    read, write = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_CLOSE, read)]
    pid = os.posix_spawn(command[0], list(command), environ, file_actions=actions)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    # wait4 alone gives the figures of this one child.
    _, status, used = os.wait4(pid, 0)
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    usage = Usage(used.ru_utime + used.ru_stime, used.ru_maxrss / scale, time.monotonic() - began)
    return os.waitstatus_to_exitcode(status), said, usage
