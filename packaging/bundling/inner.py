"""Whose work lies inside what others have compiled: neither pip nor the system knows of it, only
the lists of parts (CycloneDX, PEP 770) that a wheel may bring along."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from importlib.metadata import Distribution
from typing import Any
from urllib.parse import quote

from places import PACKAGING

QT = "PySide6_Essentials"
_OF_QT = PACKAGING / "licences" / "qt.toml"


@dataclass(frozen=True, slots=True)
class Inner:
    """A part of a part. ``copyright``: its line, where it is known; ``purl``: its address as a
    package (https://github.com/package-url/purl-spec); ``optional``: whether its makers say only
    that it can be in there."""

    name: str
    version: str
    licence: str
    copyright: str
    purl: str
    optional: bool = False

    def line(self) -> str:
        """``NAME VERSION: LICENCE (COPYRIGHT)``, as far as there is of each."""
        title = f"{self.name} {self.version}".strip()
        end = f" ({self.copyright})" if self.copyright else ""
        return f"{title}: {self.licence}{end}" + (", in some builds" if self.optional else "")


def of_package(package: Distribution) -> tuple[Inner, ...]:
    """What an installed package says that it holds, each once and by its name. Raises ValueError
    where a list is not of its form."""
    name = package.metadata["Name"]
    found = list(_of_qt()) if name == QT else []
    for file in package.files or []:
        if ".dist-info/sboms/" in file.as_posix() and file.suffix == ".json":
            told = json.loads(file.read_text(encoding="utf-8"))
            listed = told.get("components", [])
            # What only built it is "excluded" (https://cyclonedx.org/docs/1.5/json/#components).
            found += [_of_component(one) for one in listed if one.get("scope") != "excluded"]
    own = f"pkg:pypi/{name.lower()}"
    others = {(i.name.lower(), i.version): i for i in found if not i.purl.lower().startswith(own)}
    return tuple(sorted(others.values(), key=lambda inner: inner.name.lower()))


def _of_qt() -> list[Inner]:
    told = tomllib.loads(_OF_QT.read_text(encoding="utf-8"))
    return [
        Inner(p["name"], "", p["licence"], p["copyright"], _generic(p["name"], ""))
        for p in told["part"]
    ]


def _of_component(told: dict[str, Any]) -> Inner:
    name, version = told["name"], told.get("version") or ""
    purl = (told.get("purl") or "").partition("?")[0] or _generic(name, version)
    words = [_licence(one) for one in told.get("licenses") or []]
    said = " AND ".join(word for word in words if word)
    optional = told.get("scope") == "optional"
    return Inner(
        name, version, said or "see its source", told.get("copyright") or "", purl, optional
    )


def _licence(told: dict[str, Any]) -> str:
    named = told.get("license") or {}
    return str(told.get("expression") or named.get("id") or named.get("name") or "")


def _generic(name: str, version: str) -> str:
    return f"pkg:generic/{quote(name.lower())}" + (f"@{quote(version)}" if version else "")
