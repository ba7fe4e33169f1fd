"""A release with a placeholder in it, or of half a commit, is refused, and told why."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import project
import pytest
import ready
import tree
from places import ROOT

WHOSE = {
    "app_id": "org.example.Batchwright",
    "home_page": "https://example.org/batchwright",
    "releases": "https://api.example.org/repos/a/b/releases/latest",
    "maintainer": "A Person <person@example.org>",
}


def git(root: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(root), *who, *words], check=True, capture_output=True)


def write_owner(root: Path, **changes: str) -> None:
    lines = [f'{name} = "{value}"' for name, value in {**WHOSE, **changes}.items()]
    (root / project.FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Version 1.2.3 as it may go out."""
    (tmp_path / "desktop_app").mkdir()
    (tmp_path / "resources").mkdir()
    (tmp_path / "desktop_app" / "__init__.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("## [Unreleased]\n\n## [1.2.3] - 2026-12-01\n")
    write_owner(tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    return tmp_path


def test_what_is_whole_may_go_out_before_and_after_its_tag(checkout: Path) -> None:
    assert ready.troubles(checkout) == []
    git(checkout, "tag", "v1.2.3")
    assert ready.troubles(checkout) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("app_id", "invalid.batchwright.Batchwright"),
        ("home_page", "https://batchwright.invalid/"),
        ("releases", "https://api.batchwright.invalid/releases/latest"),
        ("maintainer", "Somebody <somebody@batchwright.invalid>"),
    ],
)
def test_each_placeholder_is_named(checkout: Path, name: str, value: str) -> None:
    write_owner(checkout, **{name: value})
    git(checkout, "commit", "-q", "-a", "-m", "two")
    assert ready.troubles(checkout) == [f"resources/project.toml does not say yet: {name}."]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("app_id", "Batchwright"),
        ("app_id", "org.example.Batch wright"),
        ("home_page", "http://example.org/"),
        ("releases", "example.org/releases/latest"),
        ("maintainer", "A Person"),
        ("maintainer", "<person@example.org>"),
    ],
)
def test_each_value_has_the_form_that_systems_take(checkout: Path, name: str, value: str) -> None:
    write_owner(checkout, **{name: value})
    git(checkout, "commit", "-q", "-a", "-m", "two")
    said = f"resources/project.toml does not have the form asked for in: {name}."
    assert ready.troubles(checkout) == [said]


def test_owners_of_many_names_may_release(checkout: Path) -> None:
    write_owner(
        checkout, app_id="io.github.acme-1.Batchwright", maintainer="张 三 <san@mail.example.cn>"
    )
    git(checkout, "commit", "-q", "-a", "-m", "two")
    assert ready.troubles(checkout) == []


def test_a_version_is_three_numbers(checkout: Path) -> None:
    (checkout / "desktop_app" / "__init__.py").write_text('__version__ = "1.2.3rc1"\n')
    (checkout / "CHANGELOG.md").write_text("## [1.2.3rc1] - 2026-12-01\n")
    git(checkout, "commit", "-q", "-a", "-m", "two")
    (said,) = ready.troubles(checkout)
    assert said.startswith("The version 1.2.3rc1 is not three numbers")


def test_another_tag_a_missing_heading_and_a_change_are_told(checkout: Path) -> None:
    git(checkout, "tag", "v1.2.2")
    (checkout / "CHANGELOG.md").write_text("## [1.2.30]\n")
    assert ready.troubles(checkout) == [
        "CHANGELOG.md has no heading [1.2.3].",
        "The tag v1.2.2 is not that of version 1.2.3.",
        "Some files are changed and not committed.",
    ]


def test_the_owner_is_named_in_one_place_only() -> None:
    """A second place would be forgotten when the first is set."""
    values = tomllib.loads((ROOT / project.FILE).read_text(encoding="utf-8")).values()
    told = [
        file
        for folder in ("desktop_app", "packaging", "resources")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in {".py", ".xml", ".sh", ".1", ".plist", ".nsi", ".spec", ".toml"}
        and any(value in file.read_text(encoding="utf-8") for value in values)
    ]
    assert told == [ROOT / project.FILE]


def test_the_release_before_is_found_among_other_tags(
    monkeypatch: pytest.MonkeyPatch, checkout: Path
) -> None:
    monkeypatch.setattr(tree, "ROOT", checkout)
    for name in ("v1.2.3", "nightly"):
        (checkout / name).touch()
        git(checkout, "add", ".")
        git(checkout, "commit", "-q", "-m", name)
        git(checkout, "tag", name)
    git(checkout, "commit", "-q", "--allow-empty", "-m", "more")
    assert tree.previous() == "v1.2.3"


def test_a_state_that_the_clone_has_not_is_known(
    monkeypatch: pytest.MonkeyPatch, checkout: Path
) -> None:
    monkeypatch.setattr(tree, "ROOT", checkout)
    assert tree.is_here("HEAD")
    assert not tree.is_here("7020890479b30c62422dc7a3295742eea5ff2811")


@pytest.mark.parametrize("name", ["packaging/windows/batchwright.nsi", "resources/project.toml"])
def test_sources_have_the_same_bytes_on_every_system(name: str) -> None:
    asked = ["git", "-C", str(ROOT), "check-attr", "eol", "--", name]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert said.strip() == f"{name}: eol: lf"
