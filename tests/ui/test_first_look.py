"""The window comes up once and whole; what happens before that, or just then, is not lost."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app.ui import first_look
from desktop_app.ui.first_look import FirstLook
from desktop_app.ui.main_window import MainWindow
from tests.ui.conftest import Run, Stage
from tests.ui.fakes import make_row

Build = Callable[..., Stage]


@pytest.mark.parametrize("rows", [0, 3])
def test_the_window_is_shown_with_all_that_is_seen_first(
    stage: Build, run: Run, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(first_look, "WHOLE_S", 30.0)

    async def go() -> None:
        built = stage(rows=[make_row(pk) for pk in range(1, rows + 1)])
        if not rows:
            built.fakes.queries.batch_list.clear()
        window = built.window = MainWindow(built.context)
        look = FirstLook(window, window.watch, window.progress.model)
        await look.whole()
        assert not window.isVisible()
        assert window.watch.links
        assert window.sidebar.connections.count() == len(window.watch.links)
        assert (window.progress.model.row_at(0) is not None) == bool(rows)
        shown = window.tabs if rows else window.first_start
        assert window.pages.currentWidget() is shown
        await look.seen()
        assert window.isVisible()

    run(go())


def test_a_slow_disk_keeps_the_window_from_nobody(
    stage: Build, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_look, "WHOLE_S", 0.01)

    async def go() -> None:
        built = stage(rows=[make_row(1)])
        never = asyncio.Event()
        monkeypatch.setattr(built.fakes.queries, "batches", never.wait)
        window = built.window = MainWindow(built.context)
        look = FirstLook(window, window.watch, window.progress.model)
        await look.whole()
        await look.seen()
        assert window.isVisible()

    run(go())


PROGRAM = """
import argparse, os, signal, sys
from desktop_app.app import run_window
from desktop_app import app

class Window(app.MainWindow):
    def __init__(self, context):
        super().__init__(context)
        context.signals.request_import.disconnect()
        context.signals.request_import.connect(self.asked)
        {at_birth}

    def showEvent(self, event):
        super().showEvent(event)
        print("shown", flush=True)
        {at_show}

    def asked(self, files):
        print("asked", *files, flush=True)
        self.close()

app.MainWindow = Window
args = argparse.Namespace(data_dir=sys.argv[1], language="en", demo=False, files=sys.argv[2:])
sys.exit(run_window(args))
"""


def _run(
    folder: Path, *files: str, at_birth: str = "pass", at_show: str = "pass"
) -> tuple[int, str]:
    """(Exit code, what was said.)"""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            PROGRAM.format(at_birth=at_birth, at_show=at_show),
            str(folder / "data"),
            *files,
        ],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout.replace("\n", " ").strip()


def test_sheets_that_the_start_was_given_wait_for_the_window(tmp_path: Path) -> None:
    assert _run(tmp_path, "/x/a.csv", "/x/b.csv") == (0, "shown asked /x/a.csv /x/b.csv")


def test_a_file_that_the_system_opens_before_there_is_a_window_waits_for_it(tmp_path: Path) -> None:
    opened = (
        "from PySide6.QtGui import QFileOpenEvent; from PySide6.QtWidgets import QApplication; "
        "QApplication.sendEvent(QApplication.instance(), QFileOpenEvent('/x/c.csv'))"
    )
    assert _run(tmp_path, at_birth=opened) == (0, "shown asked /x/c.csv")


def test_a_signal_before_the_window_is_shown_shows_none(tmp_path: Path) -> None:
    # The handlers are there once the loop turns again.
    ended = (
        "from PySide6.QtCore import QTimer; "
        "QTimer.singleShot(0, lambda: os.kill(os.getpid(), signal.SIGTERM))"
    )
    assert _run(tmp_path, at_birth=ended) == (143, "")


def test_a_window_that_is_closed_at_once_closes_cleanly(tmp_path: Path) -> None:
    closed = "from PySide6.QtCore import QTimer; QTimer.singleShot(0, self.close)"
    assert _run(tmp_path, at_show=closed) == (0, "shown")
