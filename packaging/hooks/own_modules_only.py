"""A package manager puts a newer program in the place of one that runs. PyInstaller reads each
module out of the program's file when it is first imported, and would read it out of the newer one,
at places where that has something else; Linux keeps the old file for whoever runs it."""

import sys
from pathlib import Path

_RUNNING = "/proc/self/exe"

if sys.platform.startswith("linux") and Path(_RUNNING).exists():
    import pyimod02_importers  # PyInstaller's, which is there in a frozen program only

    # No public way leads there; what pins PyInstaller is packaging/lock/package.txt.
    pyimod02_importers.pyz_archive._filename = _RUNNING
