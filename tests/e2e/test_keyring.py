"""A key entered once is used by the next command, and lies nowhere but in the password store."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.program import KEY, ROOT, provider, sheet

pytestmark = pytest.mark.bus

CALM = {"concurrency": 4, "qps": 0, "mean_s": 0.5, "sigma": 0.1, "time_scale": 0.1}
SESSION = """
printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
$BW connection add shop --adapter openai-images --base-url "$URL" --model practice --proxy none
printf %s "$KEY" | $BW connection set-key shop
unset KEY
$BW --json run "$SHEET" --connection shop --out "$OUT" >"$STATUS"
"""


def test_s15_a_key_set_by_one_command_serves_another(tmp_path: Path) -> None:
    home, runtime, data = tmp_path / "home", tmp_path / "run", tmp_path / "data"
    home.mkdir()
    runtime.mkdir(mode=0o700)
    with provider(CALM, tmp_path) as shop:
        environ = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(runtime),
            "BW": f"{sys.executable} -m desktop_app --data-dir {data}",
            "URL": shop.base_url,
            "KEY": KEY,
            "SHEET": str(sheet(tmp_path / "cups.csv", ["cup 1", "cup 2", "cup 3"])),
            "OUT": str(tmp_path / "out"),
            "STATUS": str(tmp_path / "status.json"),
        }
        done = subprocess.run(
            ["dbus-run-session", "--", "bash", "-euc", SESSION],
            cwd=ROOT,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        told = shop.ledger()
    assert done.returncode == 0, done.stderr
    assert told["billed"] == 3
    assert len(list((tmp_path / "out").glob("*.png"))) == 3
    assert KEY not in done.stdout + done.stderr + (tmp_path / "status.json").read_text("utf-8")
    for folder in (data, home, tmp_path / "out"):
        for file in filter(Path.is_file, folder.rglob("*")):
            assert KEY.encode() not in file.read_bytes(), file
