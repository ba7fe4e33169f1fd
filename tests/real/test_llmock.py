"""Three hundred rows against a server that limits, fails and breaks streams off at random, and
that says afterwards what it thinks of its client."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.program import Program, sheet
from tests.helpers.free_port import free_port
from tests.real.conftest import interpreter
from tests.real.environments import script

pytestmark = pytest.mark.long
REQUIREMENTS = ("llmock==0.2.2",)
ROWS = 300
RETRIES = 8
"""With three, a seventh of the calls failing, one run in ten would rightly give a row up."""

TROUBLE = (
    "--rpm", "240",  # fewer than the rows: calls come back at four a second
    "--response-style", "echo",  # each row's answer is known by its words
    "--error-rate", "500=0.08",
    "--error-rate", "503=0.02",
    "--stream-fault", "truncate=0.03",
    "--stream-fault", "disconnect=0.02",
    "--stream-fault", "malformed=0.01",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mock:
    port: int

    def asked(self, what: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{what}", timeout=30) as found:
            return json.load(found)

    def check(self, rows: int, attempts: int) -> None:
        """The server saw each row tried until the first good answer and never after it, and has
        nothing to say against the way it was tried."""
        verdict = self.asked("_llmock/verdict")
        seen = self.asked("_llmock/requests")["requests"]
        named = {seq for finding in verdict["findings"] for seq in finding["requests"]}
        told = [one for one in seen if one["fault"] or one["seq"] in named]
        said = json.dumps([verdict, told], indent=1)
        assert verdict["passed"], said
        assert verdict["errors"] == 0, said
        tried: dict[str, list[str | None]] = {}
        for one in seen:
            tried.setdefault(one["fingerprint"], []).append(one["fault"])
        assert len(tried) == rows, said
        for faults in tried.values():
            assert faults[-1] is None, said
            assert all(faults[:-1]), said
        # A garbled stream that was served to its end is no failure to the server: what tries it
        # again is another call.
        garbled = sum("malformed" in (one["fault"] or "") for one in seen)
        assert verdict["calls"] == rows + garbled, said
        assert verdict["attempts"] == attempts, said
        assert verdict["faults_injected"] == attempts - rows > 0, said


def prompts(rows: int) -> list[str]:
    """One for each row."""
    return [f"praise shoe number {n}" for n in range(rows)]


def results(out: Path) -> list[str]:
    """The texts that are there, sorted."""
    return sorted(file.read_text(encoding="utf-8").strip() for file in out.glob("*.txt"))


def echoes(rows: int) -> list[str]:
    """The texts that must be there, sorted."""
    return sorted(f"Hello! You said: {prompt}" for prompt in prompts(rows))


@pytest.fixture
def mock(tmp_path: Path) -> Iterator[Mock]:
    """The server with its troubles."""
    python = interpreter("llmock", REQUIREMENTS)
    served = Mock(free_port())
    command = [*script(python, "llmock"), "serve", "-p", str(served.port)]
    with (tmp_path / "llmock.log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--log-level", "warning", *TROUBLE], stdout=log, stderr=log
        )
        try:
            for _ in range(600):
                try:
                    served.asked("_llmock/verdict")
                    break
                except OSError:
                    time.sleep(0.1)
            yield served
        finally:
            process.terminate()
            process.wait(20)


def test_three_hundred_rows_come_home_and_the_server_is_content(mock: Mock, tmp_path: Path) -> None:
    program = Program(tmp_path / "data", {})
    source = sheet(tmp_path / "shoes.csv", prompts(ROWS))
    added = program.run(
        "connection", "add", "mock", "--adapter", "openai-chat", "--model", "gpt-4o-mini",
        "--base-url", f"http://127.0.0.1:{mock.port}/v1", "--proxy", "none",
        "--retries", str(RETRIES),
    )  # fmt: skip
    assert added.code == 0, added.err
    out = tmp_path / "out"
    done = program.run(
        "--json", "run", source, "--connection", "mock", "--out", out, "--param", "stream=true",
        timeout=1200,
    )  # fmt: skip
    assert done.code == 0, done.err
    status = done.json
    assert (status["imported"], status["success"]) == (ROWS, ROWS)
    assert sum(status[word] for word in ("failed", "dead", "uncertain", "pending")) == 0
    assert results(out) == echoes(ROWS)
    mock.check(ROWS, status["attempts"])
