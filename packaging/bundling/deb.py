"""The Debian package: the bundle under /usr/lib, and what a desktop looks for under /usr/share."""

from __future__ import annotations

import email.utils
import gzip
import os
import shutil
import subprocess
from pathlib import Path

import project
import share
from places import NAME, Built, debian_architecture, size_of

# What is not in the bundle because it belongs to the system: the C library, the graphics drivers'
# front ends, the X and Wayland libraries that must fit them, and fonts with Chinese in them.
DEPENDS = (
    "libc6 (>= 2.36)", "libstdc++6 (>= 12)", "libgcc-s1", "libgl1", "libegl1", "libx11-6",
    "libxcb1", "libwayland-client0", "libwayland-cursor0", "libwayland-egl1",
    "fontconfig-config", "xkb-data", "fonts-noto-cjk | fonts-wqy-microhei",
)  # fmt: skip
RECOMMENDS = ("gnome-keyring | kwalletmanager | keepassxc", "shared-mime-info", "xdg-utils")

SMALL = ("-Zxz", "-z7")
QUICK = ("-Zgzip", "-z1")  # for a package that nobody fetches

DESCRIPTION = """\
Description: batches of AI prompts from a spreadsheet
 Drop a spreadsheet of prompts; get every picture or answer back once, and know
 about every one that failed.
 .
 Each row is a durable task: nothing is lost when the program, the network or
 the computer stops, and nothing is paid for twice. Goes as fast as the account
 allows, groups failures by cause, and speaks English and Simplified Chinese.
"""


def control(version: str, size: int, architecture: str) -> str:
    """The control file; ``size`` in bytes."""
    whose = project.read()
    return (
        f"Package: {NAME}\nVersion: {version}\nArchitecture: {architecture}\n"
        f"Maintainer: {whose.maintainer}\nInstalled-Size: {-(-size // 1024)}\n"
        f"Depends: {', '.join(DEPENDS)}\nRecommends: {', '.join(RECOMMENDS)}\n"
        f"Section: utils\nPriority: optional\nHomepage: {whose.home_page}\n{DESCRIPTION}"
    )


def changelog(version: str, date: int) -> str:
    """Debian's form of it; what changed is told in the program's own, beside it."""
    when = email.utils.formatdate(date, usegmt=False)
    return (
        f"{NAME} ({version}) stable; urgency=medium\n\n"
        f"  * Release {version}; see CHANGELOG.gz for what changed.\n\n"
        f" -- {project.read().maintainer}  {when.replace('-0000', '+0000')}\n"
    )


def build(
    built: Built, source: Path, out: Path, date: int, *, packing: tuple[str, str] = SMALL
) -> Path:
    """Write ``batchwright_VERSION_ARCH.deb`` into ``out``, packed the way
    ``packing`` says. Raises CalledProcessError."""
    architecture = debian_architecture()
    tree = built.bundle.parent / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    home = tree / "usr" / "lib" / NAME
    home.parent.mkdir(parents=True)
    shutil.copytree(built.bundle, home, symlinks=True)
    command = tree / "usr" / "bin" / NAME
    command.parent.mkdir()
    command.symlink_to(f"../lib/{NAME}/{NAME}")
    share.write(built, source, tree / "usr" / "share", date, packed_man=True)
    doc = tree / "usr" / "share" / "doc" / NAME
    doc.mkdir(parents=True)
    shutil.copyfile(built.copyright, doc / "copyright")
    told = (source / "CHANGELOG.md").read_bytes()
    (doc / "CHANGELOG.gz").write_bytes(gzip.compress(told, mtime=0))
    own = changelog(built.version, date).encode()
    (doc / "changelog.gz").write_bytes(gzip.compress(own, mtime=0))
    overrides = tree / "usr" / "share" / "lintian" / "overrides" / NAME
    overrides.parent.mkdir(parents=True)
    shutil.copyfile(share.LINUX / "lintian-overrides", overrides)
    _set_modes(tree, home / NAME)
    about = tree / "DEBIAN"
    about.mkdir()
    text = control(built.version, size_of(tree), architecture)
    (about / "control").write_text(text, encoding="utf-8")
    package = out / f"{NAME}_{built.version}_{architecture}.deb"
    made = [
        "dpkg-deb",
        "--root-owner-group",
        *packing,
        "--build",
        str(tree),
        str(package),
    ]
    environ = {**os.environ, "SOURCE_DATE_EPOCH": str(date)}
    subprocess.run(made, check=True, env=environ, stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return package


def _set_modes(tree: Path, program: Path) -> None:
    """Whatever the umask of whoever builds: folders 755, files 644, the program 755."""
    tree.chmod(0o755)
    for path in tree.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path == program else 0o644)
