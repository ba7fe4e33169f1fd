"""Every part's licence is in the words that go along, once."""

from __future__ import annotations

import json
import platform

import parts
from inner import Inner
from places import ROOT

PARTS = [
    parts.Part("alpha", "1.0", "MIT", "pypi", "the words of alpha"),
    parts.Part("Be_ta", "2.0", "MIT", "pypi", "the words of alpha"),
    parts.Part(
        "gamma", "3.0", "BSD-3-Clause", "pypi", "",
        (Inner("crate", "0.5", "MIT", "Copyright Somebody", "pkg:cargo/crate@0.5"),),
    ),
    parts.Part("libc-part", "2:4.0-1+b1", "see its words", "deb", "Debian's words"),
]  # fmt: skip


def test_all_licences_stand_in_the_file_and_shared_words_once() -> None:
    said = parts.licences(PARTS, ROOT)
    assert said.count("the words of alpha") == 1
    assert "The same words as of alpha 1.0." in said
    assert "gamma 3.0: BSD-3-Clause" in said
    assert "Debian's words" in said
    assert "SIL OPEN FONT LICENSE" in said.upper()  # the practice font
    assert "GNU Lesser General Public License version 3" in said


def test_what_is_compiled_into_a_part_stands_below_it() -> None:
    said = parts.licences(PARTS, ROOT)
    below = said.partition("gamma 3.0")[2].partition("-" * 72)[0]
    assert "  crate 0.5: MIT (Copyright Somebody)" in below


def test_the_licences_of_qt_go_along_in_full() -> None:
    """Version 3 of the LGPL asks for it, and only Debian has them elsewhere."""
    said = parts.licences(PARTS, ROOT)
    for title, last in (
        ("GNU LESSER GENERAL PUBLIC LICENSE", "permanent authorization for you to choose that"),
        ("GNU GENERAL PUBLIC LICENSE", "<https://www.gnu.org/licenses/why-not-lgpl.html>"),
    ):
        words = said.rpartition(f" {title}\n                       Version 3, 29 June 2007")[2]
        assert last in words, title
    assert "UNICODE LICENSE V3" in said  # of its ICU


def test_without_a_root_the_interpreter_is_a_part() -> None:
    part = parts.of_interpreter()
    assert (part.name, part.version) == ("CPython", platform.python_version())
    assert part.licence == "PSF-2.0"


def test_the_bill_names_every_part() -> None:
    told = json.loads(parts.bill(PARTS, "1.2.3"))
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.5")
    assert told["metadata"]["component"]["version"] == "1.2.3"
    assert [part["purl"] for part in told["components"]] == [
        "pkg:pypi/alpha@1.0",
        "pkg:pypi/be-ta@2.0",
        "pkg:pypi/gamma@3.0",
        "pkg:deb/debian/libc-part@2%3A4.0-1%2Bb1",
    ]
    (held,) = told["components"][2]["components"]
    assert held == {
        "type": "library",
        "name": "crate",
        "version": "0.5",
        "purl": "pkg:cargo/crate@0.5",
        "licenses": [{"license": {"name": "MIT"}}],
    }
