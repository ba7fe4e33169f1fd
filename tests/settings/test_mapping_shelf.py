"""Saved mappings on a real disk, shared by window and verbs."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.mapping_file import MappingPreset
from desktop_app.domain.text import OperatorError
from desktop_app.settings.mapping_shelf import MappingFiles

ONE = MappingPreset("One", SheetMapping(prompt_column="prompt"))


def named(name: str, column: str = "prompt") -> MappingPreset:
    return MappingPreset(name, SheetMapping(prompt_column=column))


def test_each_has_a_file_of_its_own_that_another_shelf_sees_at_once(tmp_path: Path) -> None:
    here, there = MappingFiles(tmp_path / "m"), MappingFiles(tmp_path / "m")
    assert here.all() == []
    here.save(named("b/../b"))
    there.save(named("主图"))
    here.save(named("A"))
    assert [preset.name for preset in there.all()] == ["A", "b/../b", "主图"]
    there.save(named("a", "other"))
    assert next((p.name, p.mapping.prompt_column) for p in here.all()) == ("a", "other")
    assert here.remove("B/../B")
    assert not there.remove("b/../b")
    assert len(list((tmp_path / "m").iterdir())) == 2


@pytest.mark.expect_log("not readable")
def test_a_file_that_cannot_be_understood_is_left_alone(tmp_path: Path) -> None:
    shelf = MappingFiles(tmp_path)
    shelf.save(ONE)
    broken = tmp_path / "x.json"
    broken.write_bytes(b"{")
    assert shelf.all() == [ONE]
    assert broken.exists()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"")
    with pytest.raises(OperatorError):
        MappingFiles(tmp_path / "m").save(ONE)
