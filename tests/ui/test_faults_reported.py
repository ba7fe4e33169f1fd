"""Whatever brings the window down or makes it stumble, the next start offers the report of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROMPT = "红色运动鞋"
PROGRAM = f"""
import argparse, asyncio, ctypes, sys, threading
from PySide6.QtCore import QTimer
from desktop_app import app

how = sys.argv[2]

def slot():
    raise RuntimeError("{PROMPT}")

async def task():
    raise LookupError("{PROMPT}")

class Window(app.MainWindow):
    def __init__(self, context):
        super().__init__(context)
        if how == "start":
            raise ArithmeticError("{PROMPT}")
        self.told = asyncio.Event()
        self.watch.told.connect(self.told.set)
        context.spawn(self.stumble())

    async def stumble(self):
        await self.told.wait()
        if how == "stumbles":
            QTimer.singleShot(0, slot)
            asyncio.get_running_loop().call_soon(slot)
            self.kept = asyncio.ensure_future(task())
            await asyncio.wait({{self.kept}})
            del self.kept
            threading.Thread(target=slot).start()
            while not any(each.key == "window:trouble" for each in self.banner.lines.all()):
                await asyncio.sleep(0.01)
        elif how == "native":
            ctypes.string_at(0)
        for banner in self.banner.lines.all():
            if banner.file:
                print(banner.said.code, banner.file, flush=True)
        self.close()

app.MainWindow = Window
args = argparse.Namespace(data_dir=sys.argv[1], language="en", demo=False)
app.refuse = lambda options, said, code: code
sys.exit(app.run_window(args))
"""


def start(folder: Path, how: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder / "data"), how],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("how", "code", "kinds"),
    [
        ("stumbles", "services.faulted", ("RuntimeError", "LookupError")),
        ("start", "services.crashed", ("ArithmeticError",)),
        ("native", "services.crashed", ("Fatal Python error",)),
    ],
)
def test_the_next_start_offers_one_report_once(
    tmp_path: Path, how: str, code: str, kinds: tuple[str, ...]
) -> None:
    done = start(tmp_path, how)
    assert (done.returncode == 0) is (how == "stumbles"), done.stderr
    offered = start(tmp_path, "offered")
    assert offered.returncode == 0, offered.stderr
    (line,) = offered.stdout.splitlines()
    told, _, file = line.partition(" ")
    assert told == code
    text = Path(file).read_text(encoding="utf-8")
    for kind in kinds:
        assert kind in text
    assert PROMPT not in text
    assert str(tmp_path) not in text
    assert [each.name for each in Path(file).parent.glob("report *")] == [Path(file).name]
    assert start(tmp_path, "quiet").stdout == ""
