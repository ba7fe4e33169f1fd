"""Every licence that is named stands in the file ``copyright`` with its words, once."""

from __future__ import annotations

import re
from dataclasses import replace

import inner
import notices
import pytest
import spdx
import words
from inner import Inner
from parts import Part
from places import ROOT

CRATE = Inner("crate", "0.5", "MIT", "Copyright Somebody", "pkg:cargo/crate@0.5")
PARTS = [
    Part("alpha", "1.0", "MIT", "pypi", "the words of alpha"),
    Part("Be_ta", "2.0", "MIT", "pypi", "the words of alpha"),
    Part("gamma", "3.0", "LGPL-3.0-only OR GPL-3.0-only", "pypi", "", (CRATE,)),
    Part(
        "libc-part", "2:4.0-1+b1", "in Debian's names, GPL-1+", "deb",
        "Debian's words, see /usr/share/common-licenses/GPL-1.",
    ),
]  # fmt: skip


def _words_in(said: str) -> list[str]:
    return re.findall(r"^-{72}\nThe words of (.+)$", said, re.MULTILINE)


def test_all_licences_stand_in_the_file_and_shared_words_once() -> None:
    said = notices.text(PARTS, ROOT)
    assert said.count("the words of alpha") == 1
    assert "The same words as of alpha 1.0." in said
    assert "gamma 3.0: LGPL-3.0-only OR GPL-3.0-only\ntaken as LGPL-3.0-only" in said
    assert "Debian's words" in said
    assert "SIL OPEN FONT LICENSE" in said.upper()  # the practice font
    assert _words_in(said) == ["GPL-1.0", "GPL-3.0", "LGPL-3.0", "MIT"]


def test_what_is_compiled_into_a_part_stands_below_it() -> None:
    said = notices.text(PARTS, ROOT)
    below = said.partition("gamma 3.0")[2].partition("-" * 72)[0]
    assert "  crate 0.5: MIT (Copyright Somebody)" in below


@pytest.mark.parametrize("licence", ["Sleepycat", "MIT AND Sleepycat", "MIT/Apache-2.0"])
def test_a_licence_that_has_no_words_stops_the_build(licence: str) -> None:
    part = replace(PARTS[2], holds=(replace(CRATE, licence=licence),))
    with pytest.raises(LookupError, match=r"Sleepycat|MIT/Apache-2\.0"):
        notices.text([part], ROOT)


def test_of_a_choice_only_the_licence_that_is_taken_needs_its_words() -> None:
    part = replace(PARTS[2], holds=(replace(CRATE, licence="Sleepycat OR Zlib"),))
    said = notices.text([part], ROOT)
    assert "crate 0.5: Sleepycat OR Zlib, taken as Zlib" in said
    assert "Zlib" in _words_in(said)


def test_what_debian_points_to_and_nobody_has_stops_the_build() -> None:
    part = replace(PARTS[3], words="see /usr/share/common-licenses/GFDL-9.9")
    with pytest.raises(LookupError, match=r"GFDL-9\.9"):
        notices.text([part], ROOT)


def test_the_licences_of_qt_go_along_in_full() -> None:
    """Version 3 of the LGPL asks for it, and only Debian has them elsewhere."""
    said = notices.text(PARTS, ROOT)
    for title, last in (
        ("GNU LESSER GENERAL PUBLIC LICENSE", "permanent authorization for you to choose that"),
        ("GNU GENERAL PUBLIC LICENSE", "<https://www.gnu.org/licenses/why-not-lgpl.html>"),
    ):
        found = said.rpartition(f" {title}\n                       Version 3, 29 June 2007")[2]
        assert last in found, title


def test_the_credits_that_two_licences_ask_for_are_given() -> None:
    holds = (replace(CRATE, licence="IJG"), replace(CRATE, licence="FTL OR GPL-2.0-only"))
    said = notices.text([replace(PARTS[2], holds=holds)], ROOT)
    assert "based in part on the work of the Independent JPEG Group" in said
    assert "copyright (C) The FreeType Project" in said


def test_of_what_is_shipped_every_licence_has_its_words(shipped: list[Part]) -> None:
    said = notices.text(shipped, ROOT)
    there = _words_in(said)
    assert len(there) == len(set(there))
    named = [part.licence for part in shipped] + [h.licence for p in shipped for h in p.holds]
    assert {title for licence in named for title in words.named_in(licence)} <= set(there)
    for title in there:
        assert words.of(title) in said
    for excuse in ("ships no text", inner.UNKNOWN, "see its words"):
        assert excuse not in said


def test_of_what_is_shipped_every_copyright_line_that_is_asked_for_is_there(
    shipped: list[Part],
) -> None:
    """A new part of this kind? Read its licence file, and put the line into known.toml."""
    missing = [
        f"{held.line()}, in {part.name}"
        for part in shipped
        for held in part.holds
        if set(spdx.taken(held.licence)) - set(spdx.WORDS_ARE_ENOUGH) and not held.copyright
    ]
    assert missing == []
