"""Tools that check what goes into packages; `dev.py test` adds them, or names what it could not."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from importlib.metadata import distributions

import parts
import pytest
import wheels
from places import PACKAGING

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


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="session")
def shipped() -> list[parts.Part]:
    """The packages that go into a bundle, as they are installed here."""
    lock = (PACKAGING / "lock" / wheels.LOCK).read_text(encoding="utf-8")
    locked = {_plain(name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
    here = [one for one in distributions() if _plain(one.metadata["Name"]) in locked]
    return parts.of_packages(here)
