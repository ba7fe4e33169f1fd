"""Tries the .deb as an operator would have it: installed by apt into a Debian without Python,
started by somebody who is not root, on a real display, with a real password store.

Each step prints its figures; the first that fails ends the run with a traceback that names it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import chroot
import earlier
import paint
from ground import Ground
from installed import HOME, add_operator
from places import NAME, ROOT, debian_architecture, version_of

sys.path.insert(0, str(ROOT))  # the end-to-end tests' display, pointer and provider
from tests.e2e.program import KEY, provider, wait_for
from tests.e2e.screen import display

PAINT_RATIO = 1.5
STARTS = 5
LONGEST_S = 180
CALM = {"concurrency": 4, "qps": 0, "mean_s": 0.5, "sigma": 0.1, "time_scale": 0.1}
SHEET = f"{HOME}/春季 运动鞋.csv"
ROWS = 6
OLD_ROWS = 4
CHINESE_FONT = re.compile(r"cjk|wqy", re.IGNORECASE)


def run(work: Path, out: Path, previous: str) -> int:
    """Returns the exit code."""
    package = out / f"{NAME}_{version_of(ROOT)}_{debian_architecture()}.deb"
    if not package.exists():
        print(f"There is no {package}; build it first: python3 dev.py package")
        return 1
    old = earlier.package(work, previous)
    trial = Trial(work, package, old)
    with display() as screen:
        trial.use(screen)
        for step in (
            trial.lint, trial.install_previous, trial.upgrade, trial.scan, trial.start,
            trial.adapters, trial.drop, trial.key, trial.chinese, trial.remove,
        ):  # fmt: skip
            began = time.monotonic()
            said = step()
            print(f"ok  {step.__name__} ({time.monotonic() - began:.0f} s): {said}", flush=True)
    chroot.remove(trial.root.path)
    return 0


class Trial(Ground):
    """The steps, in their order; each returns what it found."""

    def __init__(self, work: Path, package: Path, old: Path) -> None:
        super().__init__(work, package.parent)
        self.package, self.old = package, old
        self.before: set[str] = set()

    def lint(self) -> str:
        """No errors by Debian's own judge."""
        done = subprocess.run(
            ["lintian", "--allow-root", "--profile", "debian", str(self.package)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        lines = done.stdout.splitlines()
        errors = [line for line in lines if line.startswith("E:")]
        assert not errors, errors
        assert done.returncode == 0, done.stderr
        return f"0 errors, {sum(line.startswith('W:') for line in lines)} warnings"

    def install_previous(self) -> str:
        """apt alone brings everything, and no Python."""
        self.install(self.old)
        self.no_python()
        add_operator(self.root)
        self.write_sheet("/old.csv", OLD_ROWS)
        program = self.program()
        run = ("run", f"{HOME}/old.csv", "--practice", "--out", f"{HOME}/old")
        program.run(*run, may_end=(0, 3))
        assert program.ended() == OLD_ROWS, program.status()
        listed = self.listed()
        own = set(self.root.run("dpkg", "-L", NAME).stdout.split("\n"))
        self.before = listed - own
        return f"{self.old.name} with {len(own)} paths; {OLD_ROWS} practice rows ended with it"

    def upgrade(self) -> str:
        """The store is carried over, with a backup of what it was."""
        store = self.store()
        old = self.schema(store)
        before = self.program().status()
        self.install(self.package)
        with self.program().window() as process:  # what reads alone leaves an older store alone
            assert self.screen is not None
            self.screen.wait_for_window(process.pid, "Batchwright")
        after = self.program().status()
        assert after["imported"] == OLD_ROWS
        assert all(after[word] == count for word, count in before.items()), (before, after)
        new = self.schema(store)
        backups = [f.name for f in store.parent.iterdir() if "backup" in f.name]
        assert new > old
        assert backups
        return f"store {old} -> {new}, {OLD_ROWS} rows kept, backup {backups[0]}"

    def scan(self) -> str:
        """Every library finds all it links to."""
        find = (
            "cd /usr/lib/batchwright && find . -type f '(' -name '*.so*' -o -name batchwright ')' "
            '-exec sh -c \'LD_LIBRARY_PATH=/usr/lib/batchwright/_internal ldd "$1" | '
            "sed \"s|^|$1 |\"' sh {} ';'"
        )
        said = self.root.run("sh", "-c", find).stdout.splitlines()
        missing = [line for line in said if "not found" in line]
        assert not missing, missing
        assert len(said) > 100, said
        return f"{len(said)} links, 0 not found"

    def start(self) -> str:
        """As quick as unfrozen, near enough."""
        assert self.screen is not None
        program = self.program()
        frozen = paint.first_paint(program.argv(), program.environ, self.screen.name, STARTS)
        home = self.scratch / "home"
        home.mkdir()
        plain = {**program.environ, "HOME": str(home), "PYTHONPATH": str(ROOT)}
        argv = [sys.executable, "-m", "desktop_app"]
        unfrozen = paint.first_paint(argv, plain, self.screen.name, STARTS)
        said = (
            f"first paint {frozen:.2f} s frozen, {unfrozen:.2f} s unfrozen: {frozen / unfrozen:.2f}"
        )
        assert frozen <= PAINT_RATIO * unfrozen, said
        return said

    def chinese(self) -> str:
        """The screen shows characters. The same window without a font that has them is what it is
        compared to: there the boxes must be, or this could not fail."""
        seen = self.shot("chinese", "--language", "zh_CN")
        fonts = self.root.inside("/usr/share/fonts")
        away = self.root.inside("/fonts-away")
        away.mkdir()
        for at, file in enumerate(f for f in fonts.rglob("*") if CHINESE_FONT.search(f.name)):
            file.rename(away / f"{at} {file.name}")
        boxes = self.shot("boxes", "--language", "zh_CN")
        assert boxes.same_hollow >= 20, boxes
        assert seen.same_hollow <= 3, seen
        assert seen.different > boxes.different + 20, (seen, boxes)
        return f"with the package's fonts {seen}; without {boxes}"

    def drop(self) -> str:
        """A sheet dropped with the pointer is run to its end by the practice server."""
        assert self.screen is not None
        screen, program = self.screen, self.program()
        self.write_sheet("/" + Path(SHEET).name, ROWS)
        with program.window() as process:
            screen.wait_for_window(process.pid, "Batchwright")
            with screen.dropped(Path(SHEET)):
                screen.wait_for_window(process.pid, "^Import ")

            def started() -> bool:
                shown = screen.windows(process.pid, "^Import ")
                if shown:
                    screen.press(shown[0], "Return", check=False)
                return not shown

            wait_for("the import to start", started)
            try:
                wait_for("all rows", lambda: program.ended() == ROWS, LONGEST_S)
            finally:
                self.picture("dropped")
        pictures = list(self.root.inside(HOME).rglob("春季 运动鞋*/*.png"))
        won = program.status()["success"]
        assert len(pictures) == won > 0, pictures
        return (
            f"{ROWS} of {ROWS} rows ended, {won} with a picture, {len(pictures)} pictures on disk"
        )

    def key(self) -> str:
        """A key stored in a real Secret Service is there after a restart, and only there."""
        self.root.apt("dbus", "dbus-bin", "gnome-keyring")
        self.no_python()
        program = self.program(bus=True)
        self.write_sheet("/keyed.csv", 3)
        with provider(CALM, self.scratch) as shop:
            program.run(
                "connection", "add", "shop", "--adapter", "openai-images",
                "--base-url", shop.base_url, "--model", "practice", "--proxy", "none",
            )  # fmt: skip
            program.run("connection", "set-key", "shop", stdin=KEY)
            out = f"{HOME}/keyed"
            program.run("run", f"{HOME}/keyed.csv", "--connection", "shop", "--out", out)
            billed = shop.ledger()["billed"]
        assert billed == 3, billed
        files = [f for f in self.root.inside(HOME).rglob("*") if f.is_file()]
        assert not any(KEY.encode() in f.read_bytes() for f in files)
        return f"read by a later process, {billed} of 3 rows billed; in none of {len(files)} files"

    def adapters(self) -> str:
        """Everything found by name is found: adapters, providers' files, both languages."""
        told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        adapters = told["project"]["entry-points"]["batchwright.adapters"]
        files = (ROOT / "resources" / "providers").glob("*.toml")
        presets = [f.stem for f in files if not f.stem.startswith("practice")]  # those are offered
        program = self.program()
        add = ("--data-dir", f"{HOME}/names", "connection", "add")
        for name in adapters:
            given = ("--adapter", name, "--base-url", "http://127.0.0.1:9/v1", "--model", "m")
            # Only a saved workflow is a connection of ComfyUI: that it asks for one is its answer.
            said = program.run(*add, name, *given, may_end=(0, 1, 2))
            assert "params" in said or (name == "comfyui" and "workflow" in said), (name, said)
        for name in presets:
            program.run(*add, f"of {name}", "--preset", name)
        inside = self.root.inside("/usr/lib/batchwright/_internal")
        assert list(inside.glob("batchwright-*.dist-info/entry_points.txt"))
        assert list(inside.glob("keyring-*.dist-info/entry_points.txt"))
        chinese = self.program().run("--language", "zh_CN", "--help")
        assert "表" in chinese, chinese
        return f"{len(adapters)} adapters, {len(presets)} provider files, Chinese help"

    def remove(self) -> str:
        """What was installed goes; what the operator made stays."""
        kept = len(list(self.root.inside(HOME).rglob("*")))
        self.root.run("apt-get", "-q", "purge", "-y", NAME)
        left = {p for p in self.listed() if NAME in p.lower()}
        more = left - self.before
        assert not more, sorted(more)[:20]
        assert self.store().exists()
        assert len(list(self.root.inside(HOME).rglob("*"))) == kept
        return f"nothing of it left in the system, {kept} paths of the operator's untouched"
