"""Where releases are told of stands in a file of the owner's."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.settings.paths import resources_dir
from desktop_app.settings.project import releases_address


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://api.example.org/releases", "https://api.example.org/releases"),
        ("https://batchwright.invalid/releases", None),
        ("https://api.invalid.example.org/", "https://api.invalid.example.org/"),
    ],
)
def test_an_address_of_nobody_is_none(tmp_path: Path, address: str, found: str | None) -> None:
    (tmp_path / "project.toml").write_text(f'releases = "{address}"\n', encoding="utf-8")
    assert releases_address(tmp_path) == found


def test_the_program_has_its_own() -> None:
    address = releases_address(resources_dir())
    assert address is None or address.startswith("https://")
