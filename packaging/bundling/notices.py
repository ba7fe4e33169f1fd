"""The file ``copyright``: everybody whose work goes along, what they allow, and in which words. For
the people who get the program; the licences ask for it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import inner
import spdx
import words
from parts import Part
from project import read as read_project

_OPENING = """\
It comes with the work of others, each under its own licence. Qt and PySide are under the
GNU Lesser General Public License version 3: their libraries are separate files in the
program's folder and can be replaced by others with the same interface; their source is
at https://download.qt.io/official_releases/QtForPython/. The source of what came out of
Debian's packages, which are named with their versions, is at https://snapshot.debian.org/.

What is compiled into a part is named below it with its licence, as far as its makers
list it, and with its copyright line, or where there is none in their lists, with its
authors and the place of its source. Where a licence leaves a choice, it says which one
is taken.

The words of all these licences stand at the end of this file, each once: where they have
a place for a year and a name, they are those of the copyright line that the part is named
with. There too is what a package of Debian's means by /usr/share/common-licenses, whose
GPL-2 is called GPL-2.0 here, and so on.\
"""

# What these two ask to be said where a program tells of itself.
_CREDITS = {
    "FTL": "Portions of this software are copyright (C) The FreeType Project (www.freetype.org). "
    "All rights\nreserved.",
    "IJG": "This software is based in part on the work of the Independent JPEG Group.",
}
_RULE = "-" * 72


def text(parts: Iterable[Part], source: Path) -> str:
    """The program's own licence, then every part with its licence and its words, then the words of
    all the licences named. Words that several parts share stand once. Raises LookupError where a
    licence is named whose words are not here."""
    parts = list(parts)
    own = (source / "LICENSE").read_text(encoding="utf-8").strip()
    icons = (source / "resources" / "icons" / "LICENSE.txt").read_text(encoding="utf-8").strip()
    font = (source / "resources" / "fonts" / "OFL.txt").read_text(encoding="utf-8").strip()
    lines = [f"Batchwright. Source: {read_project().home_page}", "", own, "", _OPENING]
    first_with: dict[str, str] = {}
    drawn = [Part("icons", "", "", "", icons), Part("practice font", "", "OFL-1.1", "", font)]
    for part in [*drawn, *parts]:
        lines += _section(part, first_with)
    for name, licence in words.of_all(_named(parts)).items():
        credit = [_CREDITS[name], ""] if name in _CREDITS else []
        lines += ["", _RULE, f"The words of {name}", "", *credit, licence]
    return "\n".join(lines) + "\n"


def _section(part: Part, first_with: dict[str, str]) -> list[str]:
    title = " ".join(word for word in (part.name, part.version) if word)
    lines = ["", _RULE, f"{title}: {part.licence}".rstrip(": ")]
    if " OR " in part.licence and spdx.is_expression(part.licence):
        lines.append(f"taken as {' AND '.join(spdx.taken(part.licence))}")
    lines.append("")
    digest = hashlib.sha256(part.words.encode()).hexdigest()
    if not part.words:
        lines.append("Its words stand at the end of this file.")
    elif digest in first_with:
        lines.append(f"The same words as of {first_with[digest]}.")
    else:
        first_with[digest] = title
        lines.append(part.words)
    if part.holds:
        lines += ["", "It holds:", *(f"  {held.line()}" for held in part.holds)]
    return lines


def _named(parts: Iterable[Part]) -> list[str]:
    """Titles of all licences whose words must be shown. Raises LookupError where a part that is
    compiled in has a licence that cannot be looked up: nothing but its name would go along."""
    found: list[str] = []
    for part in parts:
        if spdx.is_expression(part.licence):
            found += words.named_in(part.licence)
        if part.kind == "deb":
            found += words.pointed_to(part.words)
        for held in part.holds:
            if held.licence == inner.UNKNOWN:
                continue
            if not spdx.is_expression(held.licence):
                raise LookupError(f"{held.name} in {part.name}: {held.licence!r} has no words")
            found += words.named_in(held.licence)
    return found
