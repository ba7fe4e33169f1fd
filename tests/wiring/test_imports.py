"""What a start imports is what the first row on the screen waits for."""

from __future__ import annotations

import subprocess
import sys

import pytest

LATER = (
    "PIL",
    "charset_normalizer",
    "httpx",
    "importlib.metadata",
    "multiprocessing",
    "openpyxl",
    "python_calamine",
    "rich",
    "starlette",
    "tomllib",
    "uvicorn",
    "desktop_app.cli.main",
    "desktop_app.services.failure_sheets",
    "desktop_app.services.import_batch",
    "desktop_app.store.restore",
)


@pytest.mark.parametrize("module", LATER)
def test_a_start_imports_nothing_that_is_used_later(module: str) -> None:
    code = (
        "import sys, desktop_app.cli.parser, desktop_app.wiring; "
        f"sys.exit({module!r} in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
