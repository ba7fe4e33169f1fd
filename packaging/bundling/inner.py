"""Whose work lies inside what others have compiled: neither pip nor the system knows of it, only
the lists of parts (CycloneDX, PEP 770) that a wheel may bring along, or else ours."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution
from typing import Any
from urllib.parse import quote

import known
import spdx
from places import PACKAGING

QT = "PySide6_Essentials"
UNKNOWN = "see its source"
_OF_QT = ("qt.toml", "qt-wayland.toml")
_OF_OTHERS = "unlisted.toml"


@dataclass(frozen=True, slots=True)
class Inner:
    """A part of a part. ``licence``: an SPDX expression, or ``UNKNOWN``; ``copyright``: its line,
    where it is known; ``purl``: its address as a package
    (https://github.com/package-url/purl-spec); ``optional``: whether its makers say only that it
    can be in there; ``by``: who wrote it, ``source``: a page that leads to its source."""

    name: str
    version: str
    licence: str
    copyright: str
    purl: str
    optional: bool = False
    by: str = ""
    source: str = ""

    def line(self) -> str:
        """``NAME VERSION: LICENCE (COPYRIGHT)``, as far as there is of each. Who has no copyright
        line is named as its author instead, with the place where the line must be."""
        told = f"{self.name} {self.version}".strip() + f": {self.licence}"
        if " OR " in self.licence and spdx.is_expression(self.licence):
            told += f", taken as {' AND '.join(spdx.taken(self.licence))}"
        if self.copyright:
            told += f" ({self.copyright})"
        if self.optional:
            told += ", in some builds"
        if not self.copyright:
            told += f"; by {self.by}" if self.by else ""
            told += f"; source: {self.source}" if self.source else ""
        return told


def of_package(package: Distribution) -> tuple[Inner, ...]:
    """What an installed package says that it holds, and what we know besides, each once and by its
    name. Raises ValueError where a list is not of its form."""
    name = package.metadata["Name"]
    found = _unlisted(name)
    more = known.read()
    for file in package.files or []:
        if ".dist-info/sboms/" in file.as_posix() and file.suffix == ".json":
            told = json.loads(file.read_text(encoding="utf-8"))
            listed = told.get("components", [])
            # What only built it is "excluded" (https://cyclonedx.org/docs/1.5/json/#components).
            found += [_of_component(one, more) for one in listed if one.get("scope") != "excluded"]
    own = f"pkg:pypi/{name.lower()}"
    others = {(i.name.lower(), i.version): i for i in found if not i.purl.lower().startswith(own)}
    return tuple(sorted(others.values(), key=lambda inner: inner.name.lower()))


def of_qt(system: str) -> list[Inner]:
    """What lies in Qt's and PySide's libraries for a system (``sys.platform``)."""
    return [part for name in _OF_QT for part in _of_table(_table(name), system)]


def _unlisted(package: str) -> list[Inner]:
    if package == QT:
        return of_qt(sys.platform)
    return _of_table(_table(_OF_OTHERS).get(package.lower(), {}), sys.platform)


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((PACKAGING / "licences" / name).read_text(encoding="utf-8"))


def _of_table(told: dict[str, Any], system: str) -> list[Inner]:
    return [
        Inner(name, "", part["licence"], part["copyright"], _generic(name, ""))
        for name, part in told.items()
        if system in part.get("on", [system])
    ]


def _of_component(told: dict[str, Any], more: Mapping[str, known.Known]) -> Inner:
    name, version = told["name"], told.get("version") or ""
    purl = (told.get("purl") or "").partition("?")[0] or _generic(name, version)
    ours = known.of(purl, more)
    words = [word for word in map(_licence, told.get("licenses") or []) if word]
    said = words[0] if len(words) == 1 else " AND ".join(_bracketed(word) for word in words)
    return Inner(
        name,
        version,
        ours.licence or said or UNKNOWN,
        ours.copyright or told.get("copyright") or "",
        purl,
        optional=told.get("scope") == "optional",
        by=_authors(told),
        source=_page(told, name, version, purl),
    )


def _licence(told: dict[str, Any]) -> str:
    named = told.get("license") or {}
    return str(told.get("expression") or named.get("id") or named.get("name") or "")


def _bracketed(expression: str) -> str:
    return f"({expression})" if " OR " in expression else expression


def _authors(told: dict[str, Any]) -> str:
    """One text until version 1.5 of the format, a list since. Nobody asked for their mail."""
    names = [one.get("name") or "" for one in told.get("authors") or []]
    return re.sub(r"\s*<[^>]*>", "", told.get("author") or ", ".join(names))


def _page(told: dict[str, Any], name: str, version: str, purl: str) -> str:
    if "download_url=file:" in (told.get("purl") or ""):
        return ""  # lies in the package's own source
    if purl.startswith("pkg:cargo/"):
        return f"https://crates.io/crates/{name}/{version}"
    pages = {one.get("type"): one.get("url") for one in told.get("externalReferences") or []}
    kinds = ("distribution", "vcs", "website")
    return str(next((pages[kind] for kind in kinds if pages.get(kind)), purl))


def _generic(name: str, version: str) -> str:
    return f"pkg:generic/{quote(name.lower())}" + (f"@{quote(version)}" if version else "")
