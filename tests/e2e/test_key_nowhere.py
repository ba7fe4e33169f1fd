"""S20: after everything that can go wrong, nothing that the program left holds the key."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Verbs
from tests.contract.cases import PNG
from tests.e2e.program import ROOT, Done, kill_group, sheet, wait_for
from tests.helpers.key_traces import traces, traces_under

KEY = "Kq7/vR2+xW9=zT4&uY8-mN3.bV6_cX1~Jh5"
CODED = base64.b64encode(KEY.encode()).decode()
QUOTED = urllib.parse.quote(KEY, safe="")
ECHO = (
    f"Bad key {KEY}, {QUOTED}, {CODED}; Authorization: Bearer {KEY}; cut: {KEY[:20]}… …{KEY[-17:]}"
)


@dataclass
class Shop:
    """A provider that repeats keys. ``calls`` are (path, whether the key came along)."""

    calls: list[tuple[str, bool]] = field(default_factory=list)
    elsewhere: str = ""
    port: int = 0
    knows_the_key: bool = False
    hang: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str, prompt: str) -> tuple[int, dict[str, str], bytes]:
        if path == "/v1/models" and self.knows_the_key:
            return 200, {}, json.dumps({"data": [{"id": "m"}], "you": ECHO}).encode()
        if path == "/v1/models":
            return 401, {}, json.dumps({"error": {"message": ECHO, "code": KEY}}).encode()
        if prompt.startswith("redirect"):
            return 307, {"location": f"{self.elsewhere}{path}?key={QUOTED}"}, ECHO.encode()
        if prompt.startswith("hang"):
            self.hang.wait(60)
        if prompt.startswith("page"):
            # The bound of what is read of an error lies inside of the key.
            return 400, {}, b"x" * (256 * 1024 - 20) + KEY.encode()
        status = next((n for n in (400, 401, 500) if str(n) in prompt), 200)
        said: dict[str, Any] = {"request": {"headers": {"authorization": f"Bearer {KEY}"}}}
        if status == 200:
            picture = "aGFsZiBhIHBpY3R1cmU=" if prompt.startswith("half") else PNG_64
            said["usage"] = {"total_tokens": 3, "billed_to": KEY}
            said["model"] = KEY
            said["data"] = [{"b64_json": picture, "revised_prompt": ECHO}]
        else:
            said["error"] = {"message": ECHO, "code": KEY[:30], "param": CODED}
        return status, {"x-request-id": KEY, "x-echo": KEY}, json.dumps(said).encode()


PNG_64 = base64.b64encode(PNG).decode()


@contextlib.contextmanager
def serving(shop: Shop) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = json.loads(self.rfile.read(length) or b"{}")
            prompt = str(body.get("prompt", ""))
            shop.calls.append((self.path, KEY in str(self.headers)))
            status, headers, data = shop.answer(self.path, prompt)
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):  # the program is gone
                self.wfile.write(data)

        do_GET = do_POST  # noqa: N815 - the base class's name

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    shop.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield
    finally:
        shop.hang.set()
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass(frozen=True)
class Troubled:
    """The program on one data folder; all that it says is kept in files beside it."""

    folder: Path

    def argv(self, *args: str | Path) -> list[str]:
        base = [sys.executable, "-m", "tests.e2e.troubled_program"]
        return [*base, "--data-dir", str(self.folder / "data"), *map(str, args)]

    def env(self, plant: str) -> dict[str, str]:
        more = {"BATCHWRIGHT_KEY_SHOP": KEY, "PLANT": plant, "PYTHONASYNCIODEBUG": "1"}
        return {**os.environ, **more}

    def run(self, *args: str | Path, plant: str = "") -> Done:
        number = len(list(self.folder.glob("said-*")))
        done = subprocess.run(
            self.argv(*args),
            cwd=ROOT,
            env=self.env(plant),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        said = f"{args}\n{done.stdout}\n{done.stderr}"
        (self.folder / f"said-{number}.txt").write_text(said, encoding="utf-8")
        return Done(done.returncode, done.stdout, done.stderr)

    def send(self, *prompts: str, plant: str = "") -> Done:
        source = sheet(self.folder / f"{'-'.join(prompts)}.csv", prompts)
        out = self.folder / "out"
        return self.run("run", source, "--connection", "shop", "--out", out, plant=plant)

    def end(
        self, prompt: str, number: signal.Signals, when: Callable[[], bool], plant: str = ""
    ) -> int:
        """Send one row, and a signal to the program once ``when()``; returns the exit code."""
        source = sheet(self.folder / f"{prompt}.csv", [prompt])
        process = subprocess.Popen(
            self.argv("run", source, "--connection", "shop", "--out", self.folder / "out"),
            cwd=ROOT,
            env=self.env(plant),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            wait_for(f"the time to end {prompt}", when)
            process.send_signal(number)
            process.wait(60)
        finally:
            kill_group(process)
            said, _ = process.communicate()
        (self.folder / f"said-{prompt}.txt").write_text(said, encoding="utf-8")
        return process.returncode

    def log(self) -> str:
        log = self.folder / "data" / "logs" / "batchwright.log"
        return log.read_text("utf-8") if log.exists() else ""  # made while the program starts


@pytest.mark.skipif(sys.platform == "win32", reason="crashes by a signal")
def test_s20_after_everything_that_can_go_wrong_the_key_is_nowhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, elsewhere = Shop(), Shop()
    program = Troubled(tmp_path)
    with serving(shop), serving(elsewhere):
        shop.elsewhere = f"http://127.0.0.1:{elsewhere.port}"
        added = program.run(
            "connection", "add", "shop", "--adapter", "openai-images", "--model", "m", "--proxy",
            "none", "--base-url", f"http://127.0.0.1:{shop.port}/v1", "--retries", "0",
            "--on-unknown", "hold", "--concurrency", "1",
        )  # fmt: skip
        assert added.code == 0, added.err
        assert program.run("connection", "test", "shop").code == 4
        mixed = program.send("good", "error 400", "page", "error 500", "half")
        assert mixed.code == 3, mixed.err
        # An exception with the key in its text, in a thread and in a call.
        code = program.end("call", signal.SIGTERM, lambda: " broke\n" in program.log(), "call")
        assert code == 143
        assert program.send("good too", plant="verb").code == 1
        # A bug in a library, with the key in memory.
        before = len(shop.calls)
        code = program.end("hang", signal.SIGSEGV, lambda: len(shop.calls) > before)
        assert code == -signal.SIGSEGV
        assert program.send("redirect").code == 4
        shop.knows_the_key = True
        assert program.run("connection", "resume", "shop").code == 0
        assert program.send("answer 401").code == 4
        shop.knows_the_key = False
        assert program.run("connection", "resume", "shop").code == 4
    verbs = Verbs(tmp_path / "data", capsys, monkeypatch)

    def read(*args: str | Path) -> Done:
        done = verbs.run(*args)
        assert done.code == 0, done.err
        name = f"read-{len(list(tmp_path.glob('read-*')))}.txt"
        (tmp_path / name).write_text(done.out + done.err, encoding="utf-8")
        return done

    for batch in map(str, range(1, 7)):
        read("tasks", "--batch", batch)
        for row in read("--json", "tasks", "--batch", batch).json:
            read("attempts", "--task", row["task"])
            read("--json", "attempts", "--task", row["task"])
        for what in ("failures", "results"):
            for suffix in ("xlsx", "csv", "jsonl"):
                target = tmp_path / f"{what}-{batch}.{suffix}"
                read("export", what, "--batch", batch, "--to", target)
    read("connection", "show", "shop")
    read("support", "--out", tmp_path / "support.zip")

    # Everything that should be there to be searched is there.
    data = tmp_path / "data"
    assert "RuntimeError: the headers were Authorization: ***" in program.log()
    assert "Fatal Python error" in (data / "logs" / "crash.log").read_text("utf-8")
    assert (data / "batchwright.db.wire").exists()
    assert (data / "batchwright.db-wal").exists()  # it was killed with the store open
    assert list(data.glob("*.backup-*"))
    assert shop.calls
    assert all(with_key for _, with_key in shop.calls)
    assert elsewhere.calls == []
    assert list(traces_under(tmp_path, KEY)) == []


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (KEY, "plain"),
        (KEY[3:11], "plain"),
        (QUOTED, "url"),
        (f"Basic {base64.b64encode(b'me:' + KEY.encode()).decode()}", "base64"),
        (base64.urlsafe_b64encode(b"x" + KEY.encode()).decode(), "base64"),
        (KEY.encode().hex(), "hex"),
    ],
)
def test_the_search_finds_what_it_is_there_for(tmp_path: Path, text: str, how: str) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.bin").write_bytes(b"\0\xff" + text.encode() + b"\xfe")
    assert f"deep/a.bin: {how}" in list(traces_under(tmp_path, KEY))


def test_the_search_looks_into_what_is_packed(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/sheet.xml", KEY)
    assert traces((tmp_path / "a.xlsx").read_bytes(), KEY) == {"plain"}


def test_the_search_leaves_the_shown_end_alone() -> None:
    assert traces(f"…{KEY[-4:]} {KEY[-7:]}".encode(), KEY) == set()
