"""Whose work is in a bundle, and what each says of its licence."""

from __future__ import annotations

import platform
from importlib.metadata import PathDistribution
from pathlib import Path

import parts
import pytest
import spdx


def _package(site: Path, name: str, metadata: str, licence: str = "") -> PathDistribution:
    folder = site / f"{name}-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n{metadata}"
    )
    files = ["METADATA"]
    if licence:
        (folder / "LICENSE").write_text(licence)
        files.append("LICENSE")
    (folder / "RECORD").write_text("".join(f"{folder.name}/{file},,\n" for file in files))
    return PathDistribution(folder)


@pytest.mark.parametrize(
    ("name", "metadata", "licence"),
    [
        ("said", "License-Expression: MIT OR Zlib\n", "MIT OR Zlib"),
        ("classified", "Classifier: License :: OSI Approved :: MIT License\n", "MIT"),
        ("vague", "Classifier: License :: OSI Approved :: BSD License\n", "BSD License"),
        ("field", "License: MIT\n", "MIT"),
        ("mute", "", "see its words"),
        # Known to us, whatever its own metadata say less clearly.
        ("Jinja2", "Classifier: License :: OSI Approved :: BSD License\n", "BSD-3-Clause"),
        ("pyinstaller", "License: GPLv2-or-later with a special exception\n",
         "GPL-2.0-or-later WITH Bootloader-exception AND Apache-2.0"),
    ],
)  # fmt: skip
def test_a_package_is_named_with_the_clearest_that_is_known_of_its_licence(
    tmp_path: Path, name: str, metadata: str, licence: str
) -> None:
    (part,) = parts.of_packages([_package(tmp_path, name, metadata, "its words")])
    assert (part.licence, part.words) == (licence, "its words")


def test_a_package_without_words_needs_a_licence_that_can_be_looked_up(tmp_path: Path) -> None:
    (part,) = parts.of_packages([_package(tmp_path, "short", "License: MIT\n")])
    assert (part.licence, part.words) == ("MIT", "")
    vague = _package(tmp_path, "vague", "Classifier: License :: OSI Approved :: BSD License\n")
    with pytest.raises(LookupError, match="vague says nothing of its licence"):
        parts.of_packages([vague])


def test_what_only_builds_and_the_program_itself_are_no_parts(tmp_path: Path) -> None:
    names = ("pip", "setuptools", "batchwright", "altgraph")
    assert parts.of_packages([_package(tmp_path, name, "License: MIT\n") for name in names]) == []


def test_of_what_is_shipped_every_licence_can_be_looked_up(shipped: list[parts.Part]) -> None:
    assert [p.name for p in shipped if not spdx.is_expression(p.licence)] == []


def test_debian_s_own_names_are_told_where_its_file_has_them() -> None:
    text = (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
        "Files: *\nCopyright: Somebody\nLicense: GPL-2+ or AFL-2.1\n\n"
        "Files: debian/*\nLicense: Expat\n\nLicense: Expat\n Permission is granted\n"
    )
    assert parts.debian_names(text) == "in Debian's names, GPL-2+ or AFL-2.1; Expat"
    assert parts.debian_names("This package was debianized by\nLicense: GPL\n") == "see its words"


def test_without_a_root_the_interpreter_is_a_part() -> None:
    part = parts.of_interpreter()
    assert (part.name, part.version) == ("CPython", platform.python_version())
    assert part.licence == "PSF-2.0"


def test_a_package_is_also_read_where_another_has_replaced_how(tmp_path: Path) -> None:
    """keyring's ``importlib_metadata`` does, in the whole process; what is missing raises there."""
    replaced = pytest.importorskip("importlib_metadata")
    package = _package(tmp_path, "old", "License: MIT\n")
    part = parts.of_packages([replaced.PathDistribution(package._path)])[0]
    assert part.licence == "MIT"
