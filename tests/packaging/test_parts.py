"""Every part's licence is in the words that go along, once."""

from __future__ import annotations

import json

import parts
from places import ROOT

PARTS = [
    parts.Part("alpha", "1.0", "MIT", "pypi", "the words of alpha"),
    parts.Part("beta", "2.0", "MIT", "pypi", "the words of alpha"),
    parts.Part("gamma", "3.0", "BSD-3-Clause", "pypi", ""),
    parts.Part("libc-part", "4.0-1", "see its words", "deb", "Debian's words"),
]


def test_all_licences_stand_in_the_file_and_shared_words_once() -> None:
    said = parts.licences(PARTS, ROOT)
    assert said.count("the words of alpha") == 1
    assert "The same words as of alpha 1.0." in said
    assert "gamma 3.0: BSD-3-Clause" in said
    assert "Debian's words" in said
    assert "SIL OPEN FONT LICENSE" in said.upper()  # the practice font
    assert "GNU Lesser General Public License version 3" in said


def test_the_bill_names_every_part() -> None:
    told = json.loads(parts.bill(PARTS, "1.2.3"))
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.5")
    assert told["metadata"]["component"]["version"] == "1.2.3"
    assert [part["purl"] for part in told["components"]] == [
        "pkg:pypi/alpha@1.0",
        "pkg:pypi/beta@2.0",
        "pkg:pypi/gamma@3.0",
        "pkg:deb/debian/libc-part@4.0-1",
    ]
