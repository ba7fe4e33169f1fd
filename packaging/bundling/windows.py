"""Compiles the installer for Windows from what was frozen, on any system that has makensis:

python windows.py DIST
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from places import NAME, PACKAGING, ROOT, version_of

SCRIPT = PACKAGING / "windows" / "batchwright.nsi"


def makensis() -> str | None:
    """Where the compiler is; its own installer puts it on no PATH."""
    usual = Path("C:/Program Files (x86)/NSIS/makensis.exe")
    return shutil.which("makensis") or (str(usual) if usual.exists() else None)


def command(compiler: str, bundle: Path, icon: Path, out: Path, version: str) -> list[str]:
    """The command line; a warning is an error, since nobody reads them."""
    defined = {"VERSION": version, "BUNDLE": bundle, "ICON": icon, "OUT": out}
    words = [f"-D{name}={value}" for name, value in defined.items()]
    return [compiler, "-V2", "-WX", "-INPUTCHARSET", "UTF8", *words, str(SCRIPT)]


def main(dist: Path) -> int:
    """Write ``batchwright-VERSION-setup.exe`` into ``dist``; returns the compiler's exit code."""
    compiler = makensis()
    if compiler is None:
        print("There is no makensis here.")
        return 1
    version = version_of(ROOT)
    shutil.copyfile(dist / "copyright", dist / "bundle" / "copyright.txt")
    icon = ROOT / "build" / "package" / f"{NAME}-{version}" / "icons" / "batchwright.ico"
    out = dist / f"{NAME}-{version}-windows-setup.exe"
    return subprocess.call(command(compiler, dist / "bundle", icon, out, version))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
