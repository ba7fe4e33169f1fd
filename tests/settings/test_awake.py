"""The computer is kept awake by a child that cannot outlive the program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from desktop_app.settings import awake
from desktop_app.settings.awake import SystemAwake, inhibitor

# Touches a file for as long as it runs, as an inhibitor would hold its lock.
STAND_IN = """
import sys
from pathlib import Path
mark = Path(sys.argv[1])
mark.touch()
sys.stdin.read()
mark.unlink()
"""

PROGRAM = """
import sys
from desktop_app.settings.awake import SystemAwake
awake = SystemAwake(sys.argv[1:])
awake.hold()
print(awake._child.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no child there")
def test_held_once_and_released_once(tmp_path: Path) -> None:
    kept = SystemAwake([sys.executable, "-c", "import sys; sys.stdin.read()"])
    kept.hold()
    child = kept._child
    kept.hold()
    assert child is not None
    assert kept._child is child
    assert child.poll() is None
    kept.release()
    kept.release()
    assert child.returncode is not None


@pytest.mark.skipif(sys.platform == "win32", reason="no child there")
def test_a_system_that_cannot_be_asked_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(awake, "inhibitor", lambda: None)
    kept = SystemAwake()
    kept.hold()
    kept.release()
    gone = SystemAwake(["/nowhere/systemd-inhibit"])
    gone.hold()
    gone.release()
    refused = SystemAwake([sys.executable, "-c", "raise SystemExit(1)"])
    refused.hold()
    refused.release()


@pytest.mark.skipif(sys.platform == "win32", reason="no child there")
def test_a_killed_program_leaves_no_inhibitor_behind(tmp_path: Path) -> None:
    mark = tmp_path / "held"
    inhibit = [sys.executable, "-c", STAND_IN, str(mark)]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *inhibit], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        inhibitor_pid = int(program.stdout.readline())
        _until(mark.exists)
        program.kill()
        program.wait()
    _until(lambda: not mark.exists())
    assert inhibitor_pid > 0


def _until(true: object) -> None:
    import time

    deadline = time.monotonic() + 60
    while not true():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_commands_by_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda tool: f"/bin/{tool}")
    linux = inhibitor("linux")
    assert linux is not None
    assert linux[0] == "/bin/systemd-inhibit"
    assert "--what=idle:sleep" in linux
    assert linux[-1] == "cat"
    mac = inhibitor("darwin")
    assert mac is not None
    assert mac[:2] == ["/bin/caffeinate", "-i"]
    monkeypatch.setattr("shutil.which", lambda _tool: None)
    assert inhibitor("linux") is None
