"""A program can be frozen at any moment, also while it starts another one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.bench._kill import _frozen, _states

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

# The child opens a pipe that nobody writes to before it becomes another program, and its parent
# waits for that.
STARTING = """
import os, sys
os.posix_spawn("/bin/true", ["true"], {}, file_actions=[
    (os.POSIX_SPAWN_OPEN, 0, sys.argv[1], os.O_RDONLY, 0)])
"""


def test_a_program_is_frozen_also_while_it_starts_another_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", STARTING, str(pipe)]
    with subprocess.Popen(command, start_new_session=True) as program:
        try:
            while "D" not in _states(program.pid):
                assert program.poll() is None
                time.sleep(0.01)
            with _frozen(program.pid):
                assert set(_states(program.pid)) == {"T"}
        finally:
            os.killpg(program.pid, signal.SIGKILL)
