"""What the program itself costs: 2,000 short texts, as fast as 100 calls a second allow.

    python -m tests.bench.chats [--rows N] [--json]

64 at once, 100 a second with burst 20, mean 0.5 s (lognormal), in real time; the limits are told,
headroom 1. Beside it, at the same time and each on a fresh server of the same kind, what a careful
script does with bare httpx: one client, a semaphore, a start every 1/100 s, the answer's text taken
from its JSON and kept in a list: no file, no store, no sync, no retry, nothing on the screen; and
the same with each text in a file of its own, which is told and not judged. At the same time,
because a machine shared with others is a third faster or slower from one half minute to the next.
The servers are processes of their own, and count for nobody.

Bars: 1.03 times the list schedule; CPU per row (user and system, the whole process less what it
takes for a handful of rows) 1.35 times that of bare httpx without files; peak memory 120 MB.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from desktop_app.practice.child import PracticeProcess
from tests.bench._bound import Limits
from tests.bench._place import place
from tests.bench._report import Bar, show
from tests.bench._runs import PROGRAM, ROOT, Job, Usage, measured, run
from tests.bench._schedule import counts, ratios
from tests.bench.makespan import WHOLE

ROWS, CONCURRENCY, QPS, BURST, MEAN_S, SIGMA = 2_000, 64, 100.0, 20, 0.5, 0.35
FEW = 5
BARS = (
    Bar("ratio", 1.03),
    Bar("cpu_ratio", 1.35),
    Bar("rss_mb", 120),
    Bar("refused_429_later", 0),
    *WHOLE,
)
SERVER = {
    "concurrency": CONCURRENCY,
    "qps": QPS,
    "burst": BURST,
    "mean_s": MEAN_S,
    "sigma": SIGMA,
    "time_scale": 1.0,
}
_BARE = ROOT / "tests" / "bench" / "_bare_httpx.py"


def prompts(rows: int) -> list[dict[str, str]]:
    """Short questions."""
    return [{"prompt": f"In one line: what is shoe number {n} made of?"} for n in range(rows)]


def program(rows: int) -> tuple[dict[str, Any], Usage]:
    """The real program: (figures, what its process took)."""
    told = (
        "--concurrency", str(CONCURRENCY), "--qps", f"{QPS:g}", "--burst", str(BURST),
        "--headroom", "1",
    )  # fmt: skip
    sheet = prompts(rows)
    done = run(Job(sheet, SERVER, told, ("--prompt-column", "prompt"), adapter="openai-chat"))
    figures = {
        **ratios(sheet, done.ledger, Limits(CONCURRENCY, QPS, BURST)),
        **counts(sheet, done.ledger, done.accounted),
        "success": int(done.status.get("success", 0)),
        "file_us": done.file_us,
    }
    return figures, done.usage


def bare(rows: int, *, files: bool = False) -> Usage:
    """Bare httpx on a server of its own; ``files``: each text into one."""
    return asyncio.run(_bare(rows, files=files))


def _config(folder: Path) -> Path:
    """It paces itself, but knows no limiter: its server refuses nothing."""
    config = folder / "server.json"
    config.write_text(json.dumps({**SERVER, "qps": 0, "concurrency": 0}), encoding="utf-8")
    return config


async def _bare(rows: int, *, files: bool) -> Usage:
    with place() as found:
        config = _config(found.folder)
        server = PracticeProcess([*PROGRAM, "practice"], config=config, cwd=ROOT)
        base_url, key = await server.start()
        try:
            command = [sys.executable, str(_BARE), base_url, key]
            command += [str(rows), str(CONCURRENCY), str(QPS)]
            command += [str(found.out)] if files else []
            code, said, usage = await asyncio.to_thread(measured, command, os.environ)
        finally:
            await server.stop()
    if code != 0 or int(said) != rows:
        raise SystemExit(f"bare httpx ended with {code}: {said}")
    return usage


def side_by_side(rows: int) -> tuple[tuple[dict[str, Any], Usage], Usage, Usage]:
    """The program, bare httpx, and bare httpx with files, at the same time."""
    with ThreadPoolExecutor(3) as threads:
        ours = threads.submit(program, rows)
        theirs = [threads.submit(bare, rows, files=files) for files in (False, True)]
        return ours.result(), theirs[0].result(), theirs[1].result()


def measure(rows: int) -> dict[str, Any]:
    """All clients, and what each takes for a handful of rows."""
    (figures, whole), bare_whole, files_whole = side_by_side(rows)
    (_, start), bare_start, files_start = side_by_side(FEW)
    own = (whole.cpu_s - start.cpu_s) / (rows - FEW)
    theirs = (bare_whole.cpu_s - bare_start.cpu_s) / (rows - FEW)
    with_files = (files_whole.cpu_s - files_start.cpu_s) / (rows - FEW)
    return {
        "ratio": figures["ratio"],
        "cpu_ratio": own / theirs,
        "rss_mb": whole.rss_mb,
        "cpu_ms_a_row": own * 1000,
        "bare_cpu_ms_a_row": theirs * 1000,
        "bare_with_files_cpu_ms_a_row": with_files * 1000,
        "cpu_ratio_with_files": own / with_files,
        "cpu_ratio_with_start": whole.cpu_s / bare_whole.cpu_s,
        "start_cpu_s": start.cpu_s,
        "bare_start_cpu_s": bare_start.cpu_s,
        "bare_rss_mb": bare_whole.rss_mb,
        "bare_wall_s": bare_whole.wall_s,
        "wall_s": whole.wall_s,
        **figures,
    }


def main(arguments: list[str]) -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(arguments)
    title = "chats: texts at 64 at once and 100 calls/s, mean 0.5 s, against bare httpx"
    return show(title, measure(given.rows), BARS, json_only=given.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
