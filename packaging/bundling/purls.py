"""Addresses of packages (https://github.com/package-url/purl-spec), which programs that check a
bill of materials look up."""

from __future__ import annotations

from urllib.parse import quote


def of(kind: str, name: str, version: str) -> str:
    """``pkg:KIND/NAME@VERSION``, without a version where it is empty. PyPI's names know no
    underscore, and what has a meaning in an address is escaped."""
    name = name.lower()
    place = {"deb": "deb/debian"}.get(kind, kind)
    name = name.replace("_", "-") if kind == "pypi" else name
    return f"pkg:{place}/{quote(name)}" + (f"@{quote(version)}" if version else "")
