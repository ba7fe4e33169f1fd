"""A row whose answer kills the program is set aside, it alone, and the rest runs."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.program import KEY, Program, provider, sheet

ROWS = 12
POISON = 6  # as Excel counts
CONFIG = {"concurrency": 4, "qps": 0, "mean_s": 2.0, "sigma": 0.2, "time_scale": 0.1}
SCRIPT = Path(__file__).with_name("poisoned.py")


@dataclass(frozen=True, slots=True)
class Poisoned(Program):
    """The program with that one picture in it."""

    def argv(self, *args: str | Path) -> list[str]:
        options = ["--data-dir", str(self.data)]
        return [sys.executable, str(SCRIPT), str(POISON), *options, *map(str, args)]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_s09_the_row_that_kills_the_program_is_set_aside_and_the_rest_runs(tmp_path: Path) -> None:
    program = Poisoned(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
    source = sheet(tmp_path / "vases.csv", [f"vase {n}" for n in range(ROWS)])
    with provider(CONFIG, tmp_path) as shop:
        program.connect(
            shop, "--concurrency", "4", "--headroom", "1", "--on-unknown", "hold", "--price", "1"
        )
        done = program.run("run", source, "--connection", "shop", "--out", tmp_path / "out")
        assert done.code == -signal.SIGKILL
        # Its answer is in the folder: looking at that ends the program a second time.
        assert program.run("resume").code == -signal.SIGKILL
        last = program.run("--json", "resume", timeout=120)
        assert last.out, last.err
        told = shop.ledger()
    tasks = program.run("--json", "tasks", "--batch", "1").json
    failed = [task for task in tasks if task["state"] == "failed"]
    assert [task["row"] for task in failed] == [POISON], tasks
    assert {task["state"] for task in tasks} <= {"success", "failed", "uncertain"}
    # In doubt is what was on the wire when it was killed, and nothing is paid twice.
    assert sum(task["state"] == "uncertain" for task in tasks) <= CONFIG["concurrency"]
    assert [p for p in told["prompts"].values() if p["billed"] > 1] == []
