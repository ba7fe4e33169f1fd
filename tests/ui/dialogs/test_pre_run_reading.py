"""Where a table begins, and a file that was changed: read anew where that is wanted."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.domain.mapping_file import MappingPreset
from desktop_app.domain.text import message
from tests.ui.dialogs.dialog_fakes import COLUMNS, TITLE, Desk, until
from tests.ui.dialogs.test_pre_run import LEFT, opened
from tests.ui.dialogs.test_pre_run_mapping import PRESET, entry, saved


async def test_a_sheet_that_was_changed_meanwhile_is_read_again_with_one_press(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.imports.paid = False
    desk.imports.run_error = message("services.sheet_changed", sheet="spring shoes.csv")
    dialog = await opened(desk, qtbot)
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: "was changed after it was read" in dialog.notice.text)
    assert dialog.isVisible()
    assert not desk.runs.started
    assert dialog.notice.step.text() == "Read again"

    desk.imports.run_error = None
    desk.imports.rows = 150
    qtbot.mouseClick(dialog.notice.step, LEFT)
    await until(lambda: dialog.notice.text == "")
    await until(lambda: "150 rows found" in dialog.lead.text())
    await until(dialog.bar.all.isEnabled)
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: desk.runs.started == [42])


async def test_a_table_below_a_title_is_pointed_out_and_taken_with_one_press(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.imports.titled = True
    dialog = await opened(desk, qtbot, checked=False)
    await until(lambda: "seem to stand in row 3" in dialog.notice.text)
    assert dialog.form.columns == TITLE
    assert dialog.notice.step.text() == "Use row 3"
    dialog.notice.step.setFocus()
    qtbot.keyClick(dialog.notice.step, Qt.Key.Key_Space)
    await until(lambda: dialog.form.columns == COLUMNS)
    assert dialog.notice.text == "The table begins in row 3; rows above it that were left out: 1."
    assert dialog.notice.property("tone") == "info"
    assert not dialog.notice.step.isVisible()
    await until(dialog.bar.all.isEnabled)
    assert desk.imports.checks[-1].info.header_row == 3
    assert desk.imports.checks[-1].mapping.prompt_column == "prompt"
    dialog.reject()


async def test_what_was_run_before_is_found_below_its_title(desk: Desk, qtbot: QtBot) -> None:
    desk.context.services.mappings.remember(COLUMNS, PRESET)
    desk.imports.titled = True
    dialog = await opened(desk, qtbot)
    assert dialog.form.columns == COLUMNS
    assert dialog.form.mapping() == PRESET.mapping
    assert dialog.source.options().header_row == 3

    # Who says that the first row it is means the first row.
    dialog.source.header_row.setCurrentIndex(0)
    dialog.source.header_row.activated.emit(0)
    await until(lambda: dialog.form.columns == TITLE)
    dialog.reject()


async def test_a_saved_mapping_knows_where_its_sheets_begin(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.titled = True
    below = replace(PRESET, header_row=3)
    await saved(
        desk,
        below,
        MappingPreset("Other", replace(PRESET.mapping, key_column="gone"), header_row=3),
    )
    dialog = await opened(desk, qtbot, checked=False)
    await until(lambda: dialog.form.columns == TITLE)
    await until(lambda: bool(dialog.presets._presets))
    entry(dialog, "Other").trigger()
    await until(lambda: "gone" in dialog.notice.text)
    assert dialog.form.columns == TITLE
    entry(dialog, "Main").trigger()
    await until(lambda: dialog.presets.text() == "Main ▾")
    assert dialog.form.columns == COLUMNS
    assert dialog.form.preset("Main") == below
    dialog.reject()


async def test_hidden_rows_are_taken_with_one_press(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.hides = 3
    dialog = await opened(desk, qtbot)
    assert dialog.notice.text == "Hidden rows are left out: 3. They can be imported too."
    assert dialog.notice.step.text() == "Import them too"
    qtbot.mouseClick(dialog.notice.step, LEFT)
    await until(lambda: dialog.notice.text == "")
    assert desk.imports.opened[-1] is not None
    assert desk.imports.opened[-1].hidden
    assert dialog.source.hidden.currentText() == "Import too (3)"
    dialog.reject()
