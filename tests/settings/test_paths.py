"""Where state lives."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import desktop_app
from desktop_app.domain.text import OperatorError
from desktop_app.settings import paths as room


def _state(found: room.Paths) -> list[Path]:
    return [
        found.database,
        found.logs,
        found.sheets,
        found.settings,
        found.lock,
        found.thumbnails,
    ]


def test_a_data_folder_moves_all_state(tmp_path: Path) -> None:
    found = room.paths(tmp_path / "资料")
    assert all(place.is_relative_to(tmp_path / "资料") for place in _state(found))
    assert not (tmp_path / "资料").exists()  # nothing is made before it is asked for
    found.make()
    assert found.logs.is_dir()
    assert found.sheets.is_dir()
    assert found.thumbnails.is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_the_folders_are_for_the_operator_alone(tmp_path: Path) -> None:
    found = room.paths(tmp_path / "data")
    found.make()
    assert found.data.stat().st_mode & 0o077 == 0


def test_without_one_the_system_says_where() -> None:
    found = room.paths()
    assert all(place.is_absolute() for place in _state(found))
    assert found.data.name == "Batchwright"


def test_a_relative_data_folder_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert room.paths(Path("here")).data == tmp_path / "here"


def test_a_data_folder_that_is_a_file_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(OperatorError) as caught:
        room.paths(tmp_path / "taken").make()
    assert caught.value.message.code == "settings.folder_unusable"
    assert caught.value.message.values["folder"] == str(tmp_path / "taken")


def test_resources_of_checkout_wheel_and_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "desktop_app"
    package.mkdir(parents=True)
    monkeypatch.setattr(desktop_app, "__file__", str(package / "__init__.py"))
    assert room.resources_dir() == tmp_path / "site" / "resources"
    (package / "resources").mkdir()
    assert room.resources_dir() == package / "resources"
    bundle = tmp_path / "bundle"
    (bundle / "resources").mkdir(parents=True)
    monkeypatch.setattr(sys, "_MEIPASS", str(bundle), raising=False)
    assert room.resources_dir() == bundle / "resources"
