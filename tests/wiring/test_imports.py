"""What a start imports is what the first row on the screen waits for."""

from __future__ import annotations

import subprocess
import sys

import pytest

LATER = ("openpyxl", "httpx", "rich", "uvicorn", "starlette")


@pytest.mark.parametrize("module", LATER)
def test_a_start_imports_nothing_that_is_used_later(module: str) -> None:
    code = f"import sys, desktop_app.wiring; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
