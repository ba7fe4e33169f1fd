"""What the makers of a part leave out of their own lists, as somebody has read it for us in their
licence files (``licences/known.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from places import PACKAGING


@dataclass(frozen=True, slots=True)
class Known:
    """``licence``: an SPDX expression; ``copyright``: its line. Either is empty where the makers'
    own lists are enough."""

    licence: str = ""
    copyright: str = ""


def read() -> Mapping[str, Known]:
    """By address as a package, without a version (https://github.com/package-url/purl-spec)."""
    text = (PACKAGING / "licences" / "known.toml").read_text(encoding="utf-8")
    return {purl: Known(**told) for purl, told in tomllib.loads(text).items()}


def of(purl: str, known: Mapping[str, Known]) -> Known:
    """What is known of a part, whatever its version."""
    return known.get(purl.partition("#")[0].partition("?")[0].partition("@")[0], Known())
