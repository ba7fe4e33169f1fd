"""The operator's choices survive closing, crashing and damage."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.settings.schema import DEFAULTS, SettingsFile, write_atomically
from tests.conftest import ExpectedLogs


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "settings.json"


@pytest.fixture
def settings(path: Path) -> Iterator[SettingsFile]:
    opened = SettingsFile(path)
    yield opened
    opened.close()


def test_what_is_set_is_there_after_closing(path: Path, settings: SettingsFile) -> None:
    settings.set("output_parent", "D:/图片")
    settings.set("columns", {"prompt": 320})
    assert settings.get("output_parent") == "D:/图片"
    settings.close()
    again = SettingsFile(path)
    assert again.get("output_parent") == "D:/图片"
    assert again.get("columns") == {"prompt": 320}
    assert [file.name for file in path.parent.iterdir()] == ["settings.json"]


def test_it_can_be_used_again_after_closing(path: Path, settings: SettingsFile) -> None:
    settings.set("a", 1)
    settings.close()
    settings.set("b", 2)
    settings.close()
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": 1, "b": 2}


def test_none_forgets(path: Path, settings: SettingsFile) -> None:
    settings.set("a", 1)
    settings.set("a", None)
    settings.close()
    assert settings.get("a", "gone") == "gone"
    assert json.loads(path.read_text(encoding="utf-8")) == {}


def test_defaults_and_wrong_types(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"language": 7, "theme": "dark"}', encoding="utf-8")
    settings = SettingsFile(path)
    assert settings.get("language") == DEFAULTS["language"]
    assert settings.get("theme") == "dark"
    assert settings.get("unknown", 5) == 5


def test_what_json_cannot_hold_is_refused_at_once(settings: SettingsFile) -> None:
    with pytest.raises(TypeError):
        settings.set("a", object())
    assert settings.get("a") is None


@pytest.mark.parametrize("damage", [b"", b'{"a": ', b"\xff\xfe\x00", b"[1, 2]"])
def test_a_damaged_file_is_kept_aside(path: Path, damage: bytes) -> None:
    path.parent.mkdir()
    (path.parent / "settings.broken-1.json").write_bytes(b"an older one")
    path.write_bytes(damage)
    settings = SettingsFile(path)
    assert settings.get("a") is None
    assert settings.damage is not None
    assert settings.damage.values == {"file": "settings.broken-2.json"}
    assert (path.parent / "settings.broken-2.json").read_bytes() == damage
    assert (path.parent / "settings.broken-1.json").read_bytes() == b"an older one"


def test_a_failed_write_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, expect_log: ExpectedLogs
) -> None:
    expect_log("settings not written: no space")
    path.parent.mkdir()
    write_atomically(path, b'{"a": 1}')
    settings = SettingsFile(path)

    def full(_handle: int) -> None:
        raise OSError("no space")

    monkeypatch.setattr("os.fsync", full)
    settings.set("a", 2)
    settings.close()
    assert json.loads(path.read_bytes()) == {"a": 1}
    assert [file.name for file in path.parent.iterdir()] == ["settings.json"]
