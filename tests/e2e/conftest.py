"""The program as the operator's computer has it: a data folder, a key in the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.program import KEY, Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """A fresh data folder; connections called ``shop`` have the practice server's key."""
    return Program(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
