"""How close the program comes to the ideal: the sample sheet against a server with hidden limits.

    python -m tests.bench.makespan [--scale S] [--json] [--rows N]

The practice server allows 10 calls at once and 3 a second with burst 6, takes 28 s on average
(lognormal), fails 3% with 500 and refuses 2% as unsafe; the program is told the limits, headroom 1.
All the server's times are multiplied by the scale, the program's own are not: whatever it costs
(commits, back-off in seconds) counts 1/scale times. 0.25 keeps the run below three minutes.

Bars: 1.03 times the list schedule, 1.10 times the lower bound (``_schedule`` says what they are),
no row lost, no call billed twice, no 429 after the first answer.
"""

from __future__ import annotations

import argparse
import csv
import sys
from typing import Any

from tests.bench._bound import Limits
from tests.bench._report import Bar, show
from tests.bench._runs import ROOT, Done, Job, run
from tests.bench._schedule import counts, ratios

SHEET = ROOT / "resources" / "sample_prompts.csv"
CONCURRENCY, QPS, BURST, MEAN_S, SIGMA = 10, 3.0, 6, 28.0, 0.35
ASKED = (
    "--prompt-column", "prompt", "--param", "size=@size", "--lane-column", "customer",
    "--key-column", "sku",
)  # fmt: skip
WHOLE = (Bar("lost", 0), Bar("unseen_by_server", 0), Bar("billed_twice", 0))
BARS = (
    Bar("ratio", 1.03),
    Bar("ratio_to_lower_bound", 1.10),
    Bar("refused_429_later", 0),
    *WHOLE,
)


def server_config(scale: float) -> dict[str, Any]:
    """The practice server's hidden limits and its trouble, beside the sheet's own markers."""
    return {
        "concurrency": CONCURRENCY,
        "qps": QPS,
        "burst": BURST,
        "mean_s": MEAN_S,
        "sigma": SIGMA,
        "time_scale": scale,
        "trouble": {"500": 0.03, "moderate": 0.02},
    }


def sample(count: int) -> list[dict[str, str]]:
    """The first rows of the sample sheet."""
    with SHEET.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))[:count]


def figures_of(rows: list[dict[str, str]], done: Done, scale: float) -> dict[str, Any]:
    """The figures, ratios first."""
    limits = Limits(CONCURRENCY, QPS / scale, BURST)
    return {
        **ratios(rows, done.ledger, limits, "customer"),
        **counts(rows, done.ledger, done.accounted),
        "success": int(done.status.get("success", 0)),
        "cpu_s": done.usage.cpu_s,
        "wall_s": done.usage.wall_s,
        "time_scale": scale,
    }


def measure(told_concurrency: int, scale: float, count: int) -> dict[str, Any]:
    """One run."""
    rows = sample(count)
    told = (
        "--concurrency", str(told_concurrency), "--qps", f"{QPS / scale:g}",
        "--burst", str(BURST), "--headroom", "1",
    )  # fmt: skip
    return figures_of(rows, run(Job(rows, server_config(scale), told, ASKED)), scale)


def parse(arguments: list[str], doc: str | None) -> argparse.Namespace:
    """The options of the benches on the sample sheet."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--scale", type=float, default=0.25, help="real seconds a nominal second")
    parser.add_argument("--rows", type=int, default=200, help="only the first N rows")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run, print, judge."""
    given = parse(arguments, __doc__)
    title = "makespan: 200 rows, 10 at once, 3 calls/s burst 6, mean 28 s (time scaled)"
    figures = measure(CONCURRENCY, given.scale, given.rows)
    return show(title, figures, BARS, json_only=given.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
