"""Whose work is in a bundle: read off what really lies in it, so that no licence is forgotten."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from urllib.parse import quote

import inner
from chroot import Root
from places import PACKAGING
from project import read as read_project

_LICENCE_NAMES = ("licen", "copying", "notice", "copyright", "authors")
_WORDS = PACKAGING / "licences"
_NOT_SHIPPED = {"pip", "setuptools", "altgraph", "pyinstaller-hooks-contrib", "packaging"}


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of other people's work. ``words``: its licence, as they wrote it; ``holds``: the
    work of yet others that is compiled into it."""

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
    found = [_of_package(package) for package in distributions(path=[str(site)])]
    python = [part for part in found if part is not None]
    system = [of_interpreter()] if root is None else _of_system(bundle, root)
    return sorted(python, key=lambda p: p.name.lower()) + system


def _of_package(package: Distribution) -> Part | None:
    meta = package.metadata
    name = meta["Name"]
    if name.lower() in _NOT_SHIPPED or name.lower() == "batchwright":
        return None
    files = [
        file
        for file in package.files or []
        if ".dist-info" in str(file) and any(n in file.name.lower() for n in _LICENCE_NAMES)
    ]
    words = "\n\n".join(file.read_text(encoding="utf-8") or "" for file in files).strip()
    classified = [
        line.rpartition(" :: ")[2]
        for line in meta.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    said = meta["License-Expression"] or "; ".join(classified) or (meta["License"] or "")
    said = said.splitlines()[0].strip() if said else ""
    if not words and not said:
        raise LookupError(f"{name} says nothing of its licence")
    holds = inner.of_package(package)
    return Part(name, package.version, said or "see its words", "pypi", words, holds)


def of_interpreter() -> Part:
    """The Python that is frozen where no system package brought it. Its words name the libraries
    that come with it, where it was made for Windows."""
    places = (
        Path(sys.base_prefix) / "LICENSE.txt",
        Path(os.__file__).with_name("LICENSE.txt"),
        Path("/usr/share/doc") / f"libpython3.{sys.version_info.minor}-minimal" / "copyright",
    )
    words = next((place.read_text("utf-8", "replace") for place in places if place.exists()), "")
    return Part("CPython", platform.python_version(), "PSF-2.0", "generic", words.strip())


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
        words = root.inside(f"/usr/share/doc/{name}/copyright")
        if not words.exists():
            raise LookupError(f"{name} says nothing of its licence")
        text = words.read_text(encoding="utf-8", errors="replace").strip()
        parts.append(Part(name, shown, "see its words", "deb", text))
    return parts


def licences(parts: Iterable[Part], source: Path) -> str:
    """The file ``copyright``: the program's own licence, then that of every part, then the words
    of what Qt and PySide are under, which their wheels lack. Words that several parts share stand
    once."""
    own = (source / "LICENSE").read_text(encoding="utf-8").strip()
    icons = (source / "resources" / "icons" / "LICENSE.txt").read_text(encoding="utf-8").strip()
    font = (source / "resources" / "fonts" / "OFL.txt").read_text(encoding="utf-8").strip()
    lines = [
        f"Batchwright. Source: {read_project().home_page}",
        "",
        own,
        "",
        "It comes with the work of others, each under its own licence. Qt and PySide are under the",
        "GNU Lesser General Public License version 3: their libraries are separate files in the",
        "program's folder and can be replaced by others with the same interface; their source is",
        "at https://download.qt.io/official_releases/QtForPython/. The words of that licence and",
        "of the GNU General Public License that it builds on stand at the end of this file.",
        "What is compiled into a part is named below it with its licence, as far as its makers",
        "list it.",
    ]
    first_with: dict[str, str] = {}
    whole = [
        Part("icons", "", "", "", icons),
        Part("practice font", "", "OFL-1.1", "", font),
        *parts,
        *(
            Part(name, "", "", "", (_WORDS / f"{name}.txt").read_text(encoding="utf-8").strip("\n"))
            for name in ("LGPL-3.0", "GPL-3.0", "Unicode-3.0")
        ),
    ]
    for part in whole:
        title = " ".join(word for word in (part.name, part.version) if word)
        lines += ["", "-" * 72, f"{title}: {part.licence}".rstrip(": "), ""]
        digest = hashlib.sha256(part.words.encode()).hexdigest()
        if not part.words:
            lines.append(f"Its licence is {part.licence}; the package ships no text of it.")
        elif digest in first_with:
            lines.append(f"The same words as of {first_with[digest]}.")
        else:
            first_with[digest] = title
            lines.append(part.words)
        if part.holds:
            lines += ["", "It holds:", *(f"  {held.line()}" for held in part.holds)]
    return "\n".join(lines) + "\n"


def bill(parts: Iterable[Part], version: str) -> str:
    """The parts as CycloneDX 1.5 JSON (https://cyclonedx.org/docs/1.5/json/)."""
    listed = [
        {
            "type": "library",
            "name": part.name,
            "version": part.version,
            "purl": _purl(part),
            "licenses": [{"license": {"name": part.licence}}],
            **({"components": [_held(held) for held in part.holds]} if part.holds else {}),
        }
        for part in parts
    ]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "batchwright", "version": version}
        },
        "components": listed,
    }
    return json.dumps(document, indent=2) + "\n"


def _purl(part: Part) -> str:
    """https://github.com/package-url/purl-spec: PyPI's names know no underscore, and what has a
    meaning in an address is escaped."""
    name = part.name.lower()
    place = {"deb": "deb/debian", "pypi": "pypi"}.get(part.kind, part.kind)
    name = name.replace("_", "-") if part.kind == "pypi" else name
    return f"pkg:{place}/{quote(name)}@{quote(part.version)}"


def _held(held: inner.Inner) -> dict[str, object]:
    version = {"version": held.version} if held.version else {}
    licences = [{"license": {"name": held.licence}}]
    scope = {"scope": "optional"} if held.optional else {}
    told = {"type": "library", "name": held.name, **version, **scope, "purl": held.purl}
    return {**told, "licenses": licences}
