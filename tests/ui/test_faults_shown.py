"""A fault that nobody expected is told, and the window outlives it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import argparse, asyncio, sys
from desktop_app import app
from desktop_app.ui.grid.view import GridView

faults = 0

class Window(app.MainWindow):
    def __init__(self, context):
        super().__init__(context)
        context.signals.trouble.connect(lambda said: print(said.code, said.values, flush=True))
        context.spawn(self.look())

    async def look(self):
        while faults < 3:
            self.pages.setCurrentWidget(self.tabs)
            self.progress.view.viewport().update()
            await asyncio.sleep(0.01)
        self.close()

def paint(view, painter):
    global faults
    faults += 1
    raise RuntimeError("a fault in painting sk-1234567890")

app.MainWindow = Window
GridView._paint_empty = paint
args = argparse.Namespace(data_dir=sys.argv[1], language="en", demo=False)
code = app.run_window(args)
print("ended", code)
"""


def test_a_fault_in_painting_is_told_and_takes_nothing_down(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "data")],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.split("\n")
    assert said[0] == "services.unexpected {'what': 'RuntimeError'}"
    assert "ended 0" in said
    assert "QBackingStore" not in done.stderr
    assert "QPaintDevice" not in done.stderr


def test_every_painter_is_ended_by_a_fault_as_well() -> None:
    folder = Path(__file__).resolve().parents[2] / "desktop_app" / "ui"
    bare = re.compile(r"=\s*QPainter\(")
    found = [file.name for file in folder.rglob("*.py") if bare.search(file.read_text("utf-8"))]
    assert found == []
