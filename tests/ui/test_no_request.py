"""A start asks nobody anything: no look for updates, no call to a provider, no host looked up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import argparse, asyncio, sys
from pathlib import Path
from desktop_app import app
from desktop_app.domain.connection import Connection
from desktop_app.settings import project
from desktop_app.wiring import HouseOptions, open_house

folder = Path(sys.argv[1])
WIRED = Connection("shop", "openai-images", "https://provider.example/v1", "m", proxy="none")

async def prepare():
    async with open_house(HouseOptions(data_dir=folder)) as house:
        await house.services.connections.save(WIRED)

asyncio.run(prepare())

def hear(event, args):
    if event == "socket.getaddrinfo" or event == "socket.gethostbyname":
        print("asked for", args[0], flush=True)
    if event in ("socket.connect", "socket.sendto") and isinstance(args[1], tuple):
        print(event, args[1], flush=True)

class Window(app.MainWindow):
    def __init__(self, context):
        super().__init__(context)
        context.spawn(self.leave())

    async def leave(self):
        while not (self.watch.links and "detail" in vars(self)):  # all is made that comes late
            await asyncio.sleep(0.01)
        if sys.argv[2:]:
            project.releases_address = lambda _resources: sys.argv[2]
            self.actions_["updates"].trigger()
            from desktop_app.ui.dialogs.updates import UpdatesDialog

            dialog = self.findChild(UpdatesDialog)
            while not dialog.notice.text:
                await asyncio.sleep(0.01)
            dialog.reject()
        await asyncio.sleep(0.3)  # what would leave by itself has had its time
        self.close()

app.MainWindow = Window
sys.addaudithook(hear)
args = argparse.Namespace(data_dir=str(folder), language="en", demo=False)
sys.exit(app.run_window(args))
"""


def start(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder / "data"), *words],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_no_request_leaves_at_a_start(tmp_path: Path) -> None:
    done = start(tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_the_menu_asks_the_one_address_alone(tmp_path: Path) -> None:
    done = start(tmp_path, "http://127.0.0.1:9/latest")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["socket.connect ('127.0.0.1', 9)"]
