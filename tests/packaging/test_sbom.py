"""The bill of materials names every part, in the fields that programs look into."""

from __future__ import annotations

import json

import sbom
from inner import Inner
from parts import Part

PARTS = [
    Part("alpha", "1.0", "MIT", "pypi", "the words of alpha"),
    Part("Be_ta", "2.0", "BSD License", "pypi", "the words of alpha"),
    Part(
        "gamma", "3.0", "BSD-3-Clause", "pypi", "",
        (Inner("crate", "0.5", "MIT OR Zlib", "Copyright Somebody", "pkg:cargo/crate@0.5"),),
    ),
    Part("libc-part", "2:4.0-1+b1", "see its words", "deb", "Debian's words"),
]  # fmt: skip


def test_the_bill_names_every_part() -> None:
    told = json.loads(sbom.text(PARTS, "1.2.3"))
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
        "licenses": [{"expression": "MIT OR Zlib"}],
        "copyright": "Copyright Somebody",
    }


def test_a_licence_that_can_be_looked_up_is_told_from_loose_wording() -> None:
    told = [part["licenses"] for part in json.loads(sbom.text(PARTS, "1.2.3"))["components"]]
    assert told[0] == [{"expression": "MIT"}]
    assert told[1] == [{"license": {"name": "BSD License"}}]
    assert told[3] == [{"license": {"name": "see its words"}}]
