"""Versions stand in one order, however they are written."""

from __future__ import annotations

import pytest

from desktop_app import __version__
from desktop_app.domain.versions import Version, version_of

IN_ORDER = [
    "0.1.0.dev1",
    "0.1.0a1",
    "0.1.0-beta.2",
    "0.1.0-rc.1",
    "0.1.0rc10",
    "0.1.0",
    "0.1.0.post1",
    "0.1.1",
    "0.9",
    "0.10",
    "1.0rc1",
    "1",
    "1.0.1",
    "1.10.0",
    "10.0.0.1",
]


def test_they_stand_in_order() -> None:
    versions = [version_of(text) for text in IN_ORDER]
    assert None not in versions
    found: list[Version] = [version for version in versions if version is not None]
    assert found == sorted(found)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "1.0.0"),
        ("v1.2", "1.2.0"),
        ("V1.2", "1.2"),
        ("1.0-RC.1", "1.0rc1"),
        ("1.0c1", "1.0.rc1"),
        ("1.0+abc", "1.0"),
        (" 1.0\n", "1.0"),
    ],
)
def test_the_same_version_in_other_words(one: str, other: str) -> None:
    assert version_of(one) == version_of(other) is not None


@pytest.mark.parametrize(
    "text", ["", "v", "nightly", "1.2.x", "1..2", "1.2.3.4.5", "١.٢", "1" * 5000, "1.0-rc.1.2"]
)
def test_what_is_none(text: str) -> None:
    assert version_of(text) is None


def test_who_is_to_have_it() -> None:
    assert [version_of(text).is_final for text in IN_ORDER[:7]] == [False] * 5 + [True] * 2  # type: ignore[union-attr]


def test_this_program_bears_one() -> None:
    assert version_of(__version__) is not None
