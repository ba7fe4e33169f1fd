"""The least that a frozen program must do on any system, by its own words, without a window:

python smoke.py PATH/TO/batchwright
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROWS = 20_001  # so many that a process of its own reads the sheet
CALLS = 8  # some of which meet practised trouble
CAP_REACHED = 4


def main(program: Path) -> int:
    """A practice batch of a Chinese sheet, run to its end by the frozen program's own children."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        sheet = here / "春季 运动鞋.csv"
        lines = ["sku,prompt", *(f"K{n:04d},红色运动鞋 {n}" for n in range(ROWS))]
        sheet.write_text("\n".join(lines) + "\n", encoding="utf-8")
        run = [str(program), "--data-dir", str(here / "data"), "--json", "run", str(sheet)]
        run += ["--practice", "--out", str(here / "out"), "--max-calls", str(CALLS)]
        done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8", timeout=600)
        print(done.stdout[-1500:], done.stderr[-1500:])
        pictures = len(list((here / "out").rglob("*.png")))
        told = json.loads(done.stdout) if done.stdout else {}
        print(f"{program}: ended with {done.returncode}, {pictures} pictures")
        whole = told.get("imported") == ROWS and told.get("success") == pictures > 0
        return 0 if done.returncode == CAP_REACHED and whole else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
