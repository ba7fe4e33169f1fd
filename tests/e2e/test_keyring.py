"""A key entered once is used by the next command, and lies nowhere but in the password store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.program import KEY, ROOT, provider, sheet

pytestmark = pytest.mark.bus

HEADERS = {"Authorization": f"Bearer {KEY}"}
CALM = {"concurrency": 4, "qps": 0, "mean_s": 0.5, "sigma": 0.1, "time_scale": 0.1}
OPEN = """
printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
$BW connection add shop --adapter openai-images --base-url "$URL" --model practice --proxy none
printf %s "$KEY" | $BW connection set-key shop
unset KEY
"""
RUN = """
$BW --json run "$SHEET" --connection shop --out "$OUT" >"$STATUS"
"""
# By its name on this very bus: other daemons are nobody's business here.
STOPPED = """
pid=$(dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus / \\
    org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets \\
    | awk '{print $2}')
trap 'kill -CONT "$pid"' EXIT
kill -STOP "$pid"
(set +e; $BW --json run "$SHEET" --connection shop --out "$OUT" >"$STATUS" 2>"$STATUS.err"
    echo $? >"$STATUS.code") &
for _ in $(seq 600); do
    grep -q 'password store is waiting' "$STATUS.err" && break
    sleep 0.1
done
cp "$STATUS.err" "$STATUS.said"
$LEDGER >"$STATUS.ledger"
kill -CONT "$pid"
wait
kill -STOP "$pid"
QT_QPA_PLATFORM=offscreen $WINDOW >"$STATUS.window" || [ $? = 143 ]
"""


@dataclass(frozen=True, slots=True)
class Session:
    """What a script in a bus session of its own left."""

    folder: Path
    done: subprocess.CompletedProcess[str]
    ledger: dict[str, Any]

    def file(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")


def session(tmp_path: Path, script: str) -> Session:
    """Run ``script`` with a password store, where ``$BW`` is the program and the connection
    ``shop`` has its key."""
    home, runtime, data = tmp_path / "home", tmp_path / "run", tmp_path / "data"
    home.mkdir()
    runtime.mkdir(mode=0o700)
    with provider(CALM, tmp_path) as shop:
        python = sys.executable
        ledger = f"http://127.0.0.1:{shop.port}/_practice/ledger"
        asks = f"import sys,urllib.request as u;r=u.Request({ledger!r},headers={HEADERS!r})"
        (tmp_path / "ledger.py").write_text(f"{asks};print(u.urlopen(r).read().decode())")
        environ = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(runtime),
            "BW": f"{python} -m desktop_app --data-dir {data}",
            "WINDOW": f"{python} -m tests.e2e.window_beside_store --data-dir {data}",
            "LEDGER": f"{python} {tmp_path / 'ledger.py'}",
            "URL": shop.base_url,
            "KEY": KEY,
            "SHEET": str(sheet(tmp_path / "cups.csv", ["cup 1", "cup 2", "cup 3"])),
            "OUT": str(tmp_path / "out"),
            "STATUS": str(tmp_path / "status.json"),
        }
        done = subprocess.run(
            ["dbus-run-session", "--", "bash", "-euc", OPEN + script],
            cwd=ROOT,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        told = shop.ledger()
    assert done.returncode == 0, done.stderr
    return Session(tmp_path, done, told)


def test_s15_a_key_set_by_one_command_serves_another(tmp_path: Path) -> None:
    left = session(tmp_path, RUN)
    assert left.ledger["billed"] == 3
    assert len(list((tmp_path / "out").glob("*.png"))) == 3
    assert KEY not in left.done.stdout + left.done.stderr + left.file("status.json")
    for name in ("data", "home", "out"):
        for file in filter(Path.is_file, (tmp_path / name).rglob("*")):
            assert KEY.encode() not in file.read_bytes(), file


def test_s15_a_stopped_store_is_told_and_waited_for_and_no_call_goes_without_a_key(
    tmp_path: Path,
) -> None:
    left = session(tmp_path, STOPPED)
    assert "The password store is waiting for you" in left.file("status.json.said")
    assert json.loads(left.file("status.json.ledger"))["attempts"] == 0
    # It goes on by itself once the store answers, with the key.
    assert left.file("status.json.code").strip() == "0"
    assert (left.ledger["attempts"], left.ledger["billed"]) == (3, 3)
    window = json.loads(left.file("status.json.window"))
    assert "The password store is waiting for you" in window["said"]
    assert window["turns"] > 10
