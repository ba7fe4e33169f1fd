"""What each system does otherwise, on a system that is said to be that one."""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from desktop_app.settings import awake, boot, instance_lock, language, memory
from desktop_app.settings.awake import SystemAwake
from desktop_app.settings.instance_lock import InstanceLock

On = Callable[[ModuleType, str], None]


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> On:
    """``on(module, "win32")``: what the module takes this system for."""

    def be(module: ModuleType, platform: str) -> None:
        monkeypatch.setattr(module, "sys", SimpleNamespace(platform=platform))

    return be


@pytest.fixture
def kernel32(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Windows' library, empty."""
    library = SimpleNamespace()
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=library), raising=False)
    return library


# --- awake -------------------------------------------------------------------------------------


def test_windows_is_kept_awake_by_a_state(on: On, kernel32: SimpleNamespace) -> None:
    states: list[int] = []
    kernel32.SetThreadExecutionState = states.append
    on(awake, "win32")
    kept = SystemAwake(["never", "started"])
    for act in (kept.release, kept.hold, kept.hold, kept.release, kept.release):
        act()
    # ES_CONTINUOUS | ES_SYSTEM_REQUIRED, then ES_CONTINUOUS alone.
    assert states == [0x80000001, 0x80000000]


def test_macos_is_kept_awake_by_a_child_and_told_of_the_activity(on: On) -> None:
    told: list[str] = []
    activity: Any = SimpleNamespace(begin=told.append, end=lambda: told.append("over"))
    on(awake, "darwin")
    kept = SystemAwake([sys.executable, "-c", "import sys; sys.stdin.read()"], activity)
    for act in (kept.release, kept.hold, kept.hold, kept.release, kept.release):
        act()
    assert told == ["Requests are running", "over"]


@pytest.mark.skipif(sys.platform == "darwin", reason="has the library")
def test_a_macos_that_can_not_be_told_is_kept_awake_all_the_same(
    on: On, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    on(awake, "darwin")
    kept = SystemAwake([sys.executable, "-c", "import sys; sys.stdin.read()"])
    kept.hold()
    assert kept._child is not None
    assert kept._child.poll() is None
    kept.release()
    assert "can't be told what runs: OSError" in caplog.text


# --- the start of the machine ------------------------------------------------------------------


def test_windows_tells_its_start_by_the_clock(
    on: On, kernel32: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_800_000_000.0]

    class Ticks:
        restype: object = None

        def __call__(self) -> int:
            return int((now[0] - 1_799_990_000.0) * 1000)

    kernel32.GetTickCount64 = Ticks()
    monkeypatch.setattr(boot, "time", SimpleNamespace(time=lambda: now[0]))
    on(boot, "win32")
    first = boot.boot_id()
    assert first is not None
    now[0] += 86_400 * 30
    assert boot.boot_id() == first
    assert kernel32.GetTickCount64.restype is ctypes.c_ulonglong


def test_macos_is_asked_for_its_session(on: On, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def run(command: tuple[str, ...], **_: object) -> SimpleNamespace:
        asked.append(command)
        if len(asked) > 1:
            raise subprocess.TimeoutExpired("sysctl", 5)
        return SimpleNamespace(stdout="4F1A\n")

    monkeypatch.setattr(subprocess, "run", run)
    on(boot, "darwin")
    assert boot.boot_id() == "4F1A"
    assert asked == [("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid")]
    assert boot.boot_id() is None


def test_elsewhere_the_start_is_not_known(on: On) -> None:
    on(boot, "freebsd14")
    assert boot.boot_id() is None


# --- the language ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "spoken"),
    [(0x0804, "zh"), (0x0404, "zh"), (0x1004, "zh"), (0x0409, ""), (0x0411, "")],
)
def test_windows_says_its_language_by_number(
    on: On, kernel32: SimpleNamespace, number: int, spoken: str
) -> None:
    kernel32.GetUserDefaultUILanguage = lambda: number
    on(language, "win32")
    assert language.system_locale({}) == spoken
    assert language.system_locale({"LANG": "en_GB.UTF-8"}) == "en_GB.UTF-8"


def test_macos_says_its_language_by_a_setting(on: On, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Any] = [SimpleNamespace(stdout="zh-Hans_CN\n"), FileNotFoundError()]

    def run(*_: object, **__: object) -> SimpleNamespace:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[no-any-return]

    monkeypatch.setattr(subprocess, "run", run)
    on(language, "darwin")
    assert language.pick(None, language.system_locale({})) == "zh_CN"
    assert language.system_locale({}) == ""


# --- the lock ----------------------------------------------------------------------------------


class FakeMsvcrt(ModuleType):
    """Windows' byte locks: each holds one byte at the place where the file stands, and whoever
    closes the file lets go."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.locks: dict[tuple[int, int], int] = {}
        self.trouble: OSError | None = None

    def locking(self, handle: int, mode: int, count: int) -> None:
        assert (mode, count) == (self.LK_NBLCK, 1)
        if self.trouble is not None:
            raise self.trouble
        key = os.fstat(handle).st_ino, os.lseek(handle, 0, os.SEEK_CUR)
        holder = self.locks.get(key)
        if holder is not None and holder != handle and _is_open(holder):
            raise OSError(errno.EACCES, "Permission denied")
        self.locks[key] = handle


def _is_open(handle: int) -> bool:
    try:
        os.fstat(handle)
    except OSError:
        return False
    return True


@pytest.fixture
def msvcrt(on: On, monkeypatch: pytest.MonkeyPatch) -> FakeMsvcrt:
    fake = FakeMsvcrt()
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    monkeypatch.setattr(instance_lock, "_APART_S", 0.0)
    on(instance_lock, "win32")
    return fake


def test_windows_locks_a_byte_far_behind_the_text(msvcrt: FakeMsvcrt, tmp_path: Path) -> None:
    path = tmp_path / "engine.lock"
    first, second = InstanceLock(path), InstanceLock(path)
    assert first.acquire()
    ((_, place),) = msvcrt.locks
    assert place >= 1 << 20
    assert path.read_text(encoding="ascii") == f"{os.getpid()}\n"
    assert second.is_held()
    assert not second.acquire()
    assert second.holder() == os.getpid()
    first.release()
    assert not second.is_held()
    assert second.acquire()
    second.release()


def test_a_drive_that_windows_can_not_lock_is_said(msvcrt: FakeMsvcrt, tmp_path: Path) -> None:
    from desktop_app.domain.text import OperatorError

    msvcrt.trouble = OSError(errno.EINVAL, "Invalid argument")
    with pytest.raises(OperatorError) as caught:
        InstanceLock(tmp_path / "engine.lock").acquire()
    assert caught.value.message.code == "settings.folder_no_locks"


# --- memory ------------------------------------------------------------------------------------


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_only_glibc_is_told_what_to_keep(
    on: On, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: pytest.fail("was asked"))
    on(memory, platform)
    memory.give_back_early()
