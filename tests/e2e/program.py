"""The real program as a process, and a practice server that outlives it, as a provider would."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
KEY = "practice-key-for-tests"
ENV_CHILD = "BATCHWRIGHT_PRACTICE_CHILD"
ENV_KEY = "BATCHWRIGHT_PRACTICE_KEY"


@dataclass(frozen=True, slots=True)
class Provider:
    """A practice server in a process group of its own, ``pid``, told by a config."""

    port: int
    pid: int = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def ledger(self, *, calls: bool = False) -> dict[str, Any]:
        return self._ask("ledger?calls=1" if calls else "ledger")

    def reset(self, config: Mapping[str, Any]) -> None:
        self._ask("reset", json.dumps(config).encode())

    def _ask(self, what: str, body: bytes | None = None) -> dict[str, Any]:
        url = f"http://127.0.0.1:{self.port}/_practice/{what}"
        asked = urllib.request.Request(url, body, {"Authorization": f"Bearer {KEY}"})
        with urllib.request.urlopen(asked, timeout=30) as answer:
            found: dict[str, Any] = json.load(answer)
        return found


@contextmanager
def provider(config: Mapping[str, Any], folder: Path) -> Iterator[Provider]:
    """Serve ``config`` until the block ends."""
    file = folder / "practice.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    server = subprocess.Popen(
        [sys.executable, "-m", "desktop_app", "practice", "--config", str(file)],
        cwd=ROOT,
        env={**os.environ, ENV_CHILD: "1", ENV_KEY: KEY},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        yield Provider(int(json.loads(server.stdout.readline())["port"]), server.pid)
    finally:
        server.stdin.close()
        try:
            server.wait(10)
        finally:
            server.kill()
            server.wait()
            server.stdout.close()


@dataclass(frozen=True, slots=True)
class Done:
    """How a verb ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out, self.err
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Program:
    """Batchwright with one data folder."""

    data: Path
    env: Mapping[str, str]

    def argv(self, *args: str | Path) -> list[str]:
        base = [sys.executable, "-m", "desktop_app", "--data-dir", str(self.data)]
        return [*base, *map(str, args)]

    def run(self, *args: str | Path, timeout: float = 120, stdin: str = "") -> Done:
        done = subprocess.run(
            self.argv(*args),
            cwd=ROOT,
            env={**os.environ, **self.env},
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def running(self, *args: str | Path) -> Iterator[subprocess.Popen[str]]:
        """A verb in a process group of its own; killed at the end of the block at the latest."""
        process = subprocess.Popen(
            self.argv(*args),
            cwd=ROOT,
            env={**os.environ, **self.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        try:
            yield process
        finally:
            kill_group(process)
            process.communicate()

    def connect(self, to: Provider, *args: str, name: str = "shop") -> None:
        done = self.run(
            "connection", "add", name, "--adapter", "openai-images",
            "--base-url", to.base_url, "--model", "practice", "--proxy", "none", *args,
        )  # fmt: skip
        assert done.code == 0, done.err


def kill_group(process: subprocess.Popen[str]) -> None:
    """kill -9 of the whole process group, as a power cut or an impatient person does."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(what: str, true: Any, timeout: float = 60) -> None:
    """Wait until ``true()``; the time-out is there to fail a hung test, not to judge speed."""
    deadline = time.monotonic() + timeout
    while not true():
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.05)


def sheet(path: Path, prompts: Sequence[str], header: str = "sku,prompt") -> Path:
    lines = [header, *(f'K{n:03d},"{p}"' for n, p in enumerate(prompts, 1))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
