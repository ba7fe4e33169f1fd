"""The locked packages, fetched outside with the person's own pip settings, so that nothing inside
a root needs the network and nothing but what is locked gets in."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from pathlib import Path

LOCK = "package.txt"


def fetch(source: Path, target: Path, python: str, glibc: int) -> None:
    """Fill ``target`` with the wheels of ``source``'s lock and of ``source`` itself. ``python``:
    e.g. ``3.11``; ``glibc``: the minor version of the root's, e.g. 36. Raises
    CalledProcessError."""
    target.mkdir(parents=True, exist_ok=True)
    locked = source / "packaging" / "lock" / LOCK
    stamp, wanted_hash = target / "lock", hashlib.sha256(locked.read_bytes()).hexdigest()
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    if not (stamp.exists() and stamp.read_text() == wanted_hash):
        _fetch_locked(pip, locked, target, python, glibc)
        stamp.write_text(wanted_hash)
    for old in target.glob("batchwright-*.whl"):
        old.unlink()
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(target), str(source)], check=True)


def _fetch_locked(pip: list[str], locked: Path, target: Path, python: str, glibc: int) -> None:
    machine = platform.machine()
    tags = [f"manylinux_2_{minor}_{machine}" for minor in range(glibc, 4, -1)]
    tags += [f"manylinux2014_{machine}", f"linux_{machine}"]
    wanted = [*pip, "download", "--require-hashes", "-r", str(locked), "-d", str(target)]
    wanted += ["--only-binary", ":all:", "--python-version", python, "--implementation", "cp"]
    for abi in (f"cp{python.replace('.', '')}", "abi3", "none"):
        wanted += ["--abi", abi]
    for tag in tags:
        wanted += ["--platform", tag]
    subprocess.run(wanted, check=True)
