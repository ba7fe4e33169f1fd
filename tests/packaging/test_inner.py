"""What is compiled into a wheel is named, by the lists that it brings along."""

from __future__ import annotations

import json
from importlib.metadata import PathDistribution, distribution
from pathlib import Path

import inner

COMPONENTS = [
    {
        "name": "crate",
        "version": "1.2",
        "licenses": [{"expression": "MIT OR Apache-2.0"}],
        "purl": "pkg:cargo/crate@1.2?download_url=file://crate",
        "author": "Ann <ann@example.org>, Bo <bo@example.org>",
    },
    {"name": "FreeType", "version": "2.14.3", "licenses": [{"license": {"id": "FTL"}}]},
    {"name": "two", "version": "1", "licenses": [{"license": {"id": "IJG"}},
                                                 {"expression": "MIT OR Zlib"}]},
    {"name": "compiler", "version": "1", "scope": "excluded"},
    {"name": "maybe", "version": "2", "scope": "optional", "authors": [{"name": "Cy"}],
     "externalReferences": [{"type": "website", "url": "https://maybe.example.org"}]},
    {"name": "openssl", "version": "4.0", "purl": "pkg:generic/openssl@4.0"},
    {"name": "other", "version": "3", "licenses": [{"license": {"id": "MIT"}}],
     "purl": "pkg:cargo/other@3"},
    {"name": "Thing._c", "version": "3.0", "purl": "pkg:pypi/thing@3.0#c-ext/Thing._c"},
]  # fmt: skip


def _package(site: Path, components: object) -> PathDistribution:
    folder = site / "thing-3.0.dist-info"
    (folder / "sboms").mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.4\nName: Thing\nVersion: 3.0\n")
    lists = ("one.cyclonedx.json", "same.cdx.json")
    for name in lists:
        (folder / "sboms" / name).write_text(json.dumps({"components": components}))
    listed = ["METADATA", *(f"sboms/{name}" for name in lists)]
    (folder / "RECORD").write_text("".join(f"{folder.name}/{name},,\n" for name in listed))
    return PathDistribution(folder)


def test_each_is_named_once_with_its_licence_and_the_package_itself_is_not(tmp_path: Path) -> None:
    found = inner.of_package(_package(tmp_path, COMPONENTS))
    assert [(held.line(), held.purl) for held in found] == [
        (
            "crate 1.2: MIT OR Apache-2.0, taken as Apache-2.0; by Ann, Bo",
            "pkg:cargo/crate@1.2",
        ),
        (
            "FreeType 2.14.3: FTL"
            " (Copyright (C) 1996-2023 David Turner, Robert Wilhelm and Werner Lemberg)",
            "pkg:generic/freetype@2.14.3",
        ),
        (
            "maybe 2: see its source, in some builds; by Cy; source: https://maybe.example.org",
            "pkg:generic/maybe@2",
        ),
        (
            "openssl 4.0: Apache-2.0 (Copyright (c) 1995-2020 The OpenSSL Project Authors;"
            " 1995-1998 Eric A. Young, Tim J. Hudson)",
            "pkg:generic/openssl@4.0",
        ),
        ("other 3: MIT; source: https://crates.io/crates/other/3", "pkg:cargo/other@3"),
        (
            "two 1: IJG AND (MIT OR Zlib), taken as IJG AND Zlib; source: pkg:generic/two@1",
            "pkg:generic/two@1",
        ),
    ]


def test_the_lists_of_what_is_shipped_are_read() -> None:
    held = {part.name.lower(): part.licence for part in inner.of_package(distribution("orjson"))}
    assert "Apache-2.0" in held["pyo3-ffi"]
    assert "openssl" in {part.name for part in inner.of_package(distribution("cryptography"))}


def test_qt_brings_no_list_so_that_there_is_one_here() -> None:
    found = {part.name: part for part in inner.of_package(distribution(inner.QT))}
    assert found["ICU"].line() == "ICU: Unicode-3.0 (Copyright (C) 1991-2023 Unicode, Inc.)"
    assert {"HarfBuzz", "PCRE2", "FreeType", "zlib", "libjpeg-turbo"} <= set(found)
    assert all(part.licence and part.copyright for part in found.values())
