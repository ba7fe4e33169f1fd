"""A slower disk than this one, as far as syncs go: a shim that is compiled where a bench runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_SOURCE = Path(__file__).with_suffix(".c")


class NoShim(Exception):
    """Why syncs can't be slowed here."""


def slowed(sync_us: int, folder: Path) -> Mapping[str, str]:
    """The environment of a process whose every fsync and fdatasync lasts ``sync_us`` at least. The
    shim is made in ``folder``. Raises NoShim."""
    if sys.platform != "linux":
        raise NoShim("the shim is for Linux")
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        raise NoShim("there is no C compiler")
    shim = folder / "slow_sync.so"
    made = subprocess.run(
        [compiler, "-O2", "-shared", "-fPIC", "-o", str(shim), str(_SOURCE), "-ldl"],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        raise NoShim(f"the C compiler said: {made.stderr.strip()[-200:]}")
    return {**os.environ, "LD_PRELOAD": str(shim), "SLOW_SYNC_US": str(sync_us)}
