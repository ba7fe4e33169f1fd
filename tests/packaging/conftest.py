"""Tools that check what goes into packages; `dev.py test` adds them, or names what it could not."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable

import pytest

Checked = Callable[..., str]


@pytest.fixture
def checked() -> Checked:
    """Run a tool that must end well; what it said. The test is skipped where it is not here."""

    def run(tool: str, *args: object, cwd: object = None) -> str:
        found = shutil.which(tool)
        if found is None:
            pytest.skip(f"{tool} is not here")
        done = subprocess.run(
            [found, *map(str, args)],
            cwd=str(cwd) if cwd else None,
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
        return said

    return run
