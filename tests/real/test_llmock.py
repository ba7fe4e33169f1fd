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
from tests.real.conftest import free_port, interpreter
from tests.real.environments import script

pytestmark = pytest.mark.long
REQUIREMENTS = ("llmock==0.2.2",)
ROWS = 300
TROUBLE = (
    "--rpm", "600",
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
    source = sheet(tmp_path / "shoes.csv", [f"praise shoe number {n}" for n in range(ROWS)])
    added = program.run(
        "connection", "add", "mock", "--adapter", "openai-chat", "--model", "gpt-4o-mini",
        "--base-url", f"http://127.0.0.1:{mock.port}/v1", "--proxy", "none",
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
    texts = [file.read_text(encoding="utf-8") for file in out.glob("*_K*.*")]
    assert len(texts) == ROWS
    assert all(text.strip() for text in texts)

    verdict = mock.asked("_llmock/verdict")
    assert verdict["passed"], verdict
    assert verdict["errors"] == 0, verdict
    assert verdict["calls"] == ROWS
    assert verdict["attempts"] == status["attempts"]
    assert verdict["faults_injected"] > 0
