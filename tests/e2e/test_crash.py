"""kill -9 in the middle: nothing lost, nothing paid twice, and only the wire is uncertain."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.bench import crash
from tests.e2e.program import Program, kill_group, provider, sheet, wait_for

ROWS = 80
CONFIG = {"concurrency": 10, "qps": 0, "mean_s": 8.0, "sigma": 0.35, "time_scale": 0.1}


def billed_twice(told: dict[str, Any]) -> list[str]:
    return [p["prompt"] for p in told["prompts"].values() if p["billed"] > 1]


@pytest.mark.parametrize("share", [0.15, 0.5, 0.85])
def test_s09_killed_and_resumed_under_hold(program: Program, tmp_path: Path, share: float) -> None:
    source = sheet(tmp_path / "vases.csv", [f"vase {n}" for n in range(ROWS)])
    out = tmp_path / "out"
    with provider(CONFIG, tmp_path) as shop:
        program.connect(
            shop, "--concurrency", "10", "--headroom", "1", "--on-unknown", "hold", "--price", "1"
        )
        run = ("run", source, "--connection", "shop", "--out", out, "--param", "size=128x128")
        with program.running(*run) as process:
            wait_for("part of the work", lambda: shop.ledger()["billed"] >= ROWS * share)
            kill_group(process)
        at_kill = shop.ledger()
        killed = program.run("--json", "status").json
        wait_for("the provider to end its work", lambda: shop.ledger()["in_flight"] == 0)
        # No time passes for a batch that nobody works on.
        assert program.run("--json", "status").json["elapsed_s"] == killed["elapsed_s"]
        # Nothing is sent before a person says so.
        assert shop.ledger()["attempts"] == at_kill["attempts"]
        done = program.run("--json", "resume", timeout=300)
        told = shop.ledger()
    status = done.json
    assert done.code in (0, 3), done.err
    assert status["imported"] == ROWS
    assert status["success"] + status["uncertain"] == ROWS
    # An answer that was in is never lost: what stays in doubt was on the wire, at most 10 calls.
    assert status["uncertain"] <= min(killed["running"], CONFIG["concurrency"])
    assert billed_twice(told) == []
    states = Counter(task["state"] for task in program.run("--json", "tasks", "--batch", "1").json)
    assert states["success"] == len(list(out.glob("*.png"))) == status["success"]
    assert not list(out.glob(".bw-*"))
    lines = (out / "manifest.jsonl").read_text("utf-8").splitlines()
    listed = [json.loads(line)["file"] for line in lines]
    assert sorted(listed) == sorted(file.name for file in out.glob("*.png"))


ROUNDS, CI_ROWS, SEED = 12, 24, 2026
SLICE_S = 0.005
"""Of processor time, to put an answer aside: other tests may run at the same time."""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells what lies in the sockets")
def test_s09_killed_at_random_moments_under_trouble(tmp_path: Path) -> None:
    """A short run of ``dev.py bench crash``, which says what is counted and how."""
    rounds = crash.run(
        ROUNDS, SEED, tmp_path, lambda one: None, rows=CI_ROWS, workers=2, slice_s=SLICE_S
    )
    figures = crash.total(rounds)
    assert {one.number: one.faults for one in rounds if one.faults} == {}, figures
    assert figures["rows"] == ROUNDS * CI_ROWS
    assert [str(bar) for bar in crash.bars(figures) if not bar.holds(figures)] == []
