"""`.venv` is made whole or made anew, and nothing is ever installed outside of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest


def _stamped(dev: ModuleType, checkout: Path, level: str) -> object:
    venv = dev.Venv(checkout)
    venv.python.parent.mkdir(parents=True)
    venv.python.touch()
    venv.stamp.write_text(venv.stamp_text(dev.Level[level]), encoding="utf-8")
    return venv


def test_a_stamp_counts_for_its_level_and_the_ones_below(dev: ModuleType, checkout: Path) -> None:
    venv = _stamped(dev, checkout, "WINDOW")
    assert venv.level() is dev.Level.WINDOW
    venv.ensure(dev.Level.CORE)  # would fail at once if it had anything to do
    venv.ensure(dev.Level.WINDOW)


def test_another_lock_another_place_no_python_no_stamp(
    dev: ModuleType, checkout: Path, tmp_path: Path
) -> None:
    venv = _stamped(dev, checkout, "CORE")
    lock = venv.lock(dev.Level.CORE)
    text = lock.read_bytes()
    lock.write_bytes(text.replace(b"\n", b"\r\n"))
    assert venv.level() is dev.Level.CORE  # a checkout with Windows line ends locks the same
    lock.write_bytes(text + b"more==1\n")
    assert venv.level() is None
    lock.write_bytes(text)
    moved = checkout.rename(tmp_path / "moved")
    assert dev.Venv(moved).level() is None
    moved.rename(checkout)
    assert venv.level() is dev.Level.CORE
    venv.python.unlink()
    assert venv.level() is None
    venv.python.touch()
    venv.stamp.write_text("garbage", encoding="utf-8")
    assert venv.level() is None
    venv.stamp.unlink()
    assert venv.level() is None


def test_a_half_made_venv_is_built_anew_and_imports_the_checkout(
    dev: ModuleType, checkout: Path, tmp_path: Path
) -> None:
    venv = dev.Venv(checkout)
    (venv.home / "lib").mkdir(parents=True)
    (venv.home / "lib" / "leftover").touch()
    venv.ensure(dev.Level.CORE)
    assert venv.level() is dev.Level.CORE
    assert not (venv.home / "lib" / "leftover").exists()
    (checkout / "in_the_checkout.py").write_text("print('imported')")
    done = subprocess.run(
        [venv.python, "-m", "in_the_checkout"], cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout.split() == [b"imported"]
    before = venv.stamp.stat().st_mtime_ns
    venv.ensure(dev.Level.CORE)
    assert venv.stamp.stat().st_mtime_ns == before


def test_a_failed_install_leaves_no_stamp(
    dev: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = _stamped(dev, checkout, "CORE")
    monkeypatch.setattr(venv, "_pip", lambda: ["false"])
    with pytest.raises(dev.SetupTrouble, match=r"gui\.txt"):
        venv.ensure(dev.Level.WINDOW)
    assert venv.level() is None


def test_a_linked_venv_loses_the_link_only(dev: ModuleType, checkout: Path, tmp_path: Path) -> None:
    precious = tmp_path / "somebody's venv"
    precious.mkdir()
    (precious / "file").touch()
    venv = dev.Venv(checkout)
    venv.home.symlink_to(precious, target_is_directory=True)
    venv._wipe()
    assert not venv.home.exists()
    assert (precious / "file").exists()


def test_pip_keeps_the_persons_settings_but_stays_inside(dev: ModuleType) -> None:
    environ = {
        "PIP_INDEX_URL": "https://mirror.example/simple",
        "https_proxy": "http://proxy.example:3128",
        "PIP_CONFIG_FILE": "/home/li/pip.conf",
        "PIP_TARGET": "/usr/lib/python3",
        "PIP_USER": "1",
        "PYTHONPATH": "/somewhere",
    }
    kept = dev.pip_environment(environ)
    assert kept["PIP_INDEX_URL"] == environ["PIP_INDEX_URL"]
    assert kept["https_proxy"] == environ["https_proxy"]
    assert kept["PIP_CONFIG_FILE"] == environ["PIP_CONFIG_FILE"]
    assert kept["PIP_USER"] == "0"
    assert "PIP_TARGET" not in kept
    assert "PYTHONPATH" not in kept


def test_pip_is_run_in_venv_with_hashes_and_no_index_of_ours(
    dev: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = _stamped(dev, checkout, "CORE")
    commands: list[list[str]] = []

    def record(command: list[str], **_options: object) -> subprocess.CompletedProcess[bytes]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(dev.subprocess, "run", record)
    monkeypatch.setattr(dev, "succeeds", lambda command, timeout=60: True)
    venv._install(dev.Level.ALL)
    (command,) = commands
    assert command[:4] == [str(venv.python), "-I", "-m", "pip"]
    assert "--require-hashes" in command
    assert not [word for word in command if "index" in word or "find-links" in word]


def _lacking(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, *lacks: str) -> list[str]:
    """Record what is tried; commands that contain one of ``lacks`` fail."""
    tried: list[str] = []

    def succeeds(command: list[object], timeout: float = 60) -> bool:
        line = " ".join(map(str, command))
        tried.append(line)
        return not any(lack in line for lack in lacks)

    monkeypatch.setattr(dev, "succeeds", succeeds)
    return tried


def test_without_ensurepip_root_gets_it_from_apt(
    dev: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have = {"ensurepip": False}
    monkeypatch.setattr(
        dev,
        "succeeds",
        lambda command, timeout=60: have["ensurepip"] or "import ensurepip" not in command,
    )

    def install(packages: list[str]) -> bool:
        assert packages == ["python3-venv"]
        have["ensurepip"] = True
        return True

    monkeypatch.setattr(dev, "apt_prefix", list)
    monkeypatch.setattr(dev, "apt_install", install)
    dev.Venv(checkout)._create()
    assert have["ensurepip"]


def test_without_ensurepip_and_root_it_is_made_without_pip(
    dev: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "apt_prefix", lambda: None)
    tried = _lacking(dev, monkeypatch, "import ensurepip")
    dev.Venv(checkout)._create()
    assert "--without-pip" in tried[-1]


def test_then_pip_is_taken_from_the_base_interpreter(
    dev: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = dev.Venv(checkout)
    _lacking(dev, monkeypatch, f"{venv.python} -I -m pip --version")
    assert venv._pip() == [dev.base_python(), "-I", "-m", "pip", "--python", str(venv.python)]


def test_or_from_the_distributions_wheel(
    dev: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = dev.Venv(checkout)
    wheel = Path("/wheels/pip-23.0.1-py3-none-any.whl")
    monkeypatch.setattr(dev, "distribution_wheels", lambda _folder: [wheel])
    tried: list[str] = []

    def succeeds(command: list[object], timeout: float = 60) -> bool:
        tried.append(" ".join(map(str, command)))
        filled = any(str(wheel) in line for line in tried)
        return filled and str(command[0]) == str(venv.python)

    monkeypatch.setattr(dev, "succeeds", succeeds)
    assert venv._pip() == [str(venv.python), "-I", "-m", "pip"]


def test_or_a_person_is_told_the_line(
    dev: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "distribution_wheels", lambda _folder: [])
    monkeypatch.setattr(dev, "succeeds", lambda command, timeout=60: False)
    with pytest.raises(dev.SetupTrouble, match=r"apt-get install .* python3-venv"):
        dev.Venv(checkout)._pip()


SECOND = """
import importlib.util, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("dev", sys.argv[1])
dev = importlib.util.module_from_spec(spec)
sys.modules["dev"] = dev
spec.loader.exec_module(dev)
venv = dev.Venv(Path(sys.argv[2]))
venv._make = lambda level: print("made once more", flush=True)
venv.ensure(dev.Level.CORE)
print("goes on", flush=True)
"""


def test_a_second_setup_waits_for_the_first_and_goes_on(dev: ModuleType, checkout: Path) -> None:
    venv = dev.Venv(checkout)
    with dev.alone(checkout / "build" / "setup.lock", "nobody is here"):
        command = [sys.executable, "-c", SECOND, str(dev.__file__), str(checkout)]
        second = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert second.stdout is not None
        assert second.stdout.readline() == f"Waiting for another setup of {venv.home}\n"
        _stamped(dev, checkout, "CORE")
    out, _ = second.communicate(timeout=60)
    assert out == "goes on\n"


def test_a_setup_that_was_killed_keeps_nobody_waiting(
    dev: ModuleType, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = checkout / "build" / "setup.lock"
    held = SECOND.rpartition("venv = ")[0] + (
        "with dev.alone(Path(sys.argv[2]), ''):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", held, str(dev.__file__), str(path)]
    first = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None
    assert first.stdout.readline() == "held\n"
    first.kill()
    first.communicate()
    with dev.alone(path, "it waits"):
        pass
    assert "it waits" not in capsys.readouterr().out
