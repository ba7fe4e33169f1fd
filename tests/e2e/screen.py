"""A display of its own, with a real pointer and real keys on it, and the program's window there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.program import ROOT, Program, kill_group, wait_for

DRAG_SOURCE = Path(__file__).with_name("drag_source.py")
CLIPBOARD_SOURCE = Path(__file__).with_name("clipboard_source.py")
SOURCE_AT = (1400, 60)  # right of the program's window, which opens at the left edge
DROP_AT = (700, 480)
QUIET = ("-nolisten", "tcp", "-noreset")
STEPS = 10  # the pointer must be seen on its way: one jump is no drag


@dataclass(frozen=True, slots=True)
class Screen:
    """An X display without a window manager."""

    name: str

    @property
    def env(self) -> Mapping[str, str]:
        return {"DISPLAY": self.name, "QT_QPA_PLATFORM": "xcb"}

    def xdotool(self, *args: object, check: bool = True) -> str:
        done = subprocess.run(
            ["xdotool", *map(str, args)],
            env={**os.environ, "DISPLAY": self.name},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def windows(self, pid: int, title: str = ".*") -> list[str]:
        """Visible windows of a process with such a title."""
        return self.xdotool(
            "search", "--all", "--onlyvisible", "--pid", pid, "--name", title, check=False
        ).split()

    def wait_for_window(self, pid: int, title: str = ".*") -> str:
        found: list[str] = []

        def is_seen() -> bool:
            found[:] = self.windows(pid, title)
            return bool(found)

        wait_for(f"a window {title}", is_seen)
        return found[-1]

    def press(self, window: str, *keys: str, check: bool = True) -> None:
        """Keys to a window; without a window manager it must be given the focus first."""
        self.xdotool("windowfocus", "--sync", window, "key", *keys, check=check)

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        self.xdotool("mousemove", *start, "sleep", 0.1, "mousedown", 1, "sleep", 0.2)
        for step in range(1, STEPS + 1):
            at = [a + (b - a) * step // STEPS for a, b in zip(start, end, strict=True)]
            self.xdotool("mousemove", *at, "sleep", 0.05)
        self.xdotool("sleep", 0.3, "mouseup", 1)

    @contextmanager
    def dropped(self, *files: Path) -> Iterator[None]:
        """Drag files from another program onto the window; that program, which still has to hand
        over what was dragged, ends with the block."""
        source = subprocess.Popen(
            [sys.executable, str(DRAG_SOURCE), *map(str, SOURCE_AT), *map(str, files)],
            env={**os.environ, **self.env},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert source.stdout is not None
        try:
            assert source.stdout.readline() == "ready\n"
            self.drag((SOURCE_AT[0] + 60, SOURCE_AT[1] + 60), DROP_AT)
            assert source.stdout.readline() == "CopyAction\n"
            yield
        finally:
            kill_group(source)
            source.stdout.close()

    @contextmanager
    def copied(self, text: str) -> Iterator[None]:
        """Another program holds the clipboard with this text until the block ends."""
        source = subprocess.Popen(
            [sys.executable, str(CLIPBOARD_SOURCE), text],
            env={**os.environ, **self.env},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert source.stdout is not None
        try:
            assert source.stdout.readline() == "ready\n"
            yield
        finally:
            kill_group(source)
            source.stdout.close()


@contextmanager
def display() -> Iterator[Screen]:
    """Start Xvfb on a free display number. It stays as it is while nobody is on it: one that starts
    anew when the last program leaves turns the next one away meanwhile."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x900x24", *QUIET],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as told:
            yield Screen(f":{int(told.readline())}")
    finally:
        server.terminate()
        server.wait(10)


@contextmanager
def window(program: Program, *args: str) -> Iterator[subprocess.Popen[str]]:
    """The program without a verb; killed at the end of the block at the latest."""
    process = subprocess.Popen(
        program.argv(*args),
        cwd=ROOT,
        env={**os.environ, **program.env},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        kill_group(process)
        process.communicate()
