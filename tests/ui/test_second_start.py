"""A second start hands its sheets to the window that is open, in whatever state that one is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stops a process by a signal")

FIRST = """
import argparse, asyncio, json, sys
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication
from desktop_app import app
from desktop_app.ui.import_flow import ImportFlow

state = sys.argv[2]

def asked(flow, paths):
    window = flow._window
    shown = window.isVisible() and not window.isMinimized()
    print(json.dumps({"paths": paths, "shown": shown}), flush=True)

ImportFlow.import_files = asked

class Window(app.MainWindow):
    def __init__(self, context):
        super().__init__(context)
        context.spawn(self.ready())

    async def ready(self):
        while "detail" not in vars(self):  # what comes late is made: the engine runs by then
            await asyncio.sleep(0.01)
        if state == "asks":
            self.actions_["settings"].trigger()
        elif state == "minimized":
            self.showMinimized()
        elif state == "hidden":
            self.hide()
        elif state.startswith("/"):  # a file that macOS' dock is given
            self.showMinimized()
            QApplication.sendEvent(QApplication.instance(), QFileOpenEvent(state))
        print("ready", flush=True)

app.MainWindow = Window
args = argparse.Namespace(data_dir=sys.argv[1], language="en", demo=False)
sys.exit(app.run_window(args))
"""
SECOND = """
import sys
from desktop_app import app
from desktop_app.__main__ import main
from desktop_app.wiring import guest

if sys.argv[1] == "impatient":
    guest.HAND_OVER_S = 0.3
app.LEFT_S = 0.3

def refuse(options, said, code):
    print("refused", said.code, *said.values.values(), flush=True)
    return code

class Window(app.MainWindow):
    def __init__(self, context):
        super().__init__(context)
        context.signals.request_import.disconnect()
        context.signals.request_import.connect(self.asked)

    def asked(self, paths):
        print("asks itself about", *paths, flush=True)
        self.close()

app.refuse, app.MainWindow = refuse, Window
sys.exit(main(sys.argv[2:]))
"""
ENV = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}


@contextmanager
def first(
    data: Path, state: str = "", says: str = "ready"
) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """The program with its window open, and what it says it is asked."""
    command = [sys.executable, "-c", FIRST, str(data), state]
    with subprocess.Popen(command, env=ENV, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == says + "\n"
            yield process, process.stdout
        finally:
            process.send_signal(signal.SIGCONT)
            process.kill()


def second(
    data: Path, *words: str, cwd: Path | None = None, patience: str = "patient"
) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).resolve().parents[2])
    return subprocess.run(
        [sys.executable, "-c", SECOND, patience, "--data-dir", str(data), *words],
        env={**ENV, "PYTHONPATH": root},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("state", ["", "asks", "minimized", "hidden"])
def test_it_asks_and_comes_forward_whatever_it_does(tmp_path: Path, state: str) -> None:
    sheet = tmp_path / "春季 新品.csv"
    sheet.write_text("prompt\nred\n", encoding="utf-8")
    with first(tmp_path / "data", state) as (_, said):
        done = second(tmp_path / "data", str(sheet))
        assert done.returncode == 0, done.stderr
        assert done.stdout == ""
        assert json.loads(said.readline()) == {"paths": [str(sheet)], "shown": True}


def test_names_are_taken_from_the_second_starts_own_folder(tmp_path: Path) -> None:
    folder = tmp_path / "下载"
    folder.mkdir()
    names = [f"表 {n:03d}.csv" for n in range(500)]
    with first(tmp_path / "data") as (_, said):
        done = second(tmp_path / "data", *names, "../-b.xlsx", cwd=folder)
        assert done.returncode == 0, done.stderr
        paths = json.loads(said.readline())["paths"]
    assert paths[:500] == [str(folder / name) for name in names]
    assert [Path(path).resolve() for path in paths[500:]] == [tmp_path / "-b.xlsx"]


def test_one_that_hangs_is_told_and_no_second_window_works_on_its_list(tmp_path: Path) -> None:
    with first(tmp_path / "data") as (process, said):
        process.send_signal(signal.SIGSTOP)
        done = second(tmp_path / "data", "a.csv", patience="impatient")
        assert done.returncode == 5, done.stderr
        assert done.stdout == f"refused services.window_hangs {process.pid}\n"
        process.send_signal(signal.SIGCONT)
        # What it was not there for is not done behind the operator's back.
        again = second(tmp_path / "data", str(tmp_path / "b.csv"))
        assert again.returncode == 0, again.stderr
        assert json.loads(said.readline())["paths"] == [str(tmp_path / "b.csv")]


def test_after_one_that_was_killed_the_next_opens_its_own_window(tmp_path: Path) -> None:
    with first(tmp_path / "data") as (process, _):
        process.kill()
        process.wait()
        assert (tmp_path / "data" / "engine.lock").read_text() == f"{process.pid}\n"
        done = second(tmp_path / "data", str(tmp_path / "a.csv"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"asks itself about {tmp_path / 'a.csv'}\n"


def test_a_file_from_the_dock_brings_the_window_forward(tmp_path: Path) -> None:
    sheet = str(tmp_path / "春季.csv")
    asked = json.dumps({"paths": [sheet], "shown": True})
    with first(tmp_path / "data", sheet, says=asked) as (_, said):
        assert said.readline() == "ready\n"
