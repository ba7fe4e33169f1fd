"""Whose work is in a bundle: read off what really lies in it, so that no licence is forgotten."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path

import inner
import known
import purls
import spdx
from chroot import Root

UNKNOWN = "see its words"
_LICENCE_NAMES = ("licen", "copying", "notice", "copyright", "authors")
_NOT_SHIPPED = {"pip", "setuptools", "altgraph", "packaging"}

# PyPI's words for one licence; others of its words stand for several.
_CLASSIFIERS = {"MIT License": "MIT", "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0"}


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of other people's work. ``licence``: an SPDX expression where its makers or we
    know one, else their name for it; ``words``: it, as they wrote it; ``holds``: the work of yet
    others that is compiled into it."""

    name: str
    version: str
    licence: str
    kind: str
    words: str
    holds: tuple[inner.Inner, ...] = ()


def of_bundle(bundle: Path, site: Path, root: Root | None) -> list[Part]:
    """Everything that the bundle holds: Python packages as installed in ``site``, and libraries of
    the root's system packages, or, without a root, this interpreter. Raises LookupError where a
    part has no licence to show."""
    python = of_packages(distributions(path=[str(site)]))
    return python + ([of_interpreter()] if root is None else _of_system(bundle, root))


def of_packages(packages: Iterable[Distribution]) -> list[Part]:
    """Those of installed packages that are shipped, by name. Raises LookupError."""
    more = known.read()
    found = [_of_package(package, more) for package in packages]
    return sorted((part for part in found if part is not None), key=lambda p: p.name.lower())


def _of_package(package: Distribution, more: Mapping[str, known.Known]) -> Part | None:
    meta = package.metadata
    name = meta["Name"]
    if name.lower() in _NOT_SHIPPED or name.lower() == "batchwright":
        return None
    files = [
        file
        for file in package.files or []
        if ".dist-info" in str(file) and any(n in file.name.lower() for n in _LICENCE_NAMES)
    ]
    text = "\n\n".join(file.read_text(encoding="utf-8") or "" for file in files).strip()
    classified = [
        line.rpartition(" :: ")[2]
        for line in meta.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    ours = known.of(purls.of("pypi", name, ""), more).licence
    expressions, texts = meta.get_all("License-Expression"), meta.get_all("License")
    said = "".join(expressions or []) or ours or "; ".join(classified) or "".join(texts or [])
    said = said.splitlines()[0].strip() if said else ""
    said = _CLASSIFIERS.get(said, said)
    if not text and not spdx.is_expression(said):
        raise LookupError(f"{name} says nothing of its licence")
    return Part(name, package.version, said or UNKNOWN, "pypi", text, inner.of_package(package))


def of_interpreter() -> Part:
    """The Python that is frozen where no system package brought it. Its words name the libraries
    that come with it, where it was made for Windows."""
    places = (
        Path(sys.base_prefix) / "LICENSE.txt",
        Path(os.__file__).with_name("LICENSE.txt"),
        Path("/usr/share/doc") / f"libpython3.{sys.version_info.minor}-minimal" / "copyright",
    )
    text = next((place.read_text("utf-8", "replace") for place in places if place.exists()), "")
    return Part("CPython", platform.python_version(), "PSF-2.0", "generic", text.strip())


def _of_system(bundle: Path, root: Root) -> list[Part]:
    """The Debian packages whose libraries were taken along."""
    names = {file.name for file in bundle.rglob("*.so*") if file.is_file()}
    names |= {"libpython3.11.so.1.0"}
    places = [f"*/{name}" for name in sorted(names)]
    asked = root.run("dpkg", "-S", *places, check=False).stdout
    packages = {line.split(":")[0] for line in asked.splitlines() if ": " in line}
    # Also in the root, and not what was taken: a copy in a wheel has the wheel's licence.
    parts = []
    for name in sorted(packages):
        shown = root.run("dpkg-query", "-W", "-f", "${Version}", name, check=False).stdout
        place = root.inside(f"/usr/share/doc/{name}/copyright")
        if not place.exists():
            raise LookupError(f"{name} says nothing of its licence")
        text = place.read_text(encoding="utf-8", errors="replace").strip()
        parts.append(Part(name, shown, debian_names(text), "deb", text))
    return parts


def debian_names(text: str) -> str:
    """The licences that a Debian package's file names, in Debian's own names for them, some of
    which SPDX has for others (https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/)."""
    found = re.findall(r"^License:[ \t]*(\S.*)$", text, re.MULTILINE)
    if not (found and text.startswith("Format:")):
        return UNKNOWN
    return f"in Debian's names, {'; '.join(dict.fromkeys(name.strip() for name in found))}"
