"""A provider that changes its mind: the rate is halved for a minute, and nobody is told.

    python -m tests.bench.adapt [--json] [--headers] [--seed N]

300 rows, 32 at once, mean 8 s (lognormal), 3 calls a second with burst 6, 1.5 from second 30 on, 3
again from second 90 on; the program is told the 32 alone. In real time: what is measured is how
the program's own waits and ramps behave. The server's answers say nothing about its limits
(a 429 for rate has its Retry-After) unless ``--headers``.

Bars: every row comes to its end, once; 1.10 times the list schedule at the limits as they were; at
most 50 answers 429; and **recovery**: within 60 s after the rate was restored, 80% of it is used
over ten seconds (or the work had ended, every call having been sent).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tests.bench._bound import Limits
from tests.bench._report import Bar, show
from tests.bench._runs import Job, run
from tests.bench._schedule import counts, ratios
from tests.bench.makespan import WHOLE

ROWS, CONCURRENCY, QPS, BURST, MEAN_S, SIGMA = 300, 32, 3.0, 6, 8.0, 0.35
HALVED_AT, RESTORED_AT, WINDOW_S, SHARE = 30.0, 90.0, 10.0, 0.8
BARS = (Bar("ratio", 1.10), Bar("recovery_s", 60), Bar("refused_429", 50), *WHOLE)


def recovery_s(admitted: list[float]) -> float | None:
    """Seconds from the restoring until a window of ten seconds held 80% of the rate; 0 if no
    call was left to be sent by then, None if it never came."""
    if not admitted or max(admitted) < RESTORED_AT + WINDOW_S:
        return 0.0
    ends = sorted(at for at in admitted if at >= RESTORED_AT + WINDOW_S)
    for end in ends:
        if sum(end - WINDOW_S < at <= end for at in admitted) >= SHARE * QPS * WINDOW_S:
            return end - RESTORED_AT
    return None


def measure(rows: int, *, tell: bool, seed: int) -> dict[str, Any]:
    """One run."""
    sheet = [{"prompt": f"a red shoe, number {n}"} for n in range(rows)]
    server = {
        "concurrency": CONCURRENCY,
        "qps": QPS,
        "burst": BURST,
        "mean_s": MEAN_S,
        "sigma": SIGMA,
        "time_scale": 1.0,
        "tell_limits": tell,
        "seed": seed,
        "schedule": [
            {"at_s": HALVED_AT, "qps": QPS / 2},
            {"at_s": RESTORED_AT, "qps": QPS},
        ],
    }
    told = ("--concurrency", str(CONCURRENCY), "--headroom", "1")
    asked = ("--prompt-column", "prompt", "--param", "size=512x512")
    done = run(Job(sheet, server, told, asked))
    limits = Limits(CONCURRENCY, QPS, BURST, ((HALVED_AT, QPS / 2), (RESTORED_AT, QPS)))
    calls = done.ledger["calls"]
    first = min((c["arrived_s"] for c in calls if c["admitted"]), default=0.0)
    return {
        **ratios(sheet, done.ledger, limits),
        "recovery_s": recovery_s([c["arrived_s"] - first for c in calls if c["admitted"]]),
        **counts(sheet, done.ledger, done.accounted),
        "success": int(done.status.get("success", 0)),
        "cpu_s": done.usage.cpu_s,
        "headers": tell,
    }


def main(arguments: list[str]) -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--headers", action="store_true", help="the server tells its limits")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(arguments)
    title = "adapt: 3 calls/s, half of it from 30 s to 90 s, told 32 at once and no rate"
    figures = measure(given.rows, tell=given.headers, seed=given.seed)
    return show(title, figures, BARS, json_only=given.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
