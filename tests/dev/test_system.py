"""System packages: added where no password is asked, named in one line everywhere else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def apt_calls(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    calls: list[str] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[bytes]:
        assert options["stdin"] is subprocess.DEVNULL
        calls.append(" ".join(command))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(dev.subprocess, "run", run)
    monkeypatch.setattr(dev, "LINUX", True)
    monkeypatch.setattr(dev.shutil, "which", lambda tool: f"/usr/bin/{tool}")
    return calls


def test_root_updates_first_and_asks_nothing(
    dev: ModuleType, apt_calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev.os, "geteuid", lambda: 0, raising=False)
    assert dev.apt_install(["xvfb", "dbus"])
    update, install = apt_calls
    assert update.startswith("env DEBIAN_FRONTEND=noninteractive apt-get ")
    assert update.endswith(" update")
    assert "DPkg::Lock::Timeout=" in install
    assert install.endswith(" install -y --no-install-recommends xvfb dbus")


def test_sudo_is_used_only_where_it_asks_no_password(
    dev: ModuleType,
    apt_calls: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(dev.os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr(dev, "succeeds", lambda command, timeout=60: True)
    assert dev.apt_install(["xvfb"])
    assert all(line.startswith("sudo -n env ") for line in apt_calls)
    apt_calls.clear()
    monkeypatch.setattr(dev, "succeeds", lambda command, timeout=60: False)
    assert not dev.apt_install(["xvfb"])
    assert apt_calls == []
    said = capsys.readouterr().out
    assert "sudo apt-get install -y --no-install-recommends xvfb" in said


def test_a_system_without_apt_is_told_the_names(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "LINUX", True)
    monkeypatch.setattr(dev.shutil, "which", lambda tool: None)
    assert not dev.apt_install(["libegl1"])
    assert "libegl1" in capsys.readouterr().out


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="dlopen names")
def test_missing_libraries_are_found_by_loading_them(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = {"libc.so.6": "libc6", "libnowhere.so.9": "nowhere9", "libgone.so.1": "gone1"}
    monkeypatch.setattr(dev, "QT_LIBRARIES", libraries)
    assert dev.missing_qt_packages() == ["gone1", "nowhere9"]


def test_a_chinese_font_is_looked_for(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(dev, "LINUX", True)
    monkeypatch.setattr(dev, "FONT_FOLDERS", (tmp_path,))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "truetype").mkdir()
    (tmp_path / "truetype" / "DejaVuSans.ttf").touch()
    assert dev.missing_font() == ["fonts-wqy-microhei"]
    (tmp_path / "truetype" / "NotoSansCJK-Regular.ttc").touch()
    assert dev.missing_font() == []


def test_the_distributions_wheel_is_fetched_without_root(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(dev, "WHEEL_FOLDER", tmp_path / "none here")
    monkeypatch.setattr(dev.shutil, "which", lambda tool: f"/usr/bin/{tool}")

    def run(command: list[str], **_options: object) -> subprocess.CompletedProcess[bytes]:
        if "download" in command:
            (tmp_path / "python3-pip-whl_23.0.1_all.deb").touch()
        return subprocess.CompletedProcess(command, 0)

    def succeeds(command: list[object], timeout: float = 60) -> bool:
        assert command[0] == "dpkg-deb"
        folder = Path(str(command[-1])) / "usr/share/python-wheels"
        folder.mkdir(parents=True)
        (folder / "pip-23.0.1-py3-none-any.whl").touch()
        return True

    monkeypatch.setattr(dev.subprocess, "run", run)
    monkeypatch.setattr(dev, "succeeds", succeeds)
    (wheel,) = dev.distribution_wheels(tmp_path)
    assert wheel.name == "pip-23.0.1-py3-none-any.whl"
