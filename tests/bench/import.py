# ruff: noqa: N999 - the bench is called what it measures
"""A sheet of a million rows becomes a batch, against SQLite's own import of the same file.

    python -m tests.bench.import [--rows N] [--json]

1,000,000 rows of 300 bytes (sku, prompt, size, customer, note). The program's side is all of it:
private copy, the look through the whole file, checks, drafts, and the sealed batch, in a process of
its own. SQLite's side is ``sqlite3 FILE '.import --csv SHEET t'`` (or, where that tool is missing,
what it does: Python's csv reader and one ``executemany``, in one transaction).

Bars: 3 times SQLite's time; peak memory of all processes together 300 MB; every row there.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.bench._report import Bar, show
from tests.bench._runs import PROGRAM, ROOT, measured

ROWS, ROW_BYTES = 1_000_000, 300
BARS = (Bar("ratio", 3), Bar("rss_mb", 300), Bar("lost", 0))
_CHILD = ROOT / "tests" / "bench" / "_import_child.py"
_WORDS = ("red", "blue", "small", "large", "leather", "canvas", "running", "summer", "on", "white")


def write_sheet(path: Path, rows: int) -> None:
    """The sheet; its rows have 300 bytes each, line end included."""
    dice = random.Random(5)
    sizes = ("1024x1024", "1024x1536")
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("sku,prompt,size,customer,note\r\n")
        for number in range(rows):
            words = " ".join(dice.choices(_WORDS, k=8))
            head = f'SKU-{number:07d},"{words}, number {number}",{sizes[number % 2]},'
            head += f"customer {number % 5000},"
            file.write(f"{head.ljust(ROW_BYTES - 2, 'x')}\r\n")


def sqlite_s(sheet: Path, target: Path) -> tuple[float, float]:
    """Seconds of SQLite's own import, by the clock and of CPU."""
    tool = shutil.which("sqlite3")
    if tool is not None:
        code, said, used = measured([tool, str(target), f".import --csv {sheet} t"], os.environ)
        if code != 0:
            raise SystemExit(said)
        return used.wall_s, used.cpu_s
    began, busy = time.monotonic(), time.process_time()
    with (
        closing(sqlite3.connect(target)) as conn,
        sheet.open(encoding="utf-8", newline="") as file,
    ):
        reader = csv.reader(file)
        names = ", ".join(f'"{name}" TEXT' for name in next(reader))
        conn.execute(f"CREATE TABLE t ({names})")
        with conn:
            conn.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", reader)
    return time.monotonic() - began, time.process_time() - busy


def measure(rows: int) -> dict[str, Any]:
    """Both, one after the other, on the same disk."""
    with tempfile.TemporaryDirectory(prefix="batchwright-bench-") as place:
        folder = Path(place)
        sheet = folder / "big.csv"
        write_sheet(sheet, rows)
        theirs = [sqlite_s(sheet, folder / "plain.db")]
        (folder / "plain.db").unlink()
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "BATCHWRIGHT_KEY_BENCH": "k"}
        data = folder / "data"
        add = [
            *PROGRAM, "--data-dir", str(data), "connection", "add", "bench",
            "--adapter", "openai-images", "--base-url", "https://none.test/v1", "--model", "m",
        ]  # fmt: skip
        code, said, _ = measured(add, environ)
        if code != 0:
            raise SystemExit(said)
        code, said, usage = measured([sys.executable, str(_CHILD), str(data), str(sheet)], environ)
        if code != 0:
            raise SystemExit(f"the import ended with {code}: {said}")
        # Once before and once after, for a disk that is shared with others.
        theirs.append(sqlite_s(sheet, folder / "plain.db"))
    found = json.loads(said)
    own = found["open_s"] + found["import_s"]
    wall_s, cpu_s = (statistics.mean(seconds) for seconds in zip(*theirs, strict=True))
    return {
        "ratio": own / wall_s,
        "rss_mb": usage.rss_mb + found["helper_rss_mb"],
        "lost": rows - found["rows"],
        "seconds": own,
        "sqlite_seconds": wall_s,
        "open_s": found["open_s"],
        "import_s": found["import_s"],
        # Of all processes, starting and closing included: it says more where others are at work.
        "cpu_s": usage.cpu_s,
        "sqlite_cpu_s": cpu_s,
        "rows_a_s": rows / own,
        "rows": rows,
        "sqlite_tool": shutil.which("sqlite3") is not None,
    }


def main(arguments: list[str]) -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(arguments)
    title = "import: a CSV of 300-byte rows into a sealed batch, against sqlite3 .import"
    return show(title, measure(given.rows), BARS, json_only=given.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
