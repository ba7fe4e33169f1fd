"""One engine a data folder, whatever happens to its process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from desktop_app.domain.text import OperatorError
from desktop_app.settings.instance_lock import InstanceLock

HOLDER = """
import sys
from pathlib import Path
from desktop_app.settings.instance_lock import InstanceLock
lock = InstanceLock(Path(sys.argv[1]))
print(lock.acquire(), flush=True)
sys.stdin.read()
"""


def test_s17_a_second_holder_is_refused(tmp_path: Path) -> None:
    first, second = InstanceLock(tmp_path / "lock"), InstanceLock(tmp_path / "lock")
    assert first.acquire()
    assert first.acquire()  # asking again is no conflict with oneself
    assert not second.acquire()
    first.release()
    assert second.acquire()
    second.release()


def test_s17_another_process_holds_it_until_it_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"True"
        mine = InstanceLock(path)
        assert not mine.acquire()
        assert mine.holder() == holder.pid
        holder.kill()
        holder.wait()
    assert mine.acquire()
    mine.release()


def test_a_folder_that_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(OperatorError) as caught:
        InstanceLock(tmp_path / "gone" / "lock").acquire()
    assert caught.value.message.code == "settings.folder_unusable"


@pytest.mark.skipif(sys.platform == "win32", reason="flock")
def test_a_drive_without_locks_is_said_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    def unsupported(_handle: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", unsupported)
    with pytest.raises(OperatorError) as caught:
        InstanceLock(tmp_path / "lock").acquire()
    assert caught.value.message.code == "settings.folder_no_locks"
