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
    unset = project.read(root).unset()
    if unset:
        found.append(f"{project.FILE.as_posix()} does not say yet: {', '.join(unset)}.")
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
