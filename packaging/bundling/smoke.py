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
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

ROWS = 20_001  # so many that a process of its own reads the sheet
CALLS = 8  # some of which meet practised trouble
CAP_REACHED = 4
LONGEST_S = 180
ACCOUNT = "smoke test"
KEY = "sk-smoke-" + "0123456789" * 300  # more than an entry of Windows' password store takes


def main(program: Path, window: Path | None = None) -> int:
    """Returns the exit code."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        here = Path(folder)
        works = runs_a_sheet(program, here / "verbs")
        works = keeps_a_key(program, here / "key") and works
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


def keeps_a_key(program: Path, here: Path) -> bool:
    """A long key goes into the system's password store, and another process sends it from there."""
    with _server() as (address, sent):
        account = ("--adapter", "openai-images", "--base-url", address, "--model", "m")
        added, _ = verb(program, here, "connection", "add", ACCOUNT, *account, "--proxy", "none")
        kept, _ = verb(program, here, "connection", "set-key", ACCOUNT, said=KEY)
        verb(program, here, "connection", "test", ACCOUNT)
        verb(program, here, "connection", "remove", ACCOUNT)
    came_back = sent[-1:] == [f"Bearer {KEY}"]
    print(f"{program}: a key of {len(KEY)} characters kept: {kept == 0}, sent: {came_back}")
    return added == kept == 0 and came_back


@contextmanager
def _server() -> Iterator[tuple[str, list[str]]]:
    """A provider with one model: its address, and what it was asked with."""
    sent: list[str] = []

    class Models(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent.append(self.headers.get("Authorization", ""))
            body = json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]})
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Models) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", sent
        finally:
            server.shutdown()


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


def verb(program: Path, data: Path, *words: str, said: str = "") -> tuple[int, dict[str, Any]]:
    """The exit code and the document of a verb that ``said`` is typed into; what is no document is
    printed."""
    command = [str(program), "--data-dir", str(data), "--json", *words]
    done = subprocess.run(
        command, input=said, capture_output=True, text=True, encoding="utf-8", timeout=600
    )
    try:
        told: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        print(done.stdout[-1500:], done.stderr[-1500:])
        told = {}
    return done.returncode, told


if __name__ == "__main__":
    sys.exit(main(*(Path(word).absolute() for word in sys.argv[1:])))
