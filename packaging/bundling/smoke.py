"""The least that a frozen program must do on any system, by its own words:

python smoke.py PROGRAM [WINDOW]

PROGRAM answers verbs in a terminal; WINDOW, on Windows another file of the same bundle, opens the
window, which needs a screen.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROWS = 20_001  # so many that a process of its own reads the sheet
CALLS = 8  # some of which meet practised trouble
CAP_REACHED = 4
LONGEST_S = 180


def main(program: Path, window: Path | None = None) -> int:
    """Returns the exit code."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        here = Path(folder)
        works = runs_a_sheet(program, here / "verbs")
        if window is not None:
            works = shows_a_window(program, window, here / "window") and works
        return 0 if works else 1


def runs_a_sheet(program: Path, here: Path) -> bool:
    """A practice batch of a Chinese sheet, run to its cap by the frozen program's own children."""
    here.mkdir()
    sheet = here / "春季 运动鞋.csv"
    lines = ["sku,prompt", *(f"K{n:04d},红色运动鞋 {n}" for n in range(ROWS))]
    sheet.write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, told = verb(
        program, here / "data", "run", str(sheet),
        "--practice", "--out", str(here / "out"), "--max-calls", str(CALLS),
    )  # fmt: skip
    pictures = len(list((here / "out").rglob("*.png")))
    print(f"{program}: ended with {code}, {pictures} pictures")
    whole = told.get("imported") == ROWS and told.get("success") == pictures > 0
    return code == CAP_REACHED and whole


def shows_a_window(program: Path, window: Path, here: Path) -> bool:
    """The window opens on the running sample, and its engine makes pictures."""
    shown = subprocess.Popen([str(window), "--data-dir", str(here), "--demo"])
    deadline = time.monotonic() + LONGEST_S
    won = 0
    try:
        while not won and shown.poll() is None and time.monotonic() < deadline:
            time.sleep(1)
            if (here / "batchwright.db").exists():
                won = int(verb(program, here, "status")[1].get("success", 0))
        print(f"{window}: {won} pictures, ended with {shown.poll()}")
        return won > 0 and shown.poll() is None
    finally:
        shown.terminate()
        shown.wait(LONGEST_S)
        until_closed(window)


def until_closed(window: Path) -> None:
    """Windows has no way to ask: what was ended there leaves its children to end by themselves, and
    their file can't be replaced meanwhile."""
    deadline = time.monotonic() + LONGEST_S
    while sys.platform == "win32":
        try:
            window.open("r+b").close()
        except PermissionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)
        else:
            return


def verb(program: Path, data: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the document of a verb; what is no document is printed."""
    command = [str(program), "--data-dir", str(data), "--json", *words]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=600)
    try:
        told: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        print(done.stdout[-1500:], done.stderr[-1500:])
        told = {}
    return done.returncode, told


if __name__ == "__main__":
    sys.exit(main(*(Path(word).absolute() for word in sys.argv[1:])))
