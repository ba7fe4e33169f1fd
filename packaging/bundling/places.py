"""What the steps agree on: names, versions and folders."""

from __future__ import annotations

import platform
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
NAME = "batchwright"


def version_of(source: Path) -> str:
    """The version that a checkout says it is."""
    text = (source / "desktop_app" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if found is None:
        raise ValueError(f"no version in {source}")
    return found.group(1)


def debian_architecture(machine: str | None = None) -> str:
    """Debian's word for this kind of processor."""
    machine = machine or platform.machine()
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)


def source_date(source: Path) -> int:
    """The time that everything built carries, so that one commit makes one package: of the last
    commit, else of now. Seconds since 1970."""
    asked = subprocess.run(
        ["git", "-C", str(source), "log", "-1", "--format=%ct"],
        capture_output=True,
        text=True,
        check=False,
    )
    return int(asked.stdout) if asked.returncode == 0 and asked.stdout.strip() else int(time.time())


def size_of(folder: Path) -> int:
    """Bytes of all files below, links not followed."""
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file() and not f.is_symlink())


@dataclass(frozen=True, slots=True)
class Built:
    """A frozen program and what is known of its parts. ``bundle``: the folder; ``copyright``: the
    words of all licences; ``sbom``: the parts as CycloneDX JSON."""

    bundle: Path
    copyright: Path
    sbom: Path
    version: str
    built_in: str
