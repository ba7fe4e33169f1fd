"""Mappings in the sheet before a run: named, remembered, handed on, refused where they don't fit;
and the request of any row by its number."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from desktop_app.domain.batch import LaneOnDead, SheetMapping
from desktop_app.domain.mapping_file import MappingPreset, read, written
from desktop_app.ui.dialogs.name_question import NameQuestion
from desktop_app.ui.dialogs.pre_run import PreRunDialog
from tests.ui.dialogs.dialog_fakes import Desk, until
from tests.ui.dialogs.test_pre_run import LEFT, opened

PRESET = MappingPreset(
    "Main",
    SheetMapping(
        template="{{sku}}: {{prompt}}",
        params={"size": "@size", "quality": "high"},
        lane_column="sku",
        output_name="{sku}_{n}",
        subfolder="@size",
    ),
    LaneOnDead.STOP,
)


def entry(dialog: PreRunDialog, label: str) -> QAction:
    menu = dialog.presets.menu_of_presets
    menu.aboutToShow.emit()
    return next(action for action in menu.actions() if action.text() == label)


async def answered(question_of: Callable[[], Any]) -> NameQuestion:
    found: list[NameQuestion] = []

    def is_open() -> bool:
        found[:] = [w for w in QApplication.topLevelWidgets() if isinstance(w, NameQuestion)]
        found[:] = [question for question in found if question.isVisible()]
        return bool(found)

    question_of()
    await until(is_open)
    return found[0]


async def saved(desk: Desk, *presets: MappingPreset) -> None:
    for preset in presets:
        await desk.context.services.mappings.save(preset, replaces=False)


async def names(desk: Desk) -> list[str]:
    return [preset.name for preset in await desk.context.services.mappings.presets()]


async def test_a_saved_mapping_is_chosen_whole(desk: Desk, qtbot: QtBot) -> None:
    await saved(desk, PRESET)
    dialog = await opened(desk, qtbot)
    entry(dialog, "Main").trigger()

    assert dialog.form.mapping() == PRESET.mapping
    assert dialog.form.order.lane_on_dead() is LaneOnDead.STOP
    assert dialog.presets.text() == "Main ▾"
    assert dialog.form.more.button.isChecked()
    await until(lambda: desk.imports.checks[-1].mapping == PRESET.mapping)


async def test_one_that_asks_for_another_column_is_refused_whole(desk: Desk, qtbot: QtBot) -> None:
    other = replace(PRESET, mapping=replace(PRESET.mapping, subfolder="@brand"))
    await saved(desk, other)
    dialog = await opened(desk, qtbot)
    before = dialog.form.mapping()
    entry(dialog, "Main").trigger()

    await until(lambda: 'The mapping "Main" asks for columns' in dialog.notice.text)
    assert dialog.form.mapping() == before
    assert "brand" in dialog.notice.text
    assert dialog.presets.name == ""


async def test_parameters_that_the_connection_lacks_are_named(desk: Desk, qtbot: QtBot) -> None:
    mapping = replace(PRESET.mapping, params={"mood": "dark", "size": "@size"})
    await saved(desk, replace(PRESET, mapping=mapping))
    dialog = await opened(desk, qtbot)
    entry(dialog, "Main").trigger()

    assert "This connection has no mood" in dialog.notice.text
    assert dialog.form.mapping().params == {"size": "@size"}


async def test_saved_renamed_changed_and_deleted(desk: Desk, qtbot: QtBot) -> None:
    await saved(desk, replace(PRESET, name="Other"))
    dialog = await opened(desk, qtbot)

    question = await answered(entry(dialog, "Save as…").trigger)
    assert not question.go.isEnabled()
    qtbot.keyClicks(question.field, "other")
    qtbot.keyClick(question.field, Qt.Key.Key_Return)
    await until(lambda: "already" in question.notice.text)
    question.field.clear()
    qtbot.keyClicks(question.field, "Shoes")
    qtbot.keyClick(question.field, Qt.Key.Key_Return)
    await until(lambda: dialog.presets.text() == "Shoes ▾")
    assert await names(desk) == ["Other", "Shoes"]
    assert not entry(dialog, "Save changes").isEnabled()

    dialog.form.names.pattern.setText("{sku}")
    entry(dialog, "Save changes").trigger()
    mappings = desk.context.services.mappings
    await until(lambda: not entry(dialog, "Save changes").isEnabled())
    assert (await mappings.get("Shoes")).mapping.output_name == "{sku}"

    question = await answered(entry(dialog, "Rename…").trigger)
    assert question.field.text() == "Shoes"
    qtbot.keyClicks(question.field, "Boots")
    qtbot.mouseClick(question.go, LEFT)
    await until(lambda: dialog.presets.text() == "Boots ▾")

    question = await answered(entry(dialog, "Delete…").trigger)
    assert question.field.isHidden()
    qtbot.mouseClick(question.go, LEFT)
    await until(lambda: dialog.presets.text() == "Saved mappings ▾")
    assert await names(desk) == ["Other"]


def file_dialog(dialog: PreRunDialog) -> QFileDialog:
    return next(child for child in dialog.findChildren(QFileDialog) if child.isVisible())


async def test_out_as_a_file_and_in_again(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    await saved(desk, PRESET)
    dialog = await opened(desk, qtbot)
    entry(dialog, "Main").trigger()
    entry(dialog, "Export to a file…").trigger()
    chooser = file_dialog(dialog)
    file = tmp_path / "from a colleague.json"
    chooser.fileSelected.emit(str(file))
    chooser.reject()
    await until(lambda: "Saved: from a colleague.json" in dialog.notice.text)
    assert read(file.read_bytes(), "f") == PRESET

    changed = replace(PRESET, mapping=replace(PRESET.mapping, output_name="{row}"))
    file.write_bytes(written(changed))
    entry(dialog, "Import from a file…").trigger()
    chooser = file_dialog(dialog)
    chooser.fileSelected.emit(str(file))
    chooser.reject()
    await until(lambda: dialog.presets.text() == "Main (2) ▾")
    assert dialog.form.mapping() == changed.mapping
    assert await names(desk) == ["Main", "Main (2)"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{}", "is no mapping that Batchwright saved"),
        (written(replace(PRESET, mapping=SheetMapping("nope"))), "nope"),
    ],
)
async def test_a_file_that_does_not_fit_is_refused_and_not_kept(
    desk: Desk, qtbot: QtBot, tmp_path: Path, data: bytes, said: str
) -> None:
    dialog = await opened(desk, qtbot)
    before = dialog.form.mapping()
    file = tmp_path / "m.json"
    file.write_bytes(data)
    entry(dialog, "Import from a file…").trigger()
    chooser = file_dialog(dialog)
    chooser.fileSelected.emit(str(file))
    chooser.reject()
    await until(lambda: said in dialog.notice.text)
    assert dialog.form.mapping() == before
    assert await names(desk) == []


async def test_the_mapping_used_last_comes_back(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    dialog.form.choose(PRESET)
    await until(lambda: desk.imports.checks[-1].mapping == PRESET.mapping)
    await until(dialog.bar.all.isEnabled)
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: bool(desk.runs.started))

    again = await opened(desk, qtbot)
    assert again.form.mapping() == PRESET.mapping
    assert again.form.order.lane_on_dead() is LaneOnDead.STOP
    assert again.presets.text() == "Saved mappings ▾"


async def test_another_reading_with_the_same_columns_keeps_the_mapping_in_use(
    desk: Desk, qtbot: QtBot
) -> None:
    await saved(desk, PRESET)
    dialog = await opened(desk, qtbot)
    entry(dialog, "Main").trigger()
    assert dialog.presets.text() == "Main ▾"
    checks = len(desk.imports.checks)
    place = dialog.source.encoding.findData("utf-8")
    dialog.source.encoding.setCurrentIndex(place)
    dialog.source.encoding.activated.emit(place)
    await until(lambda: len(desk.imports.checks) > checks)
    await until(lambda: dialog.bar.all.isEnabled())
    assert dialog.presets.text() == "Main ▾"
    assert dialog.form.mapping() == PRESET.mapping


async def test_a_row_is_reached_by_its_number_and_enter_runs_nothing(
    desk: Desk, qtbot: QtBot
) -> None:
    dialog = await opened(desk, qtbot)
    number = dialog.preview.number
    qtbot.mouseDClick(number, LEFT)
    qtbot.keyClicks(number, "150")
    qtbot.keyClick(number, Qt.Key.Key_Return)
    await until(lambda: dialog.preview.where.text() == "Row 150 of the sheet")
    qtbot.keyClick(number, Qt.Key.Key_Down)
    await until(lambda: dialog.preview.where.text() == "Row 151 of the sheet")
    qtbot.keyClick(number, Qt.Key.Key_Up)
    await until(lambda: dialog.preview.where.text() == "Row 150 of the sheet")
    assert dialog.preview.file_name.text() == "0150_SKU-0150"

    number.selectAll()
    qtbot.keyClicks(number, "9999")
    qtbot.keyClick(number, Qt.Key.Key_Return)
    await until(lambda: dialog.preview.where.text() == "Row 201 of the sheet")
    assert not dialog.preview.next.isEnabled()
    assert number.text() == "201"
    assert dialog.isVisible()
    assert not desk.imports.runs


async def test_a_row_is_shown_while_the_sheet_is_still_checked(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.check_gates = [asyncio.Event()]
    dialog = PreRunDialog(desk.context, Path("/sheets/long.csv"), desk.window)
    dialog.open()
    await until(lambda: dialog.preview.where.text() == "Row 2 of the sheet")
    assert not dialog.bar.all.isEnabled()
    dialog.reject()


async def test_a_pattern_is_put_together_from_a_menu(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    names = dialog.form.names
    for label in ("Number of the result, at the end", "sku"):
        names.menu.aboutToShow.emit()
        names.pattern.home(False)
        next(action for action in names.menu.actions() if action.text() == label).trigger()
    await until(lambda: desk.imports.checks[-1].mapping.output_name == "{sku}{n}")
