"""What we know of parts beyond their makers' lists can be found, and is in use."""

from __future__ import annotations

import inner
import known
import spdx
from parts import Part


def test_a_part_is_found_whatever_its_version() -> None:
    told = {"pkg:cargo/crate": known.Known(copyright="Copyright Somebody")}
    for purl in ("pkg:cargo/crate", "pkg:cargo/crate@1.2", "pkg:cargo/crate@1.2?a=b#c"):
        assert known.of(purl, told).copyright == "Copyright Somebody"
    assert known.of("pkg:cargo/crates@1.2", told) == known.Known()


def test_each_licence_is_an_expression_and_each_entry_says_something() -> None:
    for purl, told in known.read().items():
        assert told.licence or told.copyright, purl
        assert not told.licence or spdx.is_expression(told.licence), purl


def test_no_entry_is_left_of_what_is_shipped_no_more(shipped: list[Part]) -> None:
    """PyInstaller is in no environment but that of a bundle, and one part is in macOS's wheel."""
    there = {f"pkg:pypi/{part.name.lower()}" for part in shipped}
    there |= {held.purl.partition("@")[0] for part in shipped for held in part.holds}
    absent = set(known.read()) - there
    assert absent <= {
        "pkg:pypi/pyinstaller",
        "pkg:pypi/pyinstaller-hooks-contrib",
        "pkg:cargo/nix",
    }


def test_a_line_of_ours_fills_the_gap(shipped: list[Part]) -> None:
    held = {one.purl.partition("@")[0]: one for part in shipped for one in part.holds}
    assert held["pkg:generic/openssl"].licence == "Apache-2.0"
    assert held["pkg:cargo/calamine"].copyright == "Copyright (c) 2016 Johann Tuffe"
    assert inner.UNKNOWN not in {one.licence for one in held.values()}
