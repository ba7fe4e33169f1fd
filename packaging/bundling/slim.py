"""Takes out of a Linux bundle what the spec's list left without a use: libraries that nothing kept
asks for any more, debugging symbols, and the locales in Qt's ICU. Run where it was built:

    python3 slim.py BUNDLE
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import icu

# Asked for by name at run time, not by a link: Python by the bootloader, D-Bus by Qt and the
# password store's libraries.
_BY_NAME = re.compile(r"libpython3|libdbus-1\.so")
_LIBRARY = re.compile(r"lib[^/]*\.so[.\d]*")


def needed(file: Path) -> set[str]:
    """The libraries that a binary links to."""
    said = subprocess.run(
        ["readelf", "-dW", str(file)], capture_output=True, text=True, check=False
    ).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", said))


def unused(inside: Path) -> list[Path]:
    """Libraries that no plugin and no module reaches. Modules and plugins are what is named unlike
    a shared library, or lies in a folder of plugins."""
    files = [f for f in inside.rglob("*.so*") if f.is_file() and not f.is_symlink()]
    libraries = {f.name: f for f in files if _is_library(f, inside)}
    reached: set[str] = set()
    ask = [f for f in files if libraries.get(f.name) is not f]
    ask += [f for name, f in libraries.items() if _BY_NAME.match(name)]
    while ask:
        file = ask.pop()
        if file.name in libraries:
            reached.add(file.name)
        ask += [libraries[n] for n in needed(file) if n in libraries and n not in reached]
        reached |= {n for n in needed(file) if n in libraries}
    return [f for name, f in sorted(libraries.items()) if name not in reached]


def _is_library(file: Path, inside: Path) -> bool:
    folder = file.parent.relative_to(inside).as_posix()
    at_home = (
        folder == "." or folder.endswith((".libs", "Qt/lib")) or folder in {"PySide6", "shiboken6"}
    )
    return at_home and bool(_LIBRARY.fullmatch(file.name))


def main(bundle: Path) -> None:
    """Make the bundle smaller, and say what went."""
    inside = bundle / "_internal"
    for file in unused(inside):
        print(f"without a use: {file.name}")
        file.unlink()
    for link in inside.rglob("*"):
        if link.is_symlink() and not link.exists():
            link.unlink()
    for module in inside.rglob("*.cpython-*.so"):
        _strip(module)
    for module in inside.rglob("*.abi3.so"):
        _strip(module)
    with tempfile.TemporaryDirectory() as scratch:
        for library in inside.rglob("libicudata.so.*"):
            if not library.is_symlink():
                icu.rebuild(library, Path(scratch))


def _strip(module: Path) -> None:
    """Debugging symbols go; libraries that a wheel's own tools have patched are left alone, since
    strip does not understand them."""
    subprocess.run(["strip", "--strip-unneeded", str(module)], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
