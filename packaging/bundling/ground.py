"""The root that a package is tried in, and what the steps of the trial do again and again."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import chroot
import glyphs
from installed import HOME, USER, Installed
from places import ROOT

sys.path.insert(0, str(ROOT))  # the end-to-end tests' display and pointer
from tests.e2e.screen import Screen

DATA = f"{HOME}/.local/share/Batchwright"
# What other packages' own upkeep writes when anything is installed or removed.
UPKEEP = ("/var/", "/home/", "/tmp/", "/root/", "/proc/", "/dev/", "/etc/ld.so.cache", "/run/")
CACHES = ("mimeinfo.cache", "icon-theme.cache", "/usr/share/mime/")


class Ground:
    """A pristine Debian, with the screen that windows go to. ``shots``: where pictures go."""

    def __init__(self, work: Path, shots: Path) -> None:
        self.root = chroot.base(work).copy(work / "trial")
        self.scratch = Path(tempfile.mkdtemp(dir=work))
        self.shots = shots
        self._screen: Screen | None = None

    def use(self, screen: Screen) -> None:
        """Where windows go."""
        self._screen = screen

    @property
    def screen(self) -> Screen:
        """Where windows are."""
        assert self._screen is not None
        return self._screen

    def program(self, **how: str) -> Installed:
        """The installed program, on the screen; ``how`` as for ``Installed``."""
        return Installed(self.root, self.screen.env, **how)

    def install(self, package: Path) -> None:
        """apt alone, with what the package asks for."""
        target = self.root.inside(f"/tmp/{package.name}")
        shutil.copy(package, target)
        self.root.apt(f"/tmp/{package.name}")
        target.unlink()

    def no_python(self) -> None:
        """Nobody brought one."""
        found = list(self.root.inside("/usr/bin").glob("python*"))
        assert not found, found

    def write_sheet(self, name: str, rows: int) -> Path:
        """A sheet of the operator's, below their home; where it is in the root."""
        lines = ["sku,prompt", *(f"K{n:03d},红色运动鞋 {n}" for n in range(1, rows + 1))]
        file = self.root.inside(HOME + name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.root.run("chown", "-R", f"{USER}:", HOME)
        return Path(HOME + name)

    def store(self) -> Path:
        """The operator's store."""
        return self.root.inside(f"{DATA}/batchwright.db")

    def schema(self, store: Path) -> int:
        """The store's form."""
        with closing(sqlite3.connect(store)) as opened:
            return int(opened.execute("PRAGMA user_version").fetchone()[0])

    def listed(self) -> set[str]:
        """All files of the system but those of its own upkeep."""
        said = self.root.run("find", "/", "-xdev", "!", "-type", "d").stdout.splitlines()
        return {p for p in said if not p.startswith(UPKEEP) and not any(c in p for c in CACHES)}

    def picture(self, name: str) -> Path:
        """The screen as it is now."""
        shot = self.shots / f"verified-{name}.png"
        command = ["import", "-display", self.screen.name, "-window", "root", str(shot)]
        subprocess.run(command, check=True)
        return shot

    def shot(self, name: str, *args: str) -> glyphs.Seen:
        """What a fresh window shows."""
        with self.program().window(*args) as process:
            self.screen.wait_for_window(process.pid, "Batchwright")
            time.sleep(3)  # until what comes after the first paint is there too
            return glyphs.look(self.picture(name))
