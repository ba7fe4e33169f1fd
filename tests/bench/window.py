"""The window over a million rows, while fifty of them change a second and a script uses it.

    python -m tests.bench.window [--rows N] [--seconds N] [--opens N] [--json]

The real program, from its own entry: store, engine, result files, services and window; the provider
alone is replaced by one that answers after a tenth of a second. A fifth of the rows is done, with
2,000 files of 1024 x 1024 pixels behind them. The script watches, drags the scroll bar through all
rows, turns the wheel, pages, follows the running rows, filters by a chip, sorts by a column and
back, opens results and what needs a person; 100 rows chosen at the start must still be chosen. On
Xvfb where there is one, else without a display.

Lateness is that of a 5 ms timer on Qt's loop, ticks missed in a stall counted in; its bars are
above that of a window of the same program over 100 rows, with nothing to do, in the same run. Its
memory is the idle window's as well. A bare PySide6 window and this one are opened in turn, from
the start of the process to the first paint and to the first painted row, both with their bytecode
at hand, as installed programs have it; the CPU until then is told beside. On a machine that others
use, the 300 ms of the bar are as much longer as the bare window takes longer than its CPU
(``stretch``, 1 where nobody else is at work): what a program waits for by itself is not.
Likewise lateness leaves out the time that Qt's thread stood ready while other programs had the CPUs
(``served``: with it); the program's own threads count. ``busy_elsewhere`` says how many CPUs others
took while the window was used.

Bars: p99 16 ms and max 100 ms above idle; memory 60 MB above idle; opening 1.5 times the bare
window and 300 ms times ``stretch`` (``open_ratio``, of the medians); 40 updates a second at least,
or it was not the load that is named; the selection whole.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench._report import Bar, show
from tests.bench._runs import ROOT
from tests.bench._window_store import fill

ROWS, SECONDS, OPENS, FEW = 1_000_000, 6.0, 5, 100
SPARE_S = 0.3
BARE = ROOT / "tests" / "bench" / "_window_bare.py"
SCENES = (
    "watching_the_top",
    "dragging_through_all",
    "wheel",
    "keys",
    "following",
    "filtered_by_a_chip",
    "sorted",
    "results",
    "needs_you",
)
BARS = (
    Bar("open_ratio", 1.0),
    Bar("p99_over_idle_ms", 16),
    Bar("max_over_idle_ms", 100),
    Bar("memory_over_idle_mb", 60),
    Bar("updates_a_s", 40, at_least=True),
    Bar("selection_lost", 0),
)


@contextmanager
def screen() -> Iterator[Mapping[str, str]]:
    """The environment for windows: a display of their own, or none."""
    if shutil.which("Xvfb") is None:
        yield {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        return
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x900x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as told:
            number = int(told.readline())
        yield {**os.environ, "DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
    finally:
        server.terminate()
        server.wait(10)


def bare(env: Mapping[str, str]) -> tuple[float, float]:
    """Seconds from the process's start to the first paint of a window with nothing in it, and
    seconds of CPU."""
    wall, cpu = map(float, _run([str(BARE), str(time.monotonic())], env).split())
    return wall, cpu


def window(env: Mapping[str, str], data: Path, what: str, seconds: float) -> dict[str, Any]:
    """What the program's window told of itself."""
    command = ["-m", "tests.bench._window_child", str(data), what, str(seconds)]
    told: dict[str, Any] = json.loads(_run([*command, str(time.monotonic())], env))
    return told


def _run(command: Sequence[str], env: Mapping[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1]


def measure(rows: int, seconds: float, opens: int) -> dict[str, Any]:
    """Fill two folders, open the windows."""
    with tempfile.TemporaryDirectory(prefix="batchwright-bench-") as place, screen() as env:
        many, few = Path(place, "many"), Path(place, "few")
        for folder, count in ((many, rows), (few, FEW)):
            folder.mkdir()
            asyncio.run(fill(folder, count))
        # A checkout's bytecode may be old or not there; that of this run is its own.
        env = {**env, "PYTHONPYCACHEPREFIX": str(Path(place, "bytecode"))}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        opened, least = [], []
        for _ in range(opens + 1):
            least.append(bare(env))
            told = window(env, many, "open", 0)
            opened.append((float(told["open_s"]), float(told["open_cpu_s"])))
        least, opened = least[1:], opened[1:]  # the first ones wrote the bytecode
        idle = window(env, few, "idle", 2 * seconds)
        before = _work_of_all(), time.monotonic()
        busy = window(env, many, "busy", seconds)
        elsewhere = (_work_of_all() - before[0]) / (time.monotonic() - before[1])
    return {
        **_ratios(_medians(least), _medians(opened)),
        "busy_elsewhere": max(0.0, elsewhere),
        **_lateness(idle["scenes"], busy["scenes"]),
        "p99_over_idle_served_ms": p99(_all(busy["served"])) - p99(idle["served"]["idle"]),
        "max_over_idle_served_ms": max(_all(busy["served"])) - max(idle["served"]["idle"]),
        **{f"{name.replace(' ', '_')}_own_cpu_ms": own for name, own in busy["own"].items()},
        "memory_over_idle_mb": busy["rss_mb"] - idle["rss_mb"],
        "memory_mb": busy["rss_mb"],
        "idle_memory_mb": idle["rss_mb"],
        "updates_a_s": busy["updates_a_s"],
        "chosen": busy["chosen"],
        "selection_lost": busy["chosen"] - busy["selected"],
        "selection_lost_in_filter": busy["chosen"] - busy["selected_in_filter"],
        "rows": rows,
        "platform": env["QT_QPA_PLATFORM"],
    }


def _medians(runs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """(seconds, seconds of CPU)."""
    walls, cpus = zip(*runs, strict=True)
    return statistics.median(walls), statistics.median(cpus)


def _ratios(bare: tuple[float, float], opened: tuple[float, float]) -> dict[str, float]:
    """Of (seconds, seconds of CPU) each."""
    stretch = max(1.0, bare[0] / bare[1])
    return {
        "open_ratio": opened[0] / (1.5 * bare[0] + SPARE_S * stretch),
        "open_s": opened[0],
        "bare_window_s": bare[0],
        "stretch": stretch,
        "open_cpu_s": opened[1],
        "bare_cpu_s": bare[1],
    }


def _work_of_all() -> float:
    """Seconds of CPU that all programs but this and its children have taken since the system's
    start; 0 where the system does not tell."""
    try:
        ticks = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:]
    except OSError:
        return 0.0
    user, nice, system, _idle, _waiting, irq, softirq, *_ = map(int, ticks)
    own = sum(os.times()[:4])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK") - own


def _lateness(idle: Mapping[str, list[float]], busy: Mapping[str, list[float]]) -> dict[str, float]:
    calm = idle["idle"]
    all_scenes = _all(busy)
    figures = {
        "p99_over_idle_ms": p99(all_scenes) - p99(calm),
        "max_over_idle_ms": max(all_scenes) - max(calm),
        "idle_p99_ms": p99(calm),
        "idle_max_ms": max(calm),
    }
    for name, scene in busy.items():
        key = name.replace(" ", "_")
        figures[f"{key}_p99_ms"] = p99(scene)
        figures[f"{key}_max_ms"] = max(scene)
    return figures


def _all(scenes: Mapping[str, list[float]]) -> list[float]:
    return [late for name, scene in scenes.items() if name != "idle" for late in scene]


def p99(late: Sequence[float]) -> float:
    """The lateness that 99 of 100 ticks stay under."""
    return sorted(late)[min(len(late) - 1, len(late) * 99 // 100)]


def main(arguments: list[str]) -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="length of a scene")
    parser.add_argument("--opens", type=int, default=OPENS)
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(arguments)
    title = "window: a million rows, 50 updates a second, scrolling by script"
    figures = measure(given.rows, given.seconds, given.opens)
    return show(title, figures, BARS, json_only=given.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
