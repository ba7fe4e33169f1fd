"""Verbs run in this process, as the terminal would run them."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from desktop_app.__main__ import main
from tests.e2e.program import KEY, Done


@dataclass
class Verbs:
    """One data folder and what the terminal shows."""

    data: Path
    capsys: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch

    def run(self, *args: str | Path, stdin: str = "") -> Done:
        self.patch.setattr("sys.stdin", io.StringIO(stdin))
        self.capsys.readouterr()
        try:
            code = main(["--data-dir", str(self.data), *map(str, args)])
        except SystemExit as left:
            code = int(left.code or 0)
        said = self.capsys.readouterr()
        return Done(int(code), said.out, said.err)

    def refused(self, *args: str | Path) -> str:
        """One sentence on stderr, the same as JSON on stdout, and 2."""
        done = self.run("--json", *args)
        assert done.code == 2, done.err
        assert "Traceback" not in done.err
        said: Any = json.loads(done.out)["error"]
        assert said in done.err
        return str(said)

    def connect(self, base_url: str, *args: str) -> None:
        done = self.run(
            "connection", "add", "shop", "--adapter", "openai-images", "--base-url", base_url,
            "--model", "practice", "--proxy", "none", *args,
        )  # fmt: skip
        assert done.code == 0, done.err


@pytest.fixture
def verbs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Verbs:
    monkeypatch.setenv("BATCHWRIGHT_KEY_SHOP", KEY)
    return Verbs(tmp_path / "data", capsys, monkeypatch)
