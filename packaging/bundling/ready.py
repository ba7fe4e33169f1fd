"""What keeps a checkout from being released, found before anything is built."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import project
from places import ROOT, version_of


def troubles(root: Path = ROOT) -> list[str]:
    """One sentence for each; none where it may go out."""
    version = version_of(root)
    found = []
    whose, file = project.read(root), project.FILE.as_posix()
    if unset := whose.unset():
        found.append(f"{file} does not say yet: {', '.join(unset)}.")
    if misshapen := [name for name in whose.misshapen() if name not in unset]:
        found.append(f"{file} does not have the form asked for in: {', '.join(misshapen)}.")
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        found.append(f"The version {version} is not three numbers, as Windows and Debian want it.")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[{re.escape(version)}\]", changes, re.MULTILINE):
        found.append(f"CHANGELOG.md has no heading [{version}].")
    tags = _git(root, "tag", "--points-at", "HEAD", "--list", "v*").split()
    if tags and f"v{version}" not in tags:
        found.append(f"The tag {tags[0]} is not that of version {version}.")
    if _git(root, "status", "--porcelain", "--untracked-files=no"):
        found.append("Some files are changed and not committed.")
    return found


def _git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
