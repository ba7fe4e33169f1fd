"""The locks fit each other, carry hashes and name no place of anybody's."""

from __future__ import annotations

import re

import pytest

from tests.dev.conftest import CHECKOUT

LOCKS = CHECKOUT / "packaging" / "lock"
PIN = re.compile(
    r"^(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; (?P<marker>.+?))? \\$", re.MULTILINE
)


def _pins(name: str) -> set[tuple[str, str, str]]:
    text = (LOCKS / name).read_text(encoding="utf-8")
    return {
        (found["name"], found["version"], found["marker"] or "") for found in PIN.finditer(text)
    }


@pytest.mark.parametrize("name", ["core.txt", "gui.txt", "dev.txt", "package.txt"])
def test_every_pin_has_hashes_and_no_address(name: str) -> None:
    text = (LOCKS / name).read_text(encoding="utf-8")
    for line in text.splitlines():
        hashed = re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?", line)
        assert hashed or PIN.fullmatch(line) or line.startswith("#"), line
    assert "://" not in text
    assert "/" not in "".join(line for line in text.splitlines() if not line.startswith("#"))


def test_the_smaller_locks_are_parts_of_the_larger() -> None:
    def versions(name: str) -> set[tuple[str, str]]:
        return {(pin[0], pin[1]) for pin in _pins(name)}

    assert versions("core.txt") < versions("gui.txt") < versions("dev.txt")


def test_the_core_has_no_qt() -> None:
    names = {pin[0] for pin in _pins("core.txt")}
    assert not names & {"pyside6-essentials", "shiboken6", "qasync", "pytest"}
    assert {"httpx", "peewee", "keyring", "pillow"} <= names


def test_pyside_6_12_never_meets_python_3_11() -> None:
    pins = [pin for pin in _pins("gui.txt") if pin[0] in {"pyside6-essentials", "shiboken6"}]
    assert len(pins) == 4
    for _name, version, marker in pins:
        old = tuple(map(int, version.split(".")[:2])) < (6, 12)
        assert marker == f"python_full_version {'<' if old else '>='} '3.12'"
