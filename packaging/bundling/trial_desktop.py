"""What the trial asks of the program among others on a desktop: one window for all starts, sheets
opened by their icons, and an end that was none."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import login
import share
from ground import Ground
from installed import HOME, Installed
from places import NAME, ROOT

sys.path.insert(0, str(ROOT))  # the program, and its end-to-end tests' waiting
from desktop_app.domain.sheet_kinds import SHEET_SUFFIXES
from tests.e2e.program import wait_for

ENTRY = f"{NAME}.desktop"
OPENERS = ("xdg-utils", "shared-mime-info", "desktop-file-utils", "libglib2.0-bin")
NOT_OFFERED = {".txt"}  # few texts are lists of prompts
OTHER = "libreoffice-calc.desktop"
SHOW_REPORT_AT = (1176, 94)  # the banner's button, in a window 1280 wide
CRASHED_ROWS = 3
CRASHED = "Segmentation fault"
NO_DAY = (1e18,)  # seconds; no calendar reaches so far
FAULT = "an unexpected fault in the window"


class DesktopSteps:
    """Each returns what it found."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def second_start(self) -> str:
        """A second start brings the first window to the front, from behind another and from the
        task bar, and hands it its sheet."""
        ground = self._ground
        ground.root.apt(*login.STORE, *login.MANAGER)
        ground.no_python()
        sheet = ground.write_sheet("/再来 一张.csv", 3)
        with login.session(ground.root, ground.program().environ) as bus:
            program = ground.program(bus=bus)
            with login.manager(ground.root, program.environ), program.window() as first:
                self._come_forward(program, first.pid, sheet)
        return "came to the front with its sheet, and from the task bar; both starts ended with 0"

    def _come_forward(self, program: Installed, first: int, sheet: Path) -> None:
        screen = self._ground.screen
        main = screen.wait_for_window(first, "Batchwright")
        with self._ground.program(data=f"{HOME}/another").window() as another:
            screen.wait_for_window(another.pid, "Batchwright")
            wait_for("another window in front", lambda: self._in_front() == another.pid)
            program.run(str(sheet))
            wait_for("the first in front", lambda: self._in_front() == first)
            screen.wait_for_window(first, f"^Import {sheet.stem}")
            self._ground.picture("second-start")
        self._close_import(first)
        screen.xdotool("windowminimize", "--sync", main)
        wait_for("nothing in front", lambda: self._in_front() != first)
        program.run()
        wait_for("the first in front", lambda: self._in_front() == first)
        assert program.processes() == {first}

    def open_with(self) -> str:
        """A desktop opens sheets of all kinds with it, the first by starting it, the next by the
        window that is there."""
        ground = self._ground
        ground.root.apt(*OPENERS)
        ground.no_python()
        program = ground.program()
        kinds = {suffix: self._kind_of(program, suffix) for suffix in SHEET_SUFFIXES}
        for kind in (kinds[suffix] for suffix in kinds if suffix not in NOT_OFFERED):
            assert self._opener(program, kind) == share.OPENER, kind
        self._leave_to_others(program, kinds[".csv"])
        sheet = ground.write_sheet("/我的 表格/新品 上架 (1).csv", 3)
        other = ground.write_sheet("/我的 表格/second one.jsonl.csv", 3)
        program.beside("gio", "open", str(sheet))
        pid = self._wait_for_import(program, sheet)
        ground.picture("open-with")
        program.beside("gio", "launch", f"/usr/share/applications/{ENTRY}", str(other))
        wait_for("the second start to end", lambda: program.processes() == {pid})
        self._close_import(pid, but=other)
        assert self._wait_for_import(program, other) == pid
        os.kill(pid, signal.SIGTERM)
        wait_for("it to end", lambda: not program.processes())
        return (
            f"{len(set(kinds) - NOT_OFFERED)} kinds of sheets, none taken from another program; "
            f"{sheet} opened by its icon, {other.name} beside it"
        )

    def _kind_of(self, program: Installed, suffix: str) -> str:
        """What the desktop takes a file of that name for."""
        sheet = self._ground.write_sheet(f"/kinds/a{suffix}", 1)
        said = program.beside("gio", "info", "-a", "standard::content-type", str(sheet))
        return said.rpartition(" ")[2]

    def _opener(self, program: Installed, kind: str) -> str:
        return program.beside("xdg-mime", "query", "default", kind)

    def _leave_to_others(self, program: Installed, kind: str) -> None:
        """Whoever opens sheets goes on doing so, where nobody has chosen."""
        root = self._ground.root
        entry = root.inside(f"/usr/share/applications/{OTHER}")
        entry.write_text(
            f"[Desktop Entry]\nType=Application\nName=Other\nExec=true %F\nMimeType={kind};\n"
        )
        root.run("update-desktop-database")
        assert self._opener(program, kind) == OTHER
        entry.unlink()
        root.run("update-desktop-database")
        assert self._opener(program, kind) == share.OPENER

    def crash(self) -> str:
        """A native crash loses no row, and leaves where it was and nothing of the operator's; the
        next start offers to show it."""
        ground, screen = self._ground, self._ground.screen
        program = ground.program(data=f"{HOME}/crashed")
        sheet = str(ground.write_sheet("/crashed.csv", CRASHED_ROWS))
        program.run("run", sheet, "--practice", "--out", f"{HOME}/crashed-out", may_end=(0, 3))
        before = program.status()
        with program.window() as process:
            screen.wait_for_window(process.pid, "Batchwright")
            process.send_signal(signal.SIGSEGV)
            assert process.wait(30) == -signal.SIGSEGV
        shown = self._show_report(program, "crash")
        assert program.status() == before
        report = self._report("crashed", CRASHED)
        return f"{len(report.splitlines())} lines, shown by {shown}; all rows as before"

    def fault(self) -> str:
        """A fault that nobody expected, in a window drawn from a store that another hand has
        written into, is told of without what the operator works on; the program goes on."""
        ground, screen = self._ground, self._ground.screen
        program = ground.program(data=f"{HOME}/faulty")
        sheet = str(ground.write_sheet("/faulty.csv", CRASHED_ROWS))
        program.run("run", sheet, "--practice", "--out", f"{HOME}/faulty-out", may_end=(0, 3))
        before = program.status()
        folder = ground.root.inside(f"{HOME}/faulty")
        with closing(sqlite3.connect(folder / ground.store().name)) as store:
            began = store.execute("SELECT created_at FROM batch").fetchone()
            store.execute("UPDATE batch SET created_at = ?", NO_DAY)
            store.commit()
        with program.window() as process:
            screen.wait_for_window(process.pid, "Batchwright")
            wait_for("the fault", lambda: list(folder.rglob("faults.log")))
            assert process.poll() is None
        with closing(sqlite3.connect(folder / ground.store().name)) as store:
            store.execute("UPDATE batch SET created_at = ?", began)
            store.commit()
        shown = self._show_report(program, "fault")
        assert program.status() == before
        report = self._report("faulty", FAULT)
        return f"{len(report.splitlines())} lines, shown by {shown}; all rows as before"

    def _show_report(self, program: Installed, name: str) -> list[str]:
        """The windows of a start whose banner was asked for the report."""
        screen = self._ground.screen
        with program.window() as process:
            main = screen.wait_for_window(process.pid, "Batchwright")
            shown: list[str] = []

            def opened() -> bool:
                screen.xdotool("mousemove", "--window", main, *SHOW_REPORT_AT, "click", 1)
                shown[:] = [
                    screen.xdotool("getwindowname", window).strip()
                    for window in screen.windows(process.pid)
                ]
                return len(shown) > 1

            wait_for("the report", opened)
            time.sleep(1)  # until it is drawn
            self._ground.picture(name)
        return shown

    def _report(self, data: str, said: str) -> str:
        """The report in a data folder, with nothing in it of what the operator works on."""
        folder = self._ground.root.inside(f"{HOME}/{data}")
        (report,) = [file.read_text("utf-8") for file in folder.rglob("report *.log")]
        assert said in report
        assert not any(word in report for word in (HOME, "红", "K001", data))
        return report

    # --- what is seen ------------------------------------------------------------------------

    def _in_front(self) -> int | None:
        """The process whose window has the keyboard, by the window manager's word."""
        said = self._ground.screen.xdotool("getactivewindow", "getwindowpid", check=False).strip()
        return int(said) if said else None

    def _close_import(self, pid: int, but: Path | None = None) -> None:
        screen = self._ground.screen

        def closed() -> bool:
            shown = screen.windows(pid, "^Import ")
            names = [screen.xdotool("getwindowname", window, check=False) for window in shown]
            left = [n for n in names if but is None or but.stem not in n]
            if left:
                screen.press(shown[0], "Escape", check=False)
            return not left

        wait_for("the import to close", closed)

    def _wait_for_import(self, program: Installed, sheet: Path) -> int:
        """The process that asks about a sheet."""
        asks: list[int] = []

        def asked() -> bool:
            title = f"^Import {sheet.stem}".replace("(", "\\(").replace(")", "\\)")
            asks[:] = [p for p in program.processes() if self._ground.screen.windows(p, title)]
            return bool(asks)

        wait_for(f"the question about {sheet.name}", asked)
        return asks[0]
