"""Looking whether a folder is worked on is in nobody's way."""

from __future__ import annotations

import threading
from pathlib import Path

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
