#!/usr/bin/env python3
"""Every habit of the project behind one word, on a bare Python, so that nobody sets up by hand.

    python3 dev.py setup [core|window|all]  make .venv and install what is locked (default: all)
    python3 dev.py demo                     the sample batch, in a window or in the terminal
    python3 dev.py run [ARGS]               the program itself, e.g. `run status --json`
    python3 dev.py test [--all] [ARGS]      every quick test (--all: the long ones too, and other
                                            random examples each time); ARGS go to pytest
    python3 dev.py lint                     ruff, mypy, import-linter
    python3 dev.py bench [NAME]             tests/bench/NAME.py, or all of them
    python3 dev.py package [OPTIONS]        the installers of this system, or a trial of them; see
                                            packaging/README.md
    python3 dev.py translate                sources -> resources/locale/*/*/batchwright.po -> .mo
    python3 dev.py lock [--upgrade]         write packaging/lock/*.txt from pyproject.toml, keeping
                                            the versions that still fit, or taking the newest

Packages go into .venv and nowhere else. pip's own settings (index, proxy, certificates) are used as
they are found. System packages are added by apt where that needs no password; elsewhere the one
line to run is printed.
"""

from __future__ import annotations

import ast
import datetime
import hashlib
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent
LINUX = sys.platform.startswith("linux")
SAMPLE = ROOT / "resources" / "sample_prompts.csv"

QT_LIBRARIES = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
TEST_TOOLS = {
    "Xvfb": "xvfb",
    "xdotool": "xdotool",
    "import": "imagemagick",
    "dbus-run-session": "dbus",
    "gnome-keyring-daemon": "gnome-keyring",
    "desktop-file-validate": "desktop-file-utils",
    "appstreamcli": "appstream",
    "man": "man-db",
    "makensis": "nsis",
}
CJK_FONT = "fonts-wqy-microhei"
FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
WHEEL_FOLDER = Path("/usr/share/python-wheels")

LOOK_AGAIN_S = 0.2

# Of `run`: all done, dead letters left, paused.
ENDED_WITH_LEDGER = (0, 3, 4)

LOAD_LIBRARIES = """
import ctypes, sys
for name in sys.argv[1:]:
    try:
        ctypes.CDLL(name)
    except OSError:
        print(name)
"""
OPEN_QT = """
from PySide6.QtWidgets import QApplication
app = QApplication([])
print(app.platformName())
"""


class SetupTrouble(Exception):
    """Something a person has to mend; the text says how."""


class Level(IntEnum):
    """How much is installed; each level holds the ones before it."""

    CORE = 0
    WINDOW = 1
    ALL = 2

    @property
    def lock(self) -> str:
        """The lock file's name."""
        return ("core.txt", "gui.txt", "dev.txt")[self]


def say(text: str) -> None:
    """One line to the person at the terminal, in order with what children print."""
    print(text, flush=True)


def succeeds(command: Sequence[str | Path], timeout: float = 60) -> bool:
    """Whether a quiet command ends well."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


# --- the system's packages -------------------------------------------------------------------


def apt_prefix() -> list[str] | None:
    """What to write before apt-get: nothing for root, sudo where it asks no password, else None."""
    if not LINUX or shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and succeeds(["sudo", "-n", "true"]):
        return ["sudo", "-n"]
    return None


def apt_line(packages: Sequence[str]) -> str:
    """The line a person without our means would type."""
    return "sudo apt-get install -y --no-install-recommends " + " ".join(packages)


def apt_install(packages: Sequence[str]) -> bool:
    """Install system packages; False, with the line to run printed, where that cannot be done."""
    prefix = apt_prefix()
    if prefix is None:
        if LINUX and shutil.which("apt-get") is None:
            say(f"Missing from the system, by Debian's names: {' '.join(packages)}")
        else:
            say(f"Missing from the system; this line adds it:  {apt_line(packages)}")
        return False
    say(f"Adding system packages: {' '.join(packages)}")
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]
    apt += ["-o", "DPkg::Lock::Timeout=300"]
    # A foreign repository that fails to update must not stop an install that needs none of it.
    subprocess.run([*apt, "update"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    install = [*apt, "install", "-y", "--no-install-recommends", *packages]
    done = subprocess.run(install, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        say(f"apt-get ended with {done.returncode}; try it by hand:  {apt_line(packages)}")
    return done.returncode == 0


def missing_qt_packages() -> list[str]:
    """Packages whose libraries do not load. A child loads them: a broken one may abort it."""
    if not LINUX:
        return []
    found = subprocess.run(
        [sys.executable, "-c", LOAD_LIBRARIES, *QT_LIBRARIES],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return sorted({QT_LIBRARIES[name] for name in found.stdout.split()})


def missing_font() -> list[str]:
    """The package to add where no font has Chinese: without one Qt draws empty boxes."""
    if not LINUX:
        return []
    folders = [*FONT_FOLDERS, Path.home() / ".fonts", Path.home() / ".local/share/fonts"]
    known = re.compile(r"cjk|wqy|sourcehan|droidsansfallback|uming|ukai|simsun|msyh", re.IGNORECASE)
    for folder in folders:
        for file in folder.rglob("*"):
            if known.search(file.name) and file.suffix.lower() in {".ttf", ".ttc", ".otf", ".otc"}:
                return []
    return [CJK_FONT]


def missing_tools() -> dict[str, str]:
    """Tools the display and password-store tests need: tool -> package."""
    if not LINUX:
        return {}
    return {tool: package for tool, package in TEST_TOOLS.items() if shutil.which(tool) is None}


# --- one at a time ---------------------------------------------------------------------------


def try_lock(file: IO[bytes]) -> bool:
    """Whether the open file is locked for this process now. The system lets go of it when the file
    is closed, however the process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def alone(path: Path, waiting: str) -> Iterator[None]:
    """No other process is in here with the same path; ``waiting`` is said where one is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        if not try_lock(file):
            say(waiting)
            while not try_lock(file):
                time.sleep(LOOK_AGAIN_S)
        yield


# --- .venv -----------------------------------------------------------------------------------


def base_python() -> str:
    """The interpreter behind this one: .venv may be the one that runs us, and be rebuilt."""
    return getattr(sys, "_base_executable", None) or sys.executable


def pip_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The person's own pip settings, less those that would install outside .venv."""
    elsewhere = {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "PYTHONHOME", "PYTHONPATH"}
    kept = {name: value for name, value in environ.items() if name not in elsewhere}
    return {**kept, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


class Venv:
    """`.venv` of one checkout. Its stamp is written last, so what has none is half-made."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.home = root / ".venv"
        self.stamp = self.home / "stamp"
        scripts = "Scripts/python.exe" if os.name == "nt" else "bin/python"
        self.python = self.home / scripts

    def lock(self, level: Level) -> Path:
        """The locked packages of a level."""
        return self.root / "packaging" / "lock" / level.lock

    def stamp_text(self, level: Level) -> str:
        """What the stamp says: the level, its lock's hash, and the place (a venv cannot move)."""
        # Line ends are not part of what is locked: a checkout on Windows may change them.
        data = self.lock(level).read_bytes().replace(b"\r\n", b"\n")
        return f"{level.name} {hashlib.sha256(data).hexdigest()} {self.root}\n"

    def level(self) -> Level | None:
        """What is whole and current, or None when it has to be built anew."""
        try:
            text = self.stamp.read_text(encoding="utf-8")
            found = Level[text.split(maxsplit=1)[0]]
            current = text == self.stamp_text(found)
        except (OSError, ValueError, LookupError):
            return None
        return found if current and self.python.exists() else None

    def ensure(self, level: Level) -> None:
        """Make sure that everything of ``level`` is installed. Raises SetupTrouble."""
        if self._has(level):
            return
        # Two at once would wipe and fill the same folder under each other's feet.
        with alone(self.root / "build" / "setup.lock", f"Waiting for another setup of {self.home}"):
            if not self._has(level):
                self._make(level)

    def _has(self, level: Level) -> bool:
        have = self.level()
        return have is not None and have >= level

    def _make(self, level: Level) -> None:
        if self.level() is None:
            self._wipe()
            say(f"Making {self.home}")
            self._create()
        self.stamp.unlink(missing_ok=True)
        self._install(level)
        self._add_checkout()
        self.stamp.write_text(self.stamp_text(level), encoding="utf-8")

    def _wipe(self) -> None:
        if self.home.is_symlink():
            self.home.unlink()
        elif self.home.exists():
            say(f"{self.home} is half-made or out of date; building it anew")
            shutil.rmtree(self.home)

    def _create(self) -> None:
        python = base_python()
        has_ensurepip = [python, "-c", "import ensurepip"]
        if not succeeds(has_ensurepip) and apt_prefix() is not None:
            apt_install(["python3-venv"])
        if succeeds(has_ensurepip) and succeeds([python, "-m", "venv", self.home], timeout=600):
            return
        shutil.rmtree(self.home, ignore_errors=True)
        if not succeeds([python, "-m", "venv", "--without-pip", self.home], timeout=600):
            raise SetupTrouble(
                f"{python} cannot make a virtual environment; try:  {apt_line(['python3-venv'])}"
            )

    def _install(self, level: Level) -> None:
        lock = self.lock(level)
        count = len(re.findall(r"^\S+==", lock.read_text(encoding="utf-8"), re.MULTILINE))
        say(f"Installing from {lock.name} (up to {count} packages)")
        command = [*self._pip(), "install", "--require-hashes", "--no-deps"]
        command += ["--only-binary", ":all:", "-r", str(lock)]
        if not sys.stdout.isatty():
            command.append("-qq")  # errors are still printed
        done = subprocess.run(command, env=pip_environment(), stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            raise SetupTrouble(
                f"pip could not install {lock.name}; its lines above say why. "
                "It used your own pip settings (index, proxy, certificates)."
            )

    def _pip(self) -> list[str]:
        """A pip that installs into .venv, found where there is one; it never touches the system.

        Without ensurepip .venv has none. Then, in this order: the base interpreter's pip pointed
        at .venv; pip's wheel as distributions keep it for their own use; the same wheel out of the
        distribution's package, which apt-get fetches and unpacks for anyone without being root.
        """
        inside = [str(self.python), "-I", "-m", "pip"]
        if succeeds([*inside, "--version"]):
            return inside
        pointed = [base_python(), "-I", "-m", "pip", "--python", str(self.python)]
        if succeeds([*pointed, "--version"]):
            return pointed
        with tempfile.TemporaryDirectory() as folder:
            for wheel in distribution_wheels(Path(folder)):
                fill = [str(self.python), f"{wheel}/pip", "install", "--no-index", "--no-deps"]
                if succeeds([*fill, str(wheel)], timeout=600) and succeeds([*inside, "--version"]):
                    return inside
        raise SetupTrouble(
            f"No pip can be had for .venv. This line brings it:  {apt_line(['python3-venv'])}"
        )

    def _add_checkout(self) -> None:
        """Let `.venv`'s Python import the checkout from any folder, without a build."""
        query = "import sysconfig; print(ascii(sysconfig.get_path('purelib')))"
        found = subprocess.run(
            [self.python, "-I", "-c", query], capture_output=True, text=True, check=True
        )
        folder = Path(ast.literal_eval(found.stdout))
        # An escaped line, since Python versions disagree on the encoding of .pth files.
        line = f"import sys; sys.path.append({str(self.root)!a})\n"
        (folder / "batchwright-checkout.pth").write_text(line, encoding="ascii")


def distribution_wheels(scratch: Path) -> list[Path]:
    """pip's wheel as Debian keeps it, on this system or fetched into ``scratch``; newest first."""
    kept = sorted(WHEEL_FOLDER.glob("pip-*.whl"), reverse=True)
    if kept or shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        return kept
    (scratch / "lists" / "partial").mkdir(parents=True)
    (scratch / "cache" / "archives" / "partial").mkdir(parents=True)
    # Lists and cache of our own: root's are not ours to lock, and may be empty.
    apt = ["apt-get", "-q", "-o", f"Dir::State::lists={scratch}/lists"]
    apt += ["-o", f"Dir::Cache={scratch}/cache", "-o", "APT::Sandbox::User="]
    for step in (["update"], ["download", "python3-pip-whl"]):
        subprocess.run(
            [*apt, *step],
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    for package in scratch.glob("python3-pip-whl*.deb"):
        succeeds(["dpkg-deb", "-x", package, scratch / "unpacked"])
    return sorted((scratch / "unpacked").rglob("pip-*.whl"), reverse=True)


# --- the display -----------------------------------------------------------------------------


def answers(family: int, address: str | tuple[str, int]) -> bool:
    """Whether somebody listens at a socket's address."""
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.settimeout(3)
            probe.connect(address)
    except OSError:
        return False
    return True


def display_trouble(environ: Mapping[str, str] = os.environ) -> str | None:
    """Why no window can be shown, known before Qt is downloaded; None where it may work."""
    platform = environ.get("QT_QPA_PLATFORM", "")
    if platform.partition(":")[0] in {"offscreen", "minimal", "vnc", "linuxfb"}:
        return f"QT_QPA_PLATFORM is {platform}"
    if not LINUX:
        return None
    wayland, x11 = environ.get("WAYLAND_DISPLAY", ""), environ.get("DISPLAY", "")
    if not wayland and not x11:
        return "there is no display"
    if wayland:
        path = str(Path(environ.get("XDG_RUNTIME_DIR", "/")) / wayland)
        if answers(socket.AF_UNIX, path):
            return None
    parsed = re.fullmatch(r"(?:unix)?/?([^:/]*):(\d+)(?:\.\d+)?", x11)
    if parsed is not None:
        host, number = parsed.group(1), int(parsed.group(2))
        name = f"/tmp/.X11-unix/X{number}"
        if host and answers(socket.AF_INET, (host, 6000 + number)):
            return None
        if not host and (answers(socket.AF_UNIX, name) or answers(socket.AF_UNIX, f"\0{name}")):
            return None
    return f"nothing answers at the display {wayland or x11}"


def qt_trouble(python: Path) -> str | None:
    """Why Qt cannot open the display. A child tries: a dead display aborts the process."""
    try:
        tried = subprocess.run(
            [python, "-I", "-c", OPEN_QT],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "Qt did not answer in 60 s"
    if tried.returncode == 0:
        return None
    lines = [line.strip() for line in tried.stderr.splitlines() if line.strip()]
    if "Traceback" in tried.stderr:
        lines = lines[-1:]
    return lines[0][:160] if lines else f"Qt ended with {tried.returncode}"


def window_trouble(venv: Venv) -> str | None:
    """Install what the window needs and try it; the reason, if there will be no window."""
    trouble = display_trouble()
    if trouble is not None:
        return trouble
    try:
        venv.ensure(Level.WINDOW)
    except SetupTrouble as stopped:
        return str(stopped)
    missing = missing_qt_packages() + missing_font()
    if missing:
        apt_install(missing)
    return qt_trouble(venv.python)


# --- verbs -----------------------------------------------------------------------------------


def program(venv: Venv, *arguments: str | Path) -> list[str]:
    """The command line of the program itself."""
    return [str(venv.python), "-m", "desktop_app", *map(str, arguments)]


def setup(venv: Venv, arguments: list[str]) -> int:
    """Install; nothing is run."""
    levels = {"core": Level.CORE, "window": Level.WINDOW, "all": Level.ALL}
    wanted = levels.get(arguments[0] if arguments else "all")
    if wanted is None or len(arguments) > 1:
        say(f"setup takes one of: {', '.join(levels)}")
        return 2
    venv.ensure(wanted)
    missing = (missing_qt_packages() + missing_font()) if wanted > Level.CORE else []
    if missing:
        apt_install(missing)
    say(f"Ready: {venv.python}")
    return 0


def fresh_data_folder(root: Path) -> Path:
    """A new folder for one demo; nothing of an earlier one is seen or touched."""
    parent = root / "build" / "demo"
    parent.mkdir(parents=True, exist_ok=True)
    now = datetime.datetime.now().astimezone()
    return Path(tempfile.mkdtemp(prefix=f"{now:%Y%m%d-%H%M%S}-", dir=parent))


def demo(venv: Venv, arguments: list[str]) -> int:
    """The sample batch against the practice server."""
    if arguments:
        say("demo takes nothing")
        return 2
    trouble = window_trouble(venv)
    data = fresh_data_folder(venv.root)
    if trouble is None:
        say(f"Opening the window; data: {data}")
        return subprocess.call(program(venv, "--data-dir", data, "--demo"), cwd=venv.root)
    say(f"No window here ({trouble}); running in the terminal.")
    venv.ensure(Level.CORE)
    return demo_in_terminal(venv, data)


def demo_in_terminal(venv: Venv, data: Path) -> int:
    """Run the batch with a progress bar, then say how to look at it in a window."""
    out = data / "pictures"
    run = program(venv, "--data-dir", data, "run", SAMPLE, "--practice")
    code = subprocess.call([*run, "--lane-column", "customer", "--out", str(out)], cwd=venv.root)
    if code not in ENDED_WITH_LEDGER:
        return code
    say("")
    window = shlex.join(program(venv, "--data-dir", data))
    say(f"Window:    on a desktop, python3 dev.py demo; for this very batch:  {window}")
    # Rows that need a person are what the demo is there to show, not a failure of the demo.
    return 0 if code == 3 else code


def run(venv: Venv, arguments: list[str]) -> int:
    """The program with these arguments; only what the core needs where no window can be shown."""
    venv.ensure(Level.CORE if display_trouble() else Level.WINDOW)
    return subprocess.call(program(venv, *arguments))


def test(venv: Venv, arguments: list[str]) -> int:
    """Every test that can be run here; 3 where all that ran passed, but some could not be run."""
    venv.ensure(Level.ALL)
    packages = missing_qt_packages() + sorted(missing_tools().values()) + missing_font()
    if packages:
        apt_install(packages)
    libraries = missing_qt_packages()
    left_out = libraries + sorted(missing_tools().values()) + missing_font()
    command = [str(venv.python), "-m", "pytest", "-rs"]
    if libraries:
        command += ["-p", "no:pytest-qt"]
    if "--all" in arguments:
        # Benches are among them, and measure: one process, with the machine to itself.
        arguments = [word for word in arguments if word != "--all"]
        command += ["--hypothesis-profile=search"]
    else:
        command += ["-m", "not long"]
        if not arguments:
            # Much of the whole run is waiting. What is set up for a file is set up once, and the
            # slow files in the middle of the order are not left for the end.
            command += ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]
    code = subprocess.call([*command, *arguments], cwd=venv.root)
    if left_out:
        say(f"Not everything could be tested here: missing {', '.join(left_out)}.")
        if libraries:
            say("Left out: the window tests (tests/ui), since Qt's libraries do not load.")
        say("Left out besides: what is named SKIPPED above, with its reason.")
        say(f"This line adds what is missing:  {apt_line(left_out)}")
    return code or (3 if left_out else 0)


def lint(venv: Venv, arguments: list[str]) -> int:
    """All checks are run, so that one look shows everything."""
    if arguments:
        say("lint takes nothing")
        return 2
    venv.ensure(Level.ALL)
    python = str(venv.python)
    borders = venv.python.with_name("lint-imports.exe" if os.name == "nt" else "lint-imports")
    checks = {
        "ruff format": [python, "-m", "ruff", "format", "--check", "."],
        "ruff check": [python, "-m", "ruff", "check", "."],
        "mypy": [python, "-m", "mypy"],
        "import-linter": [str(borders), "--no-logo"],
    }
    failed = []
    for name, command in checks.items():
        say(f"--- {name}")
        if subprocess.call(command, cwd=venv.root) != 0:
            failed.append(name)
    say(f"Lint failed: {', '.join(failed)}" if failed else "Lint passed")
    return 1 if failed else 0


def bench(venv: Venv, arguments: list[str]) -> int:
    """Measure. All of them: one that misses its bar does not hide what the others measure."""
    folder = venv.root / "tests" / "bench"
    names = sorted(f.stem for f in folder.glob("*.py") if not f.name.startswith(("_", "conftest")))
    if arguments and arguments[0] not in names:
        say(f"There is no such bench. There are: {', '.join(names) or 'none'}")
        return 2
    venv.ensure(Level.ALL)
    chosen, failed = arguments[:1] or names, []
    for name in chosen:
        command = [str(venv.python), "-m", f"tests.bench.{name}", *arguments[1:]]
        if subprocess.call(command, cwd=venv.root) != 0:
            failed.append(name)
    if failed and len(chosen) > 1:
        say(f"Benches that failed: {', '.join(failed)}")
    return 1 if failed else 0


def lock(venv: Venv, arguments: list[str]) -> int:
    """Resolve for all systems and Pythons at once, with a uv that is thrown away afterwards."""
    project = venv.root / "pyproject.toml"
    folder = venv.lock(Level.ALL).parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        tool = Venv(Path(scratch))
        tool._create()
        install = [*tool._pip(), "install", "-q", "uv"]
        subprocess.run(install, env=pip_environment(), check=True)
        resolve = [str(tool.python), "-m", "uv", "pip", "compile", str(project), "-q"]
        resolve += ["--universal", "--python-version", "3.11", "--generate-hashes"]
        resolve += ["--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate"]
        whole = folder / Level.ALL.lock
        extras: dict[Level | str, list[str]] = {
            Level.ALL: ["--extra", "gui", "--group", f"{project}:dev", *arguments],
            Level.WINDOW: ["--extra", "gui", "-c", str(whole)],
            Level.CORE: ["-c", str(whole)],
            # Of `package` alone: what is shipped, and what freezes it.
            "package.txt": ["--extra", "gui", "--group", f"{project}:package", "-c", str(whole)],
        }
        for level, extra in extras.items():
            target = folder / (level.lock if isinstance(level, Level) else level)
            subprocess.run([*resolve, *extra, "-o", str(target)], check=True, env=uv_environment())
            text = target.read_text(encoding="utf-8")
            header = "# Locked for Linux, Windows and macOS. Written by: python3 dev.py lock\n"
            target.write_text(header + text, encoding="utf-8", newline="\n")
            say(f"Wrote {target}")
    return 0


def package(venv: Venv, arguments: list[str]) -> int:
    """Build installers, or try out what was built; packaging/bundling does it."""
    venv.ensure(Level.ALL)
    command = [str(venv.python), str(venv.root / "packaging" / "bundling"), *arguments]
    return subprocess.call(command, cwd=venv.root)


def translate(venv: Venv, arguments: list[str]) -> int:
    """New sentences come in untranslated, gone ones go; 1 while any is untranslated."""
    if arguments:
        say("translate takes nothing")
        return 2
    venv.ensure(Level.ALL)
    babel = [str(venv.python), "-m", "babel.messages.frontend", "-q"]
    catalogues = sorted((venv.root / "resources" / "locale").glob("*/LC_MESSAGES/*.po"))
    complete = True
    with tempfile.TemporaryDirectory() as scratch:
        template = Path(scratch) / "batchwright.pot"
        extract = [*babel, "extract", "-F", "packaging/babel.cfg", "-k", "tr", "-k", "plural:1,2"]
        extract += ["-k", "N_", "--no-location", "--sort-output", "--no-wrap"]
        extract += ["--project", "Batchwright", "-o", str(template), "."]
        # Its warnings are not for us: it takes a value that is an f-string for a sentence, and
        # tests/domain/test_catalogue.py finds the sentences that it really misses.
        extracted = subprocess.run(extract, cwd=venv.root, stderr=subprocess.PIPE, text=True)
        if extracted.returncode != 0:
            say(extracted.stderr)
            return 1
        for catalogue in catalogues:
            language = ["-l", catalogue.parts[-3]]
            update = [*babel, "update", "-i", str(template), "-o", str(catalogue), *language]
            update += ["--no-wrap", "--no-fuzzy-matching", "--ignore-obsolete"]
            subprocess.run([*update, "--ignore-pot-creation-date"], check=True)
            compiled = catalogue.with_suffix(".mo")
            make = [*babel, "compile", "-i", str(catalogue), "-o", str(compiled), *language]
            subprocess.run(make, check=True)
            left = untranslated(catalogue.read_text(encoding="utf-8"))
            complete = complete and not left
            say(f"{catalogue.parts[-3]}: {len(left)} untranslated")
            for sentence in left:
                say(f"  {sentence}")
    return 0 if complete else 1


def untranslated(catalogue: str) -> list[str]:
    """The ids, as they stand in the file, of the entries of a .po without a translation."""
    entries = re.findall(r'^msgid (".+")\n(?:msgid_plural .*\n)?msgstr.* ""$', catalogue, re.M)
    return [entry for entry in entries if entry != '""']


def uv_environment() -> dict[str, str]:
    """uv does not read pip's settings, so the person's own index is handed on."""
    environ = dict(os.environ)
    if "PIP_INDEX_URL" in environ:
        environ.setdefault("UV_DEFAULT_INDEX", environ["PIP_INDEX_URL"])
    return environ


VERBS = {
    "setup": setup,
    "demo": demo,
    "run": run,
    "test": test,
    "lint": lint,
    "bench": bench,
    "package": package,
    "translate": translate,
    "lock": lock,
}


def main(arguments: list[str]) -> int:
    """Returns the exit code; 2 for a verb there is not."""
    verb = VERBS.get(arguments[0]) if arguments else None
    if verb is None:
        say(__doc__ or "")
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        return verb(Venv(), arguments[1:])
    except SetupTrouble as trouble:
        say(str(trouble))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036 - this file must say so itself
        sys.exit("Batchwright needs Python 3.11 or newer.")
    sys.exit(main(sys.argv[1:]))
