"""Mappings are remembered by their columns, and kept under names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.domain.batch import LaneOnDead, SheetMapping
from desktop_app.domain.mapping_file import MappingPreset
from desktop_app.domain.text import OperatorError, Translator
from desktop_app.services.mappings import Mappings
from desktop_app.services.preferences import Preferences
from desktop_app.settings.mapping_shelf import MappingFiles
from desktop_app.settings.schema import SettingsFile

PRESET = MappingPreset(
    "Main", SheetMapping(prompt_column="prompt", key_column="SKU"), LaneOnDead.STOP
)


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[SettingsFile]:
    settings = SettingsFile(tmp_path / "settings.json")
    yield settings
    settings.close()


def service(tmp_path: Path, settings: SettingsFile) -> Mappings:
    preferences = Preferences(settings, pictures=tmp_path, thumbnails=tmp_path, sample=tmp_path)
    return Mappings(MappingFiles(tmp_path / "mappings"), preferences)


def said(caught: pytest.ExceptionInfo[OperatorError]) -> str:
    return Translator().say(caught.value.message)


def test_the_last_mapping_of_a_set_of_columns_comes_back(
    tmp_path: Path, settings: SettingsFile
) -> None:
    mappings = service(tmp_path, settings)
    assert mappings.last(("prompt", "SKU")) is None
    mappings.remember(("prompt", "SKU"), PRESET)
    settings.close()
    again = SettingsFile(tmp_path / "settings.json")
    mappings = service(tmp_path, again)
    assert mappings.last(("SKU", "prompt")) == PRESET
    assert mappings.last(("SKU", "prompt", "x")) is None
    again.close()


def test_the_oldest_of_too_many_are_forgotten(tmp_path: Path, settings: SettingsFile) -> None:
    mappings = service(tmp_path, settings)
    for number in range(101):
        mappings.remember(("prompt", "SKU", str(number)), PRESET)
        mappings.remember(("prompt", "SKU", "0"), PRESET)
    assert mappings.last(("prompt", "SKU", "0")) == PRESET
    assert mappings.last(("prompt", "SKU", "1")) is None
    assert mappings.last(("prompt", "SKU", "2")) == PRESET


@pytest.mark.parametrize("kept", [3, {"order": 3}, {"order": [[]], "by_columns": {"a": 1}}])
def test_damaged_settings_remember_nothing(
    tmp_path: Path, settings: SettingsFile, kept: object
) -> None:
    settings.set("mappings", kept)
    mappings = service(tmp_path, settings)
    assert mappings.last(("prompt", "SKU")) is None
    mappings.remember(("prompt", "SKU"), PRESET)
    assert mappings.last(("prompt", "SKU")) == PRESET


async def test_saved_chosen_renamed_and_removed(tmp_path: Path, settings: SettingsFile) -> None:
    mappings = service(tmp_path, settings)
    await mappings.save(replace(PRESET, name=" Main  picture "), replaces=False)
    assert (await mappings.get("main picture")).name == "Main picture"
    with pytest.raises(OperatorError) as caught:
        await mappings.save(replace(PRESET, name="MAIN picture"), replaces=False)
    assert said(caught) == 'There is a saved mapping "MAIN picture" already; take another name.'
    other = replace(PRESET, name="MAIN picture", lane_on_dead=LaneOnDead.GO)
    await mappings.save(other, replaces=True)
    assert await mappings.presets() == [other]
    await mappings.save(replace(PRESET, name="Other"), replaces=False)
    with pytest.raises(OperatorError):
        await mappings.rename("Other", "main picture")
    assert (await mappings.rename("main picture", "Main Picture")).name == "Main Picture"
    assert (await mappings.rename("Main picture", "主图")).name == "主图"
    assert [preset.name for preset in await mappings.presets()] == ["Other", "主图"]
    await mappings.remove("other")
    with pytest.raises(OperatorError) as caught:
        await mappings.remove("other")
    assert said(caught) == 'There is no saved mapping "other"; there are: 主图.'
    await mappings.remove("主图")
    with pytest.raises(OperatorError) as caught:
        await mappings.get("other")
    assert said(caught) == 'There is no saved mapping "other": none is saved yet.'


async def test_files_go_out_and_come_in(tmp_path: Path, settings: SettingsFile) -> None:
    mappings = service(tmp_path, settings)
    file = tmp_path / "主图.json"
    assert await mappings.write_file(PRESET, file, replaces=False) == file
    assert await mappings.read_file(file) == PRESET
    assert await mappings.presets() == []
    other = replace(PRESET, name="other")
    beside = await mappings.write_file(other, file, replaces=False)
    assert (beside.name, await mappings.read_file(file)) == ("主图-2.json", PRESET)
    assert await mappings.read_file(beside) == other
    assert await mappings.write_file(other, file, replaces=True) == file
    assert await mappings.read_file(file) == other
    with pytest.raises(OperatorError) as caught:
        await mappings.read_file(tmp_path / "none.json")
    assert "none.json can't be read" in said(caught)
    with pytest.raises(OperatorError) as caught:
        await mappings.write_file(PRESET, tmp_path / "no" / "m.json", replaces=False)
    assert "m.json can't be written" in said(caught)


def test_the_row_that_names_known_columns_is_found(tmp_path: Path, settings: SettingsFile) -> None:
    mappings = service(tmp_path, settings)
    headers = [(1, ("Spring list",)), (3, ("SKU", "prompt")), (4, ("prompt", "SKU"))]
    assert mappings.known_row(headers) is None
    mappings.remember(("prompt", "SKU"), PRESET)
    assert mappings.known_row(headers) == 3
