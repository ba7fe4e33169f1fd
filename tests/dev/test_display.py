"""Whether a window can be shown is known before Qt is downloaded, and never by aborting."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from types import ModuleType

import pytest

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 and Wayland sockets")


@linux
def test_no_display_and_a_dead_one(dev: ModuleType) -> None:
    assert dev.display_trouble({}) == "there is no display"
    dead = dev.display_trouble({"DISPLAY": ":4095"})
    assert dead == "nothing answers at the display :4095"
    assert dev.display_trouble({"DISPLAY": "nonsense"}) is not None
    assert dev.display_trouble({"WAYLAND_DISPLAY": "gone", "XDG_RUNTIME_DIR": "/nowhere"})


@linux
def test_a_display_that_answers(dev: ModuleType, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as wayland:
        wayland.bind(str(tmp_path / "wayland-9"))
        wayland.listen()
        environ = {"WAYLAND_DISPLAY": "wayland-9", "XDG_RUNTIME_DIR": str(tmp_path)}
        assert dev.display_trouble(environ) is None
        assert dev.display_trouble({**environ, "DISPLAY": ":4095"}) is None
    with socket.socket(socket.AF_UNIX) as x11:
        number = 5000 + os.getpid()  # the name is the whole system's, in any folder
        x11.bind(f"\0/tmp/.X11-unix/X{number}")
        x11.listen()
        assert dev.display_trouble({"DISPLAY": f":{number}"}) is None
        assert dev.display_trouble({"DISPLAY": f"unix/:{number}.0"}) is None


@linux
def test_a_display_over_the_network(dev: ModuleType) -> None:
    with socket.socket(socket.AF_INET) as x11:
        x11.bind(("127.0.0.1", 0))
        x11.listen()
        number = x11.getsockname()[1] - 6000
        assert dev.display_trouble({"DISPLAY": f"localhost:{number}.0"}) is None


def test_an_offscreen_platform_shows_no_window(dev: ModuleType) -> None:
    assert "offscreen" in dev.display_trouble({"QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":0"})


def _child(tmp_path: Path, body: str) -> Path:
    """An interpreter of our own making, which runs ``body`` instead of what it is given."""
    script = tmp_path / "python"
    script.write_text(f"#!{sys.executable}\n{body}\n", encoding="utf-8")
    script.chmod(0o755)
    return script


@linux
def test_qt_that_aborts_is_a_reason_not_a_crash(dev: ModuleType, tmp_path: Path) -> None:
    aborting = _child(
        tmp_path,
        "import os, sys\n"
        "print('qt.qpa.xcb: could not connect to display :9', file=sys.stderr, flush=True)\n"
        "os.abort()",
    )
    assert dev.qt_trouble(aborting) == "qt.qpa.xcb: could not connect to display :9"
    missing = _child(tmp_path, "raise ImportError('libEGL.so.1: cannot open shared object file')")
    assert dev.qt_trouble(missing) == "ImportError: libEGL.so.1: cannot open shared object file"
    silent = _child(tmp_path, "raise SystemExit(7)")
    assert dev.qt_trouble(silent) == "Qt ended with 7"
    assert dev.qt_trouble(_child(tmp_path, "print('xcb')")) is None


def test_without_a_display_nothing_of_qt_is_installed(
    dev: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "display_trouble", lambda: "there is no display")
    venv = dev.Venv(checkout)
    monkeypatch.setattr(venv, "ensure", lambda level: pytest.fail("installed something"))
    assert dev.window_trouble(venv) == "there is no display"


def test_a_window_that_cannot_be_installed_falls_back(
    dev: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(level: object) -> None:
        raise dev.SetupTrouble("no wheel for this system")

    monkeypatch.setattr(dev, "display_trouble", lambda: None)
    venv = dev.Venv(checkout)
    monkeypatch.setattr(venv, "ensure", refuse)
    assert dev.window_trouble(venv) == "no wheel for this system"
