"""Tries the .deb as an operator would have it: installed by apt into a Debian without Python,
started by somebody who is not root, on a real display, with a real password store.

Each step prints its figures; the first that fails ends the run with a traceback that names it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import chroot
import earlier
from ground import Ground
from places import NAME, ROOT, debian_architecture, version_of
from trial_desktop import DesktopSteps
from trial_package import PackageSteps
from trial_window import WindowSteps

sys.path.insert(0, str(ROOT))  # the end-to-end tests' display
from tests.e2e.screen import display


def run(work: Path, out: Path, previous: str) -> int:
    """Returns the exit code."""
    package = out / f"{NAME}_{version_of(ROOT)}_{debian_architecture()}.deb"
    if not package.exists():
        print(f"There is no {package}; build it first: python3 dev.py package")
        return 1
    old = earlier.package(work, previous)
    ground = Ground(work, package.parent)
    with display() as screen:
        ground.use(screen)
        of_package = PackageSteps(ground, package, old)
        of_window, of_desktop = WindowSteps(ground), DesktopSteps(ground)
        for step in (
            of_package.lint, of_package.install_previous, of_package.upgrade, of_package.scan,
            of_window.start, of_package.adapters, of_window.drop, of_window.key,
            of_desktop.second_start, of_desktop.open_with, of_desktop.crash, of_desktop.fault,
            of_window.chinese, of_package.remove, of_package.archive,
        ):  # fmt: skip
            began = time.monotonic()
            said = step()
            print(f"ok  {step.__name__} ({time.monotonic() - began:.0f} s): {said}", flush=True)
    chroot.remove(ground.root.path)
    return 0
