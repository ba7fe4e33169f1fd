"""The listener runs on the window's own loop, and the window closes though somebody is calling."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_it_is_heard_on_the_windows_loop(tmp_path: Path) -> None:
    child = [sys.executable, "-m", "tests.ui.callbacks_child", str(tmp_path)]
    done = subprocess.run(child, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.strip().splitlines()[-1])
    assert found["loop"] == "qasync"
    assert found["answers"] == [404] * 50
    assert found["signals"]
