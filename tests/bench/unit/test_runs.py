"""What the program logged beyond the usual is told beside a bench's figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench._runs import tell_trouble


def test_warnings_and_errors_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ("t WARNING engine: slow", "t ERROR engine: broke")
    (tmp_path / "a.log").write_text("\n".join(["t INFO engine: fine", *told, "  a stack"]))
    tell_trouble(tmp_path)
    assert capsys.readouterr().err.splitlines() == list(told)
    tell_trouble(tmp_path / "none")
    assert capsys.readouterr().err == ""
