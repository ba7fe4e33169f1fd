"""What is compiled into a wheel is named, by the lists that it brings along."""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import PathDistribution, distribution
from pathlib import Path

import inner
import pytest
import words
from parts import Part

WAYLAND = "Wayland protocol: "
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


def test_what_a_wheel_leaves_out_of_its_list_is_in_ours(shipped: list[Part]) -> None:
    held = {part.name: {one.name for one in part.holds} for part in shipped}
    assert "libffi" in held["cffi"]
    assert "mypyc's runtime" in held["charset-normalizer"]
    for package in ("cryptography", "orjson", "python-calamine"):
        assert "Rust's standard library" in held[package]


def test_each_library_that_a_wheel_brings_is_named_in_it(shipped: list[Part]) -> None:
    """By its maker's list or in the licence file, where some go by other names."""
    known = {"openjp2": "openjpeg", "sharpyuv": "libwebp", "webpdemux": "libwebp"}
    known |= {"webpmux": "libwebp", "brotlicommon": "brotli", "brotlidec": "brotli", "png16": "png"}
    unnamed = []
    for part in shipped:
        told = f"{part.words} {' '.join(one.name for one in part.holds)}".lower()
        for file in distribution(part.name).files or []:
            if file.parts[0].endswith(".libs"):
                plain = re.sub(r"^lib|-[0-9a-f]{8}\.so.*$", "", file.name).lower()
                if known.get(plain, plain) not in told:
                    unnamed.append(file.name)
    assert unnamed == []


def test_qt_brings_no_list_so_that_there_is_one_here() -> None:
    found = {part.name: part for part in inner.of_package(distribution(inner.QT))}
    assert found["TinyCBOR"].line() == "TinyCBOR: MIT (Copyright (C) 2015-2021 Intel Corporation)"
    assert {"HarfBuzz", "PCRE2", "FreeType", "zlib", "libjpeg-turbo"} <= set(found)


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_each_of_qt_s_parts_has_words_and_a_line_on_every_system(system: str) -> None:
    found = inner.of_qt(system)
    assert len(found) > 40
    for part in found:
        assert all(words.of(name) for name in words.named_in(part.licence)), part.name
        assert part.copyright, part.name


def test_a_part_of_qt_is_named_on_the_systems_that_have_it() -> None:
    on = {
        system: {part.name for part in inner.of_qt(system)}
        for system in ("linux", "darwin", "win32")
    }
    everywhere = on["linux"] & on["darwin"] & on["win32"]
    assert {"PCRE2", "libpng"} <= everywhere
    assert on["linux"] - everywhere >= {"ICU", "Wayland protocol: xdg-shell", "XCB-XInput"}
    assert on["darwin"] - everywhere == {
        "forkfd",
        "Cocoa platform plugin",
        "QEventDispatcher on macOS",
    }
    assert "IAccessible2" in on["win32"] - everywhere


def test_each_wayland_protocol_that_qt_speaks_is_named() -> None:
    """Read out of the libraries: a new version of Qt may speak more of them."""
    if not sys.platform.startswith("linux"):
        pytest.skip("Qt speaks to Wayland on Linux alone")
    package = Path(str(distribution(inner.QT).locate_file("PySide6")))
    files = [*package.glob("Qt/lib/libQt6Wayland*Client*.so*")]
    files += package.glob("Qt/plugins/*/libqwayland*.so")
    files += package.glob("Qt/plugins/wayland-*-integration/*.so")
    said = b"".join(file.read_bytes() for file in files)
    spoken = set(
        re.findall(rb"\0((?:wp|zwp|xdg|zxdg|xx|zwlr|ext|org_kde)_[a-z_]+)(?:_v\d)?\0", said)
    )
    whole = [part.name for part in inner.of_qt("linux")]
    names = [one.removeprefix(WAYLAND) for one in whole if one.startswith(WAYLAND)]
    unknown = {one.decode() for one in spoken if not _is_named(one.decode(), names)}
    assert spoken
    assert unknown == set()


def _is_named(interface: str, names: list[str]) -> bool:
    """Whether a protocol's name is in the interface's, or is known to go with it."""
    known = {
        "org_kde_kwin_appmenu": "KDE's D-Bus menu", "wp_image_description": "color-management",
        "wp_color_manager": "color-management", "wp_viewport": "viewporter",
        "xdg_wm_dialog": "xdg-dialog", "xdg_popup": "xdg-shell", "xdg_positioner": "xdg-shell",
        "xdg_surface": "xdg-shell", "xdg_toplevel": "xdg-shell", "xdg_wm_base": "xdg-shell",
        "xx_": "session-management", "zxdg_exporte": "xdg-foreign",
        "zxdg_importe": "xdg-foreign", "zwp_pointer_gesture": "pointer-gestures",
    }  # fmt: skip
    if any(interface.startswith(start) and name in names for start, name in known.items()):
        return True
    return any(name.partition(" ")[0] in interface.replace("_", "-") for name in names)
