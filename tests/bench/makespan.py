"""How close the program comes to the ideal: the sample sheet against a server with hidden limits.

    python -m tests.bench.makespan [--scale S] [--json] [--rows N]

Starts a practice server as its own process (10 at once, 3 calls a second with burst 6, mean
latency 28 s, all times multiplied by the scale), then the real program as a process: ``connection
add``, ``run``. The durations are the server's own, from its ledger. Exit code 1 when the makespan
is more than 1.10 times the lower bound (``_bound``), a row is lost or a call billed twice.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx

from desktop_app.practice.child import PracticeProcess
from desktop_app.practice.trouble import prompt_hash
from tests.bench._bound import Calls, Limits, list_schedule, lower_bound

ROOT = Path(__file__).parents[2]
SHEET = ROOT / "resources" / "sample_prompts.csv"
PROGRAM = [sys.executable, "-m", "desktop_app"]
WORST = 1.10

CONCURRENCY, QPS, BURST, MEAN_S, SIGMA = 10, 3.0, 6, 28.0, 0.35


def server_config(scale: float) -> dict[str, Any]:
    """The practice server's hidden limits; no trouble but the sheet's own markers."""
    return {
        "concurrency": CONCURRENCY,
        "qps": QPS,
        "burst": BURST,
        "mean_s": MEAN_S,
        "sigma": SIGMA,
        "time_scale": scale,
    }


def measure(
    rows: list[dict[str, str]], ledger: dict[str, Any], status: dict[str, Any], scale: float
) -> dict[str, Any]:
    """The figures, ratios first. Pure: ``ledger`` is the server's with its calls, ``status``
    what ``run --json`` printed. Times are real seconds, as the scale made them."""
    lane_of = {prompt_hash(row["prompt"]): row["customer"] for row in rows}
    row_of = {prompt_hash(row["prompt"]): number for number, row in enumerate(rows)}
    worked = [c for c in ledger["calls"] if c["admitted"] and c["ended_s"] is not None]
    lanes: dict[str, list[float]] = defaultdict(list)
    for call in worked:
        lanes[lane_of[call["prompt_hash"]]].append(call["ended_s"] - call["arrived_s"])
    names = {lane: number for number, lane in enumerate(lanes)}
    in_sheet_order = sorted(worked, key=lambda c: (row_of[c["prompt_hash"]], c["attempt"]))
    sheet = [
        (names[lane_of[c["prompt_hash"]]], c["ended_s"] - c["arrived_s"]) for c in in_sheet_order
    ]
    limits = Limits(CONCURRENCY, QPS / scale, BURST)
    bound = lower_bound(Calls(tuple(tuple(lane) for lane in lanes.values())), limits)
    greedy = list_schedule(sheet, limits)
    first = min((c["arrived_s"] for c in ledger["calls"]), default=0.0)
    makespan = max((c["ended_s"] for c in worked), default=first) - first
    finished = ("success", "failed", "dead", "uncertain", "cancelled")
    accounted = sum(int(status.get(name, 0)) for name in finished)
    return {
        "ratio": makespan / bound if bound else float("inf"),
        "ratio_of_greedy": greedy / bound if bound else float("inf"),
        "ratio_allowed": WORST,
        "makespan_s": makespan,
        "bound_s": bound,
        "greedy_s": greedy,
        "rows": len(rows),
        "accounted": accounted,
        "success": int(status.get("success", 0)),
        "lost": len(rows) - accounted,
        "unseen_by_server": sum(
            prompt_hash(row["prompt"]) not in ledger["prompts"] for row in rows
        ),
        "billed": ledger["billed"],
        "billed_twice": ledger["billed_twice"],
        "refused_429": ledger["refused_429"],
        "max_in_flight": ledger["max_in_flight"],
        "attempts": ledger["attempts"],
        "time_scale": scale,
    }


def good(figures: dict[str, Any]) -> bool:
    """Quick enough, nothing lost, nothing doubled."""
    return bool(
        figures["ratio"] <= WORST
        and figures["lost"] == 0
        and figures["unseen_by_server"] == 0
        and figures["billed_twice"] == 0
    )


def table(figures: dict[str, Any]) -> str:
    """One line a figure, ratios first."""
    lines = ["makespan: 200-row sample, 10 at once, 3 calls/s burst 6, mean 28 s (time scaled)"]
    for name, value in figures.items():
        shown = f"{value:.3f}" if isinstance(value, float) else str(value)
        lines.append(f"  {name.replace('_', ' '):<20}{shown:>10}")
    lines.append("  passed" if good(figures) else "  FAILED")
    return "\n".join(lines)


def _program(folder: Path, *arguments: str, key: str) -> tuple[int, str]:
    environ = {**os.environ, "BATCHWRIGHT_KEY_BENCH": key}
    command = [*PROGRAM, "--data-dir", str(folder / "data"), "--json", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def _run(folder: Path, sheet: Path, base_url: str, key: str, scale: float) -> dict[str, Any]:
    code, said = _program(
        folder, "connection", "add", "bench", "--adapter", "openai-images",
        "--base-url", base_url, "--model", "practice", "--concurrency", str(CONCURRENCY),
        "--qps", f"{QPS / scale:g}", "--burst", str(BURST), "--headroom", "1", key=key,
    )  # fmt: skip
    if code != 0:
        raise SystemExit(f"connection add ended with {code}: {said}")
    began = time.monotonic()
    code, said = _program(
        folder, "run", str(sheet), "--connection", "bench", "--prompt-column", "prompt",
        "--param", "size=@size", "--lane-column", "customer", "--key-column", "sku",
        "--out", str(folder / "out"), key=key,
    )  # fmt: skip
    if code not in (0, 3):
        raise SystemExit(f"run ended with {code}: {said}")
    status: dict[str, Any] = json.loads(said)
    status["wall_s"] = time.monotonic() - began
    return status


async def _bench(scale: float, count: int) -> dict[str, Any]:
    with SHEET.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:count]
    with tempfile.TemporaryDirectory(prefix="batchwright-bench-") as place:
        folder = Path(place)
        config, sheet = folder / "server.json", folder / SHEET.name
        config.write_text(json.dumps(server_config(scale)), encoding="utf-8")
        with sheet.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        server = PracticeProcess([*PROGRAM, "practice"], config=config, cwd=ROOT)
        base_url, key = await server.start()
        try:
            status = await asyncio.to_thread(_run, folder, sheet, base_url, key, scale)
            async with httpx.AsyncClient(trust_env=False) as client:
                answer = await client.get(
                    base_url.removesuffix("/v1") + "/_practice/ledger?calls=1",
                    headers={"Authorization": f"Bearer {key}"},
                )
        finally:
            await server.stop()
    figures = measure(rows, answer.json(), status, scale)
    figures["wall_s"] = status["wall_s"]
    return figures


def main(arguments: list[str]) -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(prog="makespan", description=__doc__)
    parser.add_argument("--scale", type=float, default=0.1, help="real seconds a nominal second")
    parser.add_argument("--rows", type=int, default=200, help="only the first N rows")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(arguments)
    figures = asyncio.run(_bench(given.scale, given.rows))
    if not given.json:
        print(table(figures))
    print(json.dumps({**figures, "passed": good(figures)}))
    return 0 if good(figures) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
