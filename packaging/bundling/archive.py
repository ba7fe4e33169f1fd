"""The package for every other distribution: a folder that runs where it lies, and a script that
installs it for one person without root."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import share
from places import NAME, Built


def build(built: Built, source: Path, out: Path, date: int) -> Path:
    """Write ``batchwright-VERSION-linux-MACHINE.tar.zst`` into ``out``. Raises
    CalledProcessError."""
    name = f"{NAME}-{built.version}-linux-{platform.machine()}"
    folder = built.bundle.parent / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copytree(built.bundle, folder / NAME, symlinks=True)
    share.write(built, source, folder / "share", date, packed_man=False)
    shutil.copyfile(built.copyright, folder / "copyright")
    shutil.copyfile(source / "CHANGELOG.md", folder / "CHANGELOG.md")
    script = folder / "install.sh"
    script.write_text(share.filled("install.sh", built.version, date), encoding="utf-8")
    script.chmod(0o755)
    package = out / f"{name}.tar.zst"
    packed = ["tar", "--sort=name", f"--mtime=@{date}", "--owner=0", "--group=0"]
    packed += ["--numeric-owner", "-I", "zstd -q -15 -T0", "-cf", str(package)]
    subprocess.run([*packed, "-C", str(folder.parent), name], check=True)
    shutil.rmtree(folder)
    return package
