"""The words of licences, which go along whether or not a part brings its own: most parts that are
compiled into others are only named by them, and a name allows nobody anything."""

from __future__ import annotations

import re
from collections.abc import Iterable

import spdx
from places import PACKAGING

FOLDER = PACKAGING / "licences"

# What the words of one refer to, and is empty without.
_BUILT_ON = {"LGPL-3.0": ("GPL-3.0",)}

# Debian's packages point to these instead of quoting them; elsewhere that folder is missing.
_COMMON = re.compile(r"/usr/share/common-licenses/([\w.+-]*\w)")
_BY_DEBIAN = {
    "Artistic": "Artistic-1.0-Perl", "GPL": "GPL-3.0", "GPL-1": "GPL-1.0", "GPL-2": "GPL-2.0",
    "GPL-3": "GPL-3.0", "LGPL": "LGPL-3.0", "LGPL-2": "LGPL-2.0", "LGPL-3": "LGPL-3.0",
}  # fmt: skip


def title(licence: str) -> str:
    """The name that a licence's words go by: whether later versions may be taken is no part of
    them."""
    return re.sub(r"(-only|-or-later|\+)$", "", licence)


def of(licence: str) -> str:
    """The words of an SPDX licence or exception. Raises LookupError where there are none here."""
    file = FOLDER / f"{title(licence)}.txt"
    if not file.exists():
        raise LookupError(f"nobody has put the words of {licence} into {FOLDER}")
    return file.read_text(encoding="utf-8").strip("\n")


def named_in(expression: str) -> tuple[str, ...]:
    """The titles whose words an SPDX expression makes necessary, after the choice between them.
    Raises ValueError where it is none."""
    names: dict[str, None] = {}
    for licence in spdx.taken(expression):
        names |= dict.fromkeys((title(licence), *_BUILT_ON.get(title(licence), ())))
    return tuple(names)


def pointed_to(text: str) -> tuple[str, ...]:
    """The titles of what a Debian package's words point to instead of quoting it."""
    found = dict.fromkeys(_COMMON.findall(text))
    return tuple(_BY_DEBIAN.get(name, name) for name in found)


def of_all(titles: Iterable[str]) -> dict[str, str]:
    """Titles and words, each once, by the alphabet. Raises LookupError."""
    return {name: of(name) for name in sorted(set(titles), key=str.lower)}
