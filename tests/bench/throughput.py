"""How many rows a second store and engine carry when the provider takes no time.

    python -m tests.bench.throughput [--rows N] [--rounds N] [--json]

20,000 tasks, 64 at once, no rate limit, through the real store (WAL, synchronous=FULL, attempts
and counters included) and the real engine; adapter and result files do nothing. Beside it, on the
same disk, one commit a step: the store's own statements for the same task (claim with its attempt,
then the completion), a transaction each, one task after another, with neither engine nor threads.
Both in turn, three times; a ratio is that of the medians.

Bar: 50 times one commit a step. It is about syncs shared: one commit a step waits for two a task,
and it was set where a sync takes 4 ms. Where a sync takes a tenth of a millisecond nothing is left
to share, and one commit a step is as quick as its CPU. So the pair is measured twice in one run: on
this disk as it is, and with every sync of the process, on both sides, made to last 4 ms (``4ms``:
the real sync, and a wait for what it took less; ``_slow_sync.c``). The bar judges the pair whose
syncs take 4 ms or longer. Where this disk's do, that is its own pair; where they don't and the shim
can't be had (no Linux, no C compiler: ``slowed`` says so), it is this disk's pair all the same: a
bar that is harder there, not one that is left out.

``ratio_without_waiting`` is what the ratio would be if the engine's side were nothing but its CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.bench._report import Bar, show
from tests.bench._runs import measured
from tests.bench._slow_sync import NoShim, slowed

ROWS, ROUNDS = 20_000, 3
SYNC_MS = 4.0
BARS = (Bar("ratio", 50, at_least=True), Bar("lost", 0))
_CHILD = [sys.executable, "-m", "tests.bench._throughput_child"]


def measure(rows: int, rounds: int, folder: Path | None = None) -> dict[str, Any]:
    """Both pairs, one after the other; ``ratio`` is that of the pair that is judged."""
    with tempfile.TemporaryDirectory(prefix="batchwright-bench-", dir=folder) as place:
        here = _pair(rows, rounds, place, os.environ)
        slow: dict[str, Any] | None = None
        said = "this disk's own syncs take as long"
        if here["fsync_ms"] < SYNC_MS:
            try:
                slow = _pair(rows, rounds, place, slowed(int(SYNC_MS * 1e3), Path(place)))
                said = "yes"
            except NoShim as error:
                said = f"no: {error}"
    judged = here if slow is None else slow
    found = {"ratio": judged["ratio"], "judged": "this disk" if slow is None else "4 ms a sync"}
    found["slowed"] = said
    for name, pair in (("4ms", slow), ("this_disk", here)):
        if pair is None:
            continue
        alone = 1e6 / pair["cpu_us_a_task"] / pair["one_commit_a_step_tasks_a_s"]
        found |= {f"{name}_{figure}": value for figure, value in pair.items() if figure != "lost"}
        found[f"{name}_ratio_without_waiting"] = alone
    found["lost"] = max(pair["lost"] for pair in (here, slow) if pair is not None)
    return {**found, "rows": rows, "rounds": rounds}


def _pair(rows: int, rounds: int, place: str, environ: Mapping[str, str]) -> dict[str, Any]:
    code, said, _ = measured([*_CHILD, str(rows), str(rounds), place], environ)
    if code != 0:
        raise SystemExit(f"the bench's process ended with {code}: {said}")
    found: dict[str, Any] = json.loads(said)
    return found


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
