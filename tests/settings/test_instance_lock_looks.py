"""Looking whether a folder is worked on is in nobody's way."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from desktop_app.settings import instance_lock
from desktop_app.settings.instance_lock import InstanceLock


def test_looking_says_whether_it_is_held(tmp_path: Path) -> None:
    mine, looks = InstanceLock(tmp_path / "lock"), InstanceLock(tmp_path / "lock")
    assert not looks.is_held()
    assert not (tmp_path / "lock").exists()
    assert mine.acquire()
    assert looks.is_held()
    mine.release()
    assert not looks.is_held()
    assert mine.acquire()
    mine.release()


def test_who_wants_to_hold_it_is_not_refused_because_somebody_looks(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    end = threading.Event()

    def look() -> None:
        while not end.is_set():
            InstanceLock(path).is_held()

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for _ in range(50):
            mine = InstanceLock(path)
            assert mine.acquire()
            mine.release()
    finally:
        end.set()
        looking.join()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot tell a look from a hold")
def test_one_who_is_stopped_while_looking_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    path.touch()
    looks, looked = threading.Event(), threading.Event()
    unlocked = instance_lock.os.close

    def stopped(handle: int) -> None:
        if threading.current_thread() is looking:
            looks.set()
            looked.wait(60)
        unlocked(handle)

    monkeypatch.setattr(instance_lock.os, "close", stopped)
    looking = threading.Thread(target=InstanceLock(path).is_held)
    looking.start()
    assert looks.wait(60)
    tried = 0

    def sleep(_seconds: float) -> None:
        nonlocal tried
        tried += 1
        if tried == 3 * instance_lock._TRIES:
            looked.set()
            looking.join()

    monkeypatch.setattr(instance_lock.time, "sleep", sleep)
    mine = InstanceLock(path)
    assert mine.acquire()
    assert tried == 3 * instance_lock._TRIES
    mine.release()
