"""Runs PyInstaller where nothing can slip in: in a root made for it, or, failing that, in place."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import chroot
import icons
import notices
import parts
import sbom
import slim
import wheels
from places import NAME, ROOT, Built, source_date, version_of

PYTHON = "3.11"  # of the root's Debian
GLIBC = 36

# What Qt's plugins link to, and what PyInstaller needs. The names are those that dev.py installs
# for a window, besides Wayland's.
BUILDER = (
    "python3-venv", "libpython3.11", "binutils",
    "libglib2.0-0", "libgl1", "libegl1", "libdbus-1-3", "libfontconfig1", "libxcb-cursor0",
    "libxcb-icccm4", "libxcb-keysyms1", "libxcb-shape0", "libxkbcommon-x11-0",
    "libwayland-client0", "libwayland-cursor0", "libwayland-egl1",
)  # fmt: skip

DIFFERENCES = (
    "Built in place, not in a clean root. What differs: libraries are this machine's, so that the\n"
    "bundle runs on systems as new as this one or newer; what desktop packages lie about here may\n"
    "have come along (look at the size); licences and SBOM name Python and its packages, not\n"
    "those libraries. It is good for a try, not for a release."
)


def in_root(source: Path, work: Path, into: Path) -> Built:
    """Freeze ``source`` in a clean Debian below ``work``; what is made goes into a folder in
    ``into``. Raises CalledProcessError."""
    print("Preparing the root", flush=True)
    root = chroot.with_packages(work, "builder", BUILDER)
    build = root.inside("/build")
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir()
    print("Fetching the locked packages", flush=True)
    stock = work / "wheels"
    wheels.fetch(source, stock, PYTHON, GLIBC)
    shutil.copytree(stock, build / "wheels")
    shutil.copytree(source, build / "tree")
    icons.render(source / "resources" / "icons" / "app.svg", build / "tree" / "build" / "icons")
    print("Freezing", flush=True)
    pip = ["/build/venv/bin/pip", "install", "-q", "--no-index", "--find-links", "/build/wheels"]
    lock = f"/build/tree/packaging/lock/{wheels.LOCK}"
    root.run("python3", "-m", "venv", "/build/venv")
    root.run(*pip, "--require-hashes", "-r", lock)
    root.run(*pip, "--no-deps", NAME)
    spec = "/build/tree/packaging/batchwright.spec"
    root.run(
        "/build/venv/bin/pyinstaller", "--noconfirm", "--distpath", "/build/dist",
        "--workpath", "/build/scratch", spec,
        environ={"SOURCE_DATE_EPOCH": str(source_date(ROOT)), "PYTHONHASHSEED": "1"},
    )  # fmt: skip
    script = "/build/tree/packaging/bundling/slim.py"
    root.run("python3", "-B", script, f"/build/dist/{NAME}")
    return _taken(source, build, into, f"a clean Debian {chroot.SUITE}", root)


def in_place(source: Path, work: Path, into: Path) -> Built:
    """Freeze with a venv of its own on this very system. Raises CalledProcessError."""
    if sys.platform.startswith("linux"):  # elsewhere there is no other way, and no such libraries
        print(DIFFERENCES, flush=True)
    build = work / "in-place"
    shutil.rmtree(build, ignore_errors=True)
    shutil.copytree(source, build / "tree")
    icons.render(source / "resources" / "icons" / "app.svg", build / "tree" / "build" / "icons")
    subprocess.run([sys.executable, "-m", "venv", str(build / "venv")], check=True)
    scripts = build / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [str(scripts / "python"), "-m", "pip", "install", "-q"]
    lock = build / "tree" / "packaging" / "lock" / wheels.LOCK
    subprocess.run([*pip, "--require-hashes", "-r", str(lock)], check=True)
    subprocess.run([*pip, "--no-deps", str(build / "tree")], check=True)
    frozen = [str(scripts / "pyinstaller"), "--noconfirm", "--distpath", str(build / "dist")]
    frozen += ["--workpath", str(build / "scratch"), "--log-level", "WARN"]
    spec = build / "tree" / "packaging" / "batchwright.spec"
    subprocess.run([*frozen, str(spec)], check=True)
    if sys.platform.startswith("linux"):
        slim.main(build / "dist" / NAME)
    return _taken(source, build, into, "place", None)


def _taken(source: Path, build: Path, into: Path, built_in: str, root: chroot.Root | None) -> Built:
    """Move what was made out of the build folder, with the words about its parts."""
    version = version_of(source)
    out = into / f"{NAME}-{version}"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    site = next((build / "venv").rglob("site-packages"))
    made = build / "dist" / NAME
    found = parts.of_bundle(made, site, root)
    licences = out / "copyright"
    licences.write_text(notices.text(found, source), encoding="utf-8")
    bill = out / "sbom.cdx.json"
    bill.write_text(sbom.text(found, version), encoding="utf-8")
    for app in (build / "dist").glob("*.app"):
        shutil.move(str(app), out / app.name)
    shutil.move(str(made), out / "bundle")
    shutil.copytree(build / "tree" / "build" / "icons", out / "icons")
    return Built(out / "bundle", licences, bill, version, built_in)
