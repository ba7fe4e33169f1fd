"""Anthropic and Google as a server of somebody else's speaks them: under limits, errors and streams
that break off at random, every row comes home."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.program import Program, sheet
from tests.real.test_llmock import RETRIES, Mock, echoes, mock, prompts, results

__all__ = ["mock"]  # the fixture

pytestmark = pytest.mark.long
ROWS = 300


@pytest.mark.parametrize(
    ("adapter", "path", "model"),
    [
        ("anthropic-messages", "anthropic", "claude-sonnet-4-6"),
        ("gemini", "gemini", "gemini-2.5-pro"),
    ],
)
def test_every_row_comes_home(
    mock: Mock, tmp_path: Path, adapter: str, path: str, model: str
) -> None:
    program = Program(tmp_path / "data", {"BATCHWRIGHT_KEY_MOCK": "sk-test"})
    source = sheet(tmp_path / "shoes.csv", prompts(ROWS))
    added = program.run(
        "connection", "add", "mock", "--adapter", adapter, "--model", model,
        "--base-url", f"http://127.0.0.1:{mock.port}/{path}", "--proxy", "none",
        "--retries", str(RETRIES),
    )  # fmt: skip
    assert added.code == 0, added.err
    out = tmp_path / "out"
    done = program.run("--json", "run", source, "--connection", "mock", "--out", out, timeout=600)
    assert done.code == 0, done.err
    assert done.json["success"] == ROWS
    assert results(out) == echoes(ROWS)
    mock.check(ROWS, done.json["attempts"])
