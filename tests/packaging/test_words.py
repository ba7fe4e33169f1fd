"""The words that are kept are those of the licence, and there is no licence without them."""

from __future__ import annotations

import re
from importlib.metadata import distribution

import pytest
import words


def _plain(text: str) -> str:
    """The words alone: line breaks and bullets differ from copy to copy."""
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


# Licence, a package that ships the same words, and where they begin after the copyright lines.
COPIES = [
    ("0BSD", "typing_extensions", "Permission to use"),
    ("Apache-2.0", "lazy-importer", "TERMS AND CONDITIONS FOR USE"),
    ("BSD-2-Clause", "qasync", "Redistribution and use"),
    ("BSD-3-Clause", "click", "Redistribution and use"),
    ("FTL", "pillow", "0. Definitions"),
    ("libpng-2.0", "pillow", "The software is supplied"),
    ("libtiff", "pillow", "Permission to use"),
    ("MIT", "rich", "Permission is hereby granted"),
    ("MIT-0", "cffi", "Permission is hereby granted"),
    ("MIT-Modern-Variant", "pillow", "Permission is hereby granted"),
    ("MIT-open-group", "pillow", "Permission to use"),
    ("MPL-2.0", "orjson", "1. Definitions"),
    ("Zlib", "pillow", "This software is provided"),
]


@pytest.mark.parametrize(("licence", "package", "begin"), COPIES, ids=[c[0] for c in COPIES])
def test_the_words_kept_are_those_that_others_ship(licence: str, package: str, begin: str) -> None:
    files = distribution(package).files or []
    shipped = "\n".join(f.read_text() for f in files if "licen" in f.name.lower())
    kept = words.of(licence)
    text = _plain(kept[kept.index(begin) :])
    if licence == "FTL":  # ends with an address that has moved
        text = text.rpartition(" http ")[0]
    assert text in _plain(shipped)


def test_of_every_licence_kept_the_words_are_there() -> None:
    for file in words.FOLDER.glob("*.txt"):
        assert len(words.of(file.stem).split()) > 40, file.name


def test_whether_later_versions_may_be_taken_changes_no_word() -> None:
    for name in ("LGPL-2.1-only", "LGPL-2.1-or-later", "LGPL-2.1+"):
        assert words.title(name) == "LGPL-2.1"
        assert "Version 2.1, February 1999" in words.of(name)


def test_a_licence_without_words_is_refused_by_its_name() -> None:
    with pytest.raises(LookupError, match=r"the words of Sleepycat into .*licences"):
        words.of("Sleepycat")


def test_with_a_licence_go_those_that_it_builds_on() -> None:
    assert words.named_in("LGPL-3.0-only OR GPL-2.0-only") == ("LGPL-3.0", "GPL-3.0")
    assert words.named_in("MIT AND GPL-2.0-or-later WITH Bootloader-exception") == (
        "MIT",
        "GPL-2.0",
        "Bootloader-exception",
    )


def test_what_debian_points_to_is_found_under_the_name_that_it_has_here() -> None:
    text = """
    can be found in /usr/share/common-licenses/GPL-2.
    or `/usr/share/common-licenses/LGPL-2.1', (/usr/share/common-licenses/Artistic)
    /usr/share/common-licenses/LGPL; /usr/share/common-licenses/GPL-2, "Apache License" in
    /usr/share/common-licenses/Apache-2.0
    the folder /usr/share/common-licenses/ itself
    """
    found = words.pointed_to(text)
    assert found == ("GPL-2.0", "LGPL-2.1", "Artistic-1.0-Perl", "LGPL-3.0", "Apache-2.0")
    assert all(words.of(name) for name in found)
