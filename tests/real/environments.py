"""Servers that nobody here wrote run in environments of their own, so that what they need never
meets what this program needs. Each is made once and kept."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / ".real"
INSTALL_S = 170.0


class NotHere(Exception):
    """The environment can't be made on this machine; says why in one line."""


def python_with(name: str, requirements: Sequence[str], install_s: float = INSTALL_S) -> Path:
    """An interpreter that can import the packages. Blocks while they are installed, the first
    time. Raises NotHere."""
    wanted = "\n".join([sys.version, *requirements])
    home = ROOT / f"{name}-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    if not home.exists():
        ROOT.mkdir(exist_ok=True)
        made = ROOT / f"{home.name}.{os.getpid()}"
        try:
            _make(made, requirements, install_s)
            made.rename(home)
        except OSError:  # made elsewhere meanwhile
            if not home.exists():
                raise
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return _python(home)


def _make(home: Path, requirements: Sequence[str], install_s: float) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, env=_environ())
    command = [str(_python(home)), "-m", "pip", "install", "-q", "--no-input", *requirements]
    command += ["--retries", "1", "--timeout", "15", "--disable-pip-version-check"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=install_s, check=False, env=_environ()
        )
    except subprocess.TimeoutExpired:
        raise NotHere(f"{requirements[0]} was not installed in {install_s:g} s") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        said = lines[-1] if lines else f"pip ended with {done.returncode}"
        raise NotHere(f"{requirements[0]} can't be installed here: {said}")


def _python(home: Path) -> Path:
    return home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _environ() -> dict[str, str]:
    """As it was before the tests hid the home folder: pip's own settings lie there."""
    environ = dict(os.environ)
    if os.name != "nt":
        import pwd

        environ["HOME"] = pwd.getpwuid(os.getuid()).pw_dir
        environ.pop("XDG_CONFIG_HOME", None)
    return environ


def script(python: Path, name: str) -> list[str]:
    """How a console script of that environment is started: its first line names a folder that has
    been renamed since."""
    folder = python.parent
    suffix = "-script.py" if os.name == "nt" else ""
    return [str(python), str(folder / f"{name}{suffix}")]
