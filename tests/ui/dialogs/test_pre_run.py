"""The pre-run sheet: what it shows, what it starts, and that no faulty file loses anything."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from desktop_app.domain.batch import BatchPriority
from desktop_app.domain.connection import Connection
from desktop_app.domain.money import Money
from desktop_app.domain.ports import Param, SheetInfo, SheetOptions
from desktop_app.domain.text import message
from desktop_app.services.import_batch import Differences
from desktop_app.services.import_plan import AskedIn, Earlier
from desktop_app.services.practice_lines import PracticeLine
from desktop_app.services.trial import Pick, Trial
from desktop_app.ui.dialogs.connection import ConnectionDialog
from desktop_app.ui.dialogs.pre_run import PreRunDialog
from desktop_app.ui.dialogs.pre_run_earlier import Again
from desktop_app.ui.dialogs.pre_run_params import ParamForm
from desktop_app.ui.room import room_for
from tests.ui.dialogs import dialog_fakes
from tests.ui.dialogs.dialog_fakes import Desk, info, plain, settle, summary, until

SHEET = Path("/sheets/spring shoes.csv")
LEFT = Qt.MouseButton.LeftButton


async def opened(desk: Desk, qtbot: QtBot, *, checked: bool = True) -> PreRunDialog:
    dialog = PreRunDialog(desk.context, SHEET, desk.window)
    dialog.open()
    if checked:
        await until(lambda: dialog.bar.all.isEnabled() or dialog.bar.open.isEnabled())
        await until(lambda: dialog.preview.body.toPlainText() != "")
    return dialog


async def test_shows_rows_problems_cost_and_the_request(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)

    assert "200 rows found" in dialog.lead.text()
    assert "3 rows with problems" in dialog.lead.text()
    assert dialog.problems.table.item(0, 0).text() == "17"
    assert dialog.problems.table.item(0, 1).text() == "The prompt is empty."
    assert "197 can be used" in dialog.lead.text()
    assert dialog.bar.cost.text() == "197 calls  ·  Cost: About 7.88 USD"
    assert dialog.bar.disk.text() == "Disk: 394 MB needed, 80 GB free (at a guess of 2.0 MB each)"
    assert '"size": "1024x1024"' in dialog.preview.body.toPlainText()
    assert dialog.preview.file_name.text() == "0002_SKU-0002"
    plan = desk.imports.checks[-1]
    assert plan.mapping.prompt_column == "prompt"
    assert plan.mapping.key_column == "sku"
    assert plan.mapping.params == {"size": "@size"}
    assert plan.connection_id == 7


async def test_a_paid_run_tries_three_rows_first(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    started: list[int] = []
    dialog.started.connect(started.append)

    assert dialog.bar.trial.isDefault()
    assert dialog.bar.trial.text() == "Try 3 rows"
    assert dialog.bar.all.text() == "Run all 197"
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    await until(lambda: bool(started))

    assert started == [42]
    assert desk.imports.runs[0].gate == (2, 3, 4)
    assert desk.runs.started == [42]
    assert not dialog.isVisible()


async def test_run_all_opens_no_gate(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)

    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: bool(desk.runs.started))

    assert desk.imports.runs[0].gate == ()


async def test_free_runs_all_by_default(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.paid = False
    dialog = await opened(desk, qtbot)

    assert dialog.bar.all.isDefault()
    assert dialog.bar.all.text() == "Run 197 rows"


async def test_without_an_account_the_practice_server_is_chosen(desk: Desk, qtbot: QtBot) -> None:
    desk.connections.stored.clear()

    await opened(desk, qtbot)

    assert desk.imports.checks[-1].connection_id == 1


async def test_nobody_is_asked_for_a_connection_that_is_on_its_way(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.connections.stored.clear()
    go, practice = asyncio.Event(), desk.connections.practice

    async def slowly(line: PracticeLine) -> Connection:
        await go.wait()
        return await practice(line)

    monkeypatch.setattr(desk.connections, "practice", slowly)
    dialog = PreRunDialog(desk.context, Path("shoes.csv"), desk.window)
    dialog.show()
    await until(lambda: dialog.reading.info is not None)
    assert dialog.lead.text() == "Getting the connection ready…"
    go.set()
    await until(lambda: dialog.lead.text().startswith("200 rows found"))


async def test_a_switch_of_the_connections_own_is_told_in_words(desk: Desk, qtbot: QtBot) -> None:
    form = ParamForm(desk.context, desk.window)
    form.fill([Param("stream", "bool")], (), {}, {"stream": True})
    (row,) = form._rows
    assert row.source.itemText(0) == "As in the connection: On"
    form.fill([Param("stream", "bool")], (), {}, {"stream": False})
    (row,) = form._rows
    assert row.source.itemText(0) == "As in the connection: Off"


async def test_an_unknown_price_shows_a_dash(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    check = desk.imports
    check.paid = True

    async def none_known(plan, progress):  # type: ignore[no-untyped-def]
        return replace(await type(check).pre_run(check, plan), cost=None, duration=None)

    check.pre_run = none_known  # type: ignore[method-assign]
    dialog.form.changed.emit()
    await until(lambda: dialog.bar.cost.text() == "197 calls  ·  Cost: -")

    assert dialog.bar.duration.isHidden()


async def test_next_and_previous_row(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)

    assert not dialog.preview.previous.isEnabled()
    qtbot.mouseClick(dialog.preview.next, LEFT)
    await until(lambda: dialog.preview.where.text() == "Row 3 of the sheet")
    qtbot.mouseClick(dialog.preview.previous, LEFT)
    await until(lambda: dialog.preview.where.text() == "Row 2 of the sheet")


async def test_a_text_with_columns(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)

    qtbot.mouseClick(dialog.form.prompt.by_template, LEFT)
    qtbot.keyClicks(dialog.form.prompt.template, "A photo of ")
    qtbot.mouseClick(dialog.form.prompt.chips.chips[2], LEFT)
    await until(lambda: desk.imports.checks[-1].mapping.template == "A photo of {{sku}}")

    assert desk.imports.checks[-1].mapping.prompt_column is None


async def test_many_long_columns_push_nothing_out_of_sight(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = ("prompt", *(f"{'a long name of a column ' * 4}{at} & co" for at in range(20)))

    async def wide(path: Path, _options: SheetOptions | None = None) -> SheetInfo:
        return replace(info(), path=path, columns=columns, guess={"prompt": "prompt"})

    monkeypatch.setattr(desk.imports, "open", wide)
    dialog = await opened(desk, qtbot)
    form, chips = dialog.form, dialog.form.prompt.chips
    assert form.inside.width() == form.viewport().width()

    qtbot.mouseClick(form.prompt.by_template, LEFT)
    await until(lambda: [chip.isVisible() for chip in chips.chips].count(True) == 2)
    assert form.inside.width() == form.viewport().width()
    assert chips.more.geometry().right() <= chips.width()
    rest = chips.more.menu().actions()
    assert len(rest) == 19
    rest[0].trigger()
    assert form.prompt.template.toPlainText() == "{{" + columns[2] + "}}"


async def test_a_parameter_fixed_by_hand(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    quality = dialog.form.params._rows[1]

    quality.source.setFocus()
    qtbot.keyClick(quality.source, Qt.Key.Key_Down)
    qtbot.keyClicks(quality.value.lineEdit(), "high")
    await until(lambda: desk.imports.checks[-1].mapping.params.get("quality") == "high")


async def test_a_model_that_no_row_names_is_the_connection_s(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = (Param("model", "text", (), "Model"), *dialog_fakes.PARAMS)
    monkeypatch.setattr(dialog_fakes, "PARAMS", known)
    dialog = await opened(desk, qtbot)
    model, size = dialog.form.params._rows[:2]

    assert model.source.itemText(0) == f"As in the connection: {dialog_fakes.PAID.model}"
    assert size.source.itemText(0) == "Provider's default"
    assert "model" not in desk.imports.checks[-1].mapping.params


async def test_edits_are_checked_once_and_stale_checks_ended(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    before = len(desk.imports.checks)
    first, second = asyncio.Event(), asyncio.Event()
    desk.imports.check_gates = [first, second]

    for key in "abc":
        dialog.form.max_calls.setText(str(ord(key)))
    await until(lambda: len(desk.imports.checks) == before + 1)
    assert not dialog.bar.all.isEnabled()
    dialog.form.max_calls.setText("50")
    await until(lambda: len(desk.imports.checks) == before + 2)
    desk.imports.rows = 77
    second.set()
    await until(lambda: "77 rows found" in dialog.lead.text())
    await settle()

    assert "77 rows found" in dialog.lead.text()
    assert desk.imports.unwanted == 1
    assert desk.imports.checks[-1].max_calls == 50


async def test_a_cap_of_money_takes_figures_alone(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    dialog.form.more.open()

    qtbot.keyClicks(dialog.form.budget, "2x,5")
    await until(lambda: desk.imports.checks[-1].budget == Decimal("2.5"))

    dialog.form.budget.setText(",")
    await until(lambda: desk.imports.checks[-1].budget is None)


async def test_a_file_that_cannot_be_read_says_so(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.open_error = message("ingest.password", file="a.xlsx")

    dialog = await opened(desk, qtbot, checked=False)
    await until(lambda: bool(dialog.notice.text))

    assert "a.xlsx is protected by a password" in dialog.notice.text
    assert not dialog.bar.all.isEnabled()


async def test_gaps_in_prompts_are_told_before_they_are_paid_for(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.gaps = 9
    dialog = await opened(desk, qtbot)
    assert "9 with gaps" in dialog.lead.text()
    told = "9 rows leave style blank (rows 8-13, …); their prompts go out without that."
    assert told in dialog.problems.lead.text()


async def test_what_is_known_of_picture_addresses_is_told_and_goes_into_the_import(
    desk: Desk, qtbot: QtBot
) -> None:
    url = "https://pics.example/a.png"
    desk.imports.dead = {url: message("providers.address_gone", url=url, status=404)}
    desk.imports.address_doubts = (message("services.addresses_unseen", count="7"),)
    dialog = await opened(desk, qtbot)
    assert "not looked at, since that would take too long: 7." in dialog.problems.lead.text()
    plan = dialog.checking.plan()
    assert plan is not None
    assert plan.dead == desk.imports.dead


async def test_another_encoding_reads_the_file_anew(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    assert dialog.source.encoding.itemText(0) == "GB18030 / GBK (auto)"
    assert dialog.source.model.index(0, 0).data().startswith("红色运动鞋")

    dialog.tabs.setCurrentIndex(1)
    qtbot.keyClick(dialog.source.encoding, Qt.Key.Key_Down)
    await until(lambda: len(desk.imports.opened) == 2)

    options = desk.imports.opened[-1]
    assert options is not None
    assert options.encoding == "utf-8"


async def test_an_unusable_mapping_is_said_inline_and_mends(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    desk.imports.check_error = plain("There is no column {{colour}}.")
    dialog.form.changed.emit()
    await until(lambda: bool(dialog.notice.text))
    assert not dialog.bar.all.isEnabled()
    assert dialog.lead.text() == "Nothing could be checked yet."

    desk.imports.check_error = None
    dialog.form.changed.emit()
    await until(lambda: dialog.bar.all.isEnabled())
    assert not dialog.notice.text


async def test_a_failed_import_keeps_everything(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    desk.imports.run_error = plain("The disk is full.")

    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: dialog.notice.text == "The disk is full.")

    assert dialog.isVisible()
    assert dialog.bar.all.isEnabled()
    assert desk.runs.started == []


async def test_an_import_is_stopped_by_its_button(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    desk.imports.gate = asyncio.Event()
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: dialog.bar.cancel.text() == "Stop the import")
    assert dialog.bar.progress.value() == 120

    qtbot.mouseClick(dialog.bar.cancel, LEFT)
    await until(lambda: desk.imports.discarded == 1)
    await until(lambda: dialog.bar.cancel.text() == "Cancel")

    assert dialog.isVisible()
    assert "Nothing of the import was kept" in dialog.notice.text
    assert desk.runs.started == []


async def test_closing_by_escape_stops_an_import_first(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    desk.imports.gate = asyncio.Event()
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: bool(desk.imports.runs))

    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    await until(lambda: desk.imports.discarded == 1)
    assert dialog.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


async def test_imported_but_not_started_is_not_imported_again(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    desk.runs.start_error = plain("The output folder is gone.")
    started: list[int] = []
    dialog.started.connect(started.append)

    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: bool(started))

    assert [said.values["text"] for said in desk.errors] == ["The output folder is gone."]
    assert not dialog.isVisible()


async def test_a_second_enter_while_it_starts_imports_nothing_twice(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = await opened(desk, qtbot)
    begun, go = asyncio.Event(), asyncio.Event()

    async def slowly(batch_id: int | None) -> None:
        begun.set()
        await go.wait()

    monkeypatch.setattr(desk.runs, "start", slowly)
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    await begun.wait()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    await asyncio.sleep(0)
    assert dialog.isVisible()
    go.set()
    await until(lambda: not dialog.isVisible())
    assert len(desk.imports.runs) == 1


async def test_a_file_that_is_no_sheet_is_not_said_to_be_read_for_ever(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.imports.open_error = plain("shoes.pdf is not a sheet")
    dialog = PreRunDialog(desk.context, Path("shoes.pdf"), desk.window)
    dialog.show()
    await desk.spawner.settle()
    assert dialog.notice.text == "shoes.pdf is not a sheet"
    dialog.checking.ended.emit()  # the accounts were read later than the file
    assert dialog.lead.text() == "This file could not be read."
    desk.imports.open_error = None
    dialog.run(dialog.reading.open)
    await until(lambda: dialog.lead.text().startswith("200 rows found"))
    dialog.reject()


async def test_it_is_no_larger_than_the_screen(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    room = room_for(dialog)
    assert room.width() < 1000  # else this tells nothing
    assert dialog.width() == max(room.width(), dialog.minimumWidth())
    assert dialog.height() <= max(room.height(), dialog.minimumSizeHint().height())


async def test_the_same_sheet_again_opens_its_run_by_default(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.earlier = (summary(5, success=195, failed=3, uncertain=2),)
    dialog = await opened(desk, qtbot)
    selected: list[object] = []
    desk.context.signals.batch_selected.connect(selected.append)

    assert "200 = 195 done + 3 failed + 2 uncertain." in dialog.earlier.label.text()
    assert dialog.bar.open.isDefault()
    assert (dialog.bar.cost.text(), dialog.bar.duration.text()) == ("", "")
    assert dialog.earlier.buttons[Again.SKIP].isEnabled()
    assert dialog.earlier.buttons[Again.FAILED].isEnabled()
    assert not dialog.earlier.buttons[Again.CHANGED].isEnabled()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)

    assert selected == [5]
    assert desk.imports.runs == []


async def test_rows_that_are_done_are_skipped(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.earlier = (summary(5, success=197, failed=3),)
    dialog = await opened(desk, qtbot)

    qtbot.mouseClick(dialog.earlier.buttons[Again.SKIP], LEFT)
    await until(lambda: desk.imports.checks[-1].only_rows is not None)
    await until(lambda: dialog.bar.trial.isEnabled())
    qtbot.mouseClick(dialog.bar.trial, LEFT)
    await until(lambda: bool(desk.imports.runs))

    assert desk.imports.runs[0].only_rows == frozenset({9, 20, 31, 44})
    assert desk.imports.runs[0].gate == (9, 20, 31)
    assert desk.imports.choices[-1] is Earlier.SKIP


async def test_rows_that_another_sheet_asked_for_are_skipped_unless_told_otherwise(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.imports.asked = (AskedIn(summary(5, success=197, failed=3), 193, 0, 2, is_version=True),)
    desk.imports.differs = Differences(again=frozenset({1}), same=193)
    dialog = await opened(desk, qtbot)
    await until(lambda: dialog.bar.all.isEnabled())

    assert "193 of these rows ask for exactly what batch 5 (" in dialog.earlier.label.text()
    assert dialog.earlier.choice is Again.SKIP
    assert desk.imports.checks[-1].only_rows == frozenset({9, 20, 31, 44})
    for choice in (Again.OPEN, Again.CHANGED, Again.FAILED, Again.ALL):
        assert dialog.earlier.buttons[choice].isEnabled()

    # A mapping that asks for something else, and then the former one again.
    was, desk.imports.asked = desk.imports.asked, ()
    desk.imports.rows_for = nothing  # type: ignore[method-assign]
    dialog.form.changed.emit()
    await until(lambda: dialog.earlier.isHidden() and dialog.bar.all.isEnabled())
    assert desk.imports.checks[-1].only_rows is None
    desk.imports.asked = was
    del desk.imports.rows_for
    dialog.form.changed.emit()
    await until(lambda: not dialog.earlier.isHidden() and dialog.bar.all.isEnabled())
    assert desk.imports.checks[-1].only_rows == frozenset({9, 20, 31, 44})
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: bool(desk.imports.runs))
    assert desk.imports.runs[0].only_rows == frozenset({9, 20, 31, 44})


async def nothing(*_: object) -> None:
    """No part of the sheet."""


async def test_all_rows_run_where_that_is_free(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.asked = (AskedIn(summary(5, success=197), 193, 0, 0, is_version=False),)
    desk.imports.paid = False
    dialog = await opened(desk, qtbot)
    await until(lambda: dialog.bar.all.isEnabled())

    assert dialog.earlier.choice is Again.ALL
    assert not dialog.earlier.buttons[Again.CHANGED].isEnabled()
    assert not dialog.earlier.buttons[Again.FAILED].isEnabled()
    assert desk.imports.checks[-1].only_rows is None


async def test_a_changed_sheet_runs_its_changed_rows_alone(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.lineage = summary(5, success=197, failed=3)
    desk.imports.differs = Differences(changed=3, new=1, runs=4)
    dialog = await opened(desk, qtbot)
    started: list[int] = []
    dialog.started.connect(started.append)
    await until(lambda: dialog.bar.all.text() == "Run 4 rows" and dialog.bar.all.isEnabled())

    assert "3 changed, 1 new" in dialog.earlier.label.text()
    assert not dialog.earlier.pay_again.isVisible()
    assert not dialog.earlier.cancel_gone.isVisible()
    assert dialog.earlier.choice is Again.CHANGED
    assert dialog.earlier.buttons[Again.SKIP].isEnabled()
    assert not dialog.bar.trial.isVisible()
    assert dialog.bar.all.isDefault()
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: started == [5])

    assert (desk.imports.updated, desk.imports.runs) == ([(5, frozenset(), False)], [])
    assert desk.runs.started == [5]


async def test_what_would_be_paid_again_and_what_is_gone_is_asked(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.lineage = summary(5, success=197, failed=3)
    desk.imports.differs = Differences(
        new=1,
        same=194,
        unusable=1,
        gone=4,
        waiting_gone=2,
        runs=1,
        again=frozenset({7, 8, 9}),
        uncertain=1,
        again_cost=Money(Decimal("0.12"), "USD"),
        cost=plain("About 0.04 USD"),
        whole_cost=plain("About 0.16 USD"),
    )
    dialog = await opened(desk, qtbot)
    earlier, bar = dialog.earlier, dialog.bar
    await until(lambda: bar.all.text() == "Run 1 row" and bar.all.isEnabled())

    assert earlier.label.text().endswith(
        "In this sheet: 3 changed, 1 new, 194 the same. "
        "1 can't be used as it is now. 4 are no longer in it."
    )
    assert earlier.pay_again.text() == (
        "Pay again for 3 changed rows that are done or on their way "
        "(1 may have been billed): up to 0.12 USD"
    )
    assert earlier.cancel_gone.text() == "Cancel 2 waiting rows that are no longer in this sheet"
    assert bar.cost.text() == "Cost: About 0.04 USD"
    assert bar.disk.text() == ""
    assert not earlier.pay_again.isChecked()
    qtbot.mouseClick(earlier.buttons[Again.ALL], LEFT)
    assert not earlier.pay_again.isVisible()
    qtbot.mouseClick(earlier.buttons[Again.CHANGED], LEFT)
    qtbot.mouseClick(earlier.pay_again, LEFT)
    qtbot.mouseClick(earlier.cancel_gone, LEFT)
    await until(lambda: bar.all.text() == "Run 4 rows" and bar.all.isEnabled())
    assert bar.cost.text() == "Cost: About 0.16 USD"
    assert len(desk.imports.checks) == 1  # none of this is another look at the sheet
    qtbot.mouseClick(bar.all, LEFT)
    await until(lambda: bool(desk.imports.updated))

    assert desk.imports.updated == [(5, {7, 8, 9}, True)]


async def test_a_column_says_who_goes_first(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    assert desk.imports.checks[-1].mapping.priority_column is None
    dialog.form.order.priority.setCurrentIndex(dialog.form.order.priority.findData("size"))
    await until(lambda: desk.imports.checks[-1].mapping.priority_column == "size")


@pytest.mark.parametrize("trial", [True, False])
async def test_a_batch_may_go_before_others_from_its_first_row_on(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, trial: bool
) -> None:
    dialog = await opened(desk, qtbot)
    told_at_start: list[object] = []
    start = desk.runs.start

    async def noted(batch_id: int | None) -> None:
        told_at_start.extend(desk.priorities.told)
        await start(batch_id)

    monkeypatch.setattr(desk.runs, "start", noted)
    box = dialog.form.order.batch
    assert box.currentText() == "Normal: in turn with other batches"
    looks = len(desk.imports.checks)
    box.setCurrentIndex(box.findText("High: before other batches"))
    qtbot.mouseClick(dialog.bar.trial if trial else dialog.bar.all, LEFT)
    await until(lambda: bool(desk.runs.started))
    assert told_at_start == [(42, BatchPriority.HIGH)]
    assert len(desk.imports.checks) == looks, "no other look at the sheet"


async def test_the_usual_priority_is_not_told(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: bool(desk.runs.started))
    assert desk.priorities.told == []


async def test_cells_alone_may_be_taken_over(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.lineage, desk.imports.differs = summary(5, success=200), Differences(refiled=2)
    dialog = await opened(desk, qtbot)
    await until(lambda: dialog.bar.all.text() == "Update that run" and dialog.bar.all.isEnabled())
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: bool(desk.imports.updated))


async def test_a_changed_sheet_may_run_whole_as_a_new_one(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.lineage = summary(5, success=197, failed=3)
    desk.imports.differs = Differences(changed=3, runs=3)
    dialog = await opened(desk, qtbot)

    qtbot.mouseClick(dialog.earlier.buttons[Again.ALL], LEFT)
    await until(lambda: dialog.bar.all.text() == "Run all 197" and dialog.bar.all.isEnabled())
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: bool(desk.imports.runs))

    assert desk.imports.updated == []


async def test_a_sheet_with_nothing_changed_opens_its_run(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.lineage = summary(5, success=200)
    dialog = await opened(desk, qtbot)

    assert dialog.earlier.choice is Again.OPEN
    assert not dialog.earlier.buttons[Again.CHANGED].isEnabled()


async def test_a_folder_chosen_by_hand(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)

    dialog.form.set_parent_folder("/data/pictures")
    await until(lambda: desk.imports.checks[-1].out_dir is not None)

    assert desk.imports.checks[-1].out_dir == str(
        Path("/data/pictures/spring shoes 2026-11-30 14-02-11")
    )


@pytest.mark.parametrize(
    ("offered", "after"),
    [("Practice server: pictures as jobs", 1), ("Practice server: texts, word by word", 2)],
)
async def test_the_practice_server_is_offered_in_each_of_its_manners(
    desk: Desk, qtbot: QtBot, offered: str, after: int
) -> None:
    dialog = await opened(desk, qtbot)
    box = dialog.form.picker.box
    place = box.findText(offered)
    assert place == box.findText("Practice server: free, no account") + after
    box.setCurrentIndex(place)
    box.activated.emit(place)
    await until(lambda: desk.imports.checks[-1].connection_id == 7)
    dialog.form.picker.remember()
    await dialog.form.picker.load()
    assert box.currentIndex() == place


async def test_an_account_connected_on_the_way_is_chosen(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)

    dialog.form.picker.wanted.emit()
    await settle()
    connect = dialog.findChild(ConnectionDialog)
    assert isinstance(connect, ConnectionDialog)
    qtbot.keyClicks(connect.account.key, "sk-new")
    qtbot.mouseClick(connect.save, LEFT)
    await until(lambda: desk.imports.checks[-1].connection_id == 11)


async def test_the_wheel_never_changes_a_choice(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    box = dialog.form.prompt.column
    box.setFocus()
    wheel = QWheelEvent(
        QPointF(5, 5),
        box.mapToGlobal(QPointF(5, 5)),
        QPoint(0, -120),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )

    QApplication.sendEvent(box, wheel)

    assert box.currentText() == "prompt"


async def test_closed_while_reading_leaves_nothing_behind(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot, checked=False)
    dialog.reject()
    await settle()

    assert not desk.spawner.busy


async def test_with_nothing_failed_the_rest_is_not_offered(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.earlier = (summary(5, success=200),)
    dialog = await opened(desk, qtbot)

    enabled = {again for again in Again if dialog.earlier.buttons[again].isEnabled()}
    assert enabled == {Again.OPEN, Again.ALL}


async def test_an_empty_text_is_what_is_missing(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)

    qtbot.mouseClick(dialog.form.prompt.by_template, LEFT)
    await until(lambda: dialog.lead.text().startswith("Write the text of the prompt"))

    assert dialog.problems.lead.text() == "Nothing could be checked yet."
    assert not dialog.bar.all.isEnabled()


async def test_only_failed_rows(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.earlier = (summary(5, success=197, failed=3),)
    dialog = await opened(desk, qtbot)

    qtbot.mouseClick(dialog.earlier.buttons[Again.FAILED], LEFT)
    await until(lambda: dialog.bar.all.text() == "Run 2 rows" and dialog.bar.all.isEnabled())
    assert not dialog.bar.trial.isVisible()
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: bool(desk.imports.runs))

    assert desk.imports.choices[-1] is Earlier.FAILED
    assert desk.imports.runs[0].only_rows == {9, 20}


async def test_duplicates_run_unless_they_are_left_out(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.duplicates = 12
    dialog = await opened(desk, qtbot)

    assert "12 duplicates" in dialog.lead.text()
    assert dialog.duplicates.label.text() == (
        "12 rows ask for exactly what rows above ask for (rows 30-35, …)."
    )
    assert dialog.duplicates.keep.isChecked()
    assert not desk.imports.checks[-1].skip_duplicates
    qtbot.mouseClick(dialog.duplicates.skip, LEFT)
    await until(lambda: dialog.bar.all.text() == "Run all 185" and dialog.bar.all.isEnabled())
    assert "200 rows found" in dialog.lead.text()
    qtbot.mouseClick(dialog.bar.all, LEFT)
    await until(lambda: bool(desk.imports.runs))

    assert desk.imports.runs[0].skip_duplicates


async def test_a_trial_of_random_rows_runs_those_that_are_ticked(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    trial = dialog.trial
    dialog.tabs.setCurrentWidget(trial)

    trial.count.selectAll()
    qtbot.keyClicks(trial.count, "5")
    qtbot.mouseClick(trial.picks[Pick.RANDOM], LEFT)
    await until(lambda: dialog.bar.trial.text() == "Try 5 random rows")
    seed = desk.imports.checks[-1].trial.seed
    qtbot.mouseClick(trial.other, LEFT)
    await until(lambda: desk.imports.checks[-1].trial.seed != seed)
    await until(dialog.bar.trial.isEnabled)
    items = [trial.table.item(line, 0) for line in range(trial.table.rowCount())]
    ticked = tuple(int(item.text()) for item in items if item.checkState() is Qt.CheckState.Checked)
    qtbot.mouseClick(dialog.bar.trial, LEFT)
    await until(lambda: bool(desk.imports.runs))

    assert len(ticked) == 5
    assert desk.imports.runs[0].gate == ticked


async def test_a_tick_chooses_rows_and_keeps_those_that_are_not_listed(
    desk: Desk, qtbot: QtBot
) -> None:
    dialog = await opened(desk, qtbot)
    trial = dialog.trial
    dialog.tabs.setCurrentWidget(trial)
    assert trial.rows.text() == "2-4"

    trial.rows.selectAll()
    qtbot.keyClicks(trial.rows, "3, 150")
    assert trial.pick is Pick.CHOSEN
    await until(lambda: dialog.bar.trial.text() == "Try 2 chosen rows")
    await until(dialog.bar.trial.isEnabled)
    desk.imports.rows = 100  # row 150 leaves the list, not the choice
    item = trial.table.item(4, 0)
    spot = trial.table.visualItemRect(item)
    place = spot.topLeft() + QPoint(12, 13)
    for other in (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        qtbot.mouseClick(trial.table.viewport(), other, pos=place)
        assert trial.rows.text() == "3, 150"
    qtbot.mouseClick(trial.table.viewport(), LEFT, pos=place)
    assert trial.rows.text() == "3, 6, 150"
    await until(lambda: desk.imports.checks[-1].trial.rows == {3, 6, 150})

    assert trial.trial() == Trial(Pick.CHOSEN, rows=frozenset({3, 6, 150}))


async def test_rows_that_cannot_be_tried_are_said_and_not_started(desk: Desk, qtbot: QtBot) -> None:
    dialog = await opened(desk, qtbot)
    desk.imports.trial_problem = plain("Row 9 waits for row 4.")

    dialog.trial.rows.selectAll()
    qtbot.keyClicks(dialog.trial.rows, "9")
    await until(lambda: dialog.trial.said.text() == "Row 9 waits for row 4.")
    assert not dialog.bar.trial.isEnabled()
    qtbot.keyClicks(dialog.trial.rows, "x")
    await until(lambda: '"9x" can\'t be read as row numbers' in dialog.trial.said.text())
    await until(lambda: not dialog.bar.trial.isVisible())
    assert dialog.bar.all.isVisible()


async def test_a_long_check_says_how_far_it_is_and_ends_with_the_dialog(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.imports.rows = 400_000
    dialog = await opened(desk, qtbot)
    desk.imports.check_gates = [asyncio.Event()]
    before = len(desk.imports.progress)
    dialog.form.changed.emit()
    await until(lambda: len(desk.imports.progress) > before)
    progress = desk.imports.progress[-1]
    assert progress is not None
    progress(300_000)
    assert dialog.bar.cost.text() == "300,000 of 400,000 rows checked"
    assert (dialog.bar.progress.isVisible(), dialog.bar.progress.maximum()) == (True, 400_000)
    progress(400_000)
    assert dialog.bar.cost.text() == "Comparing with the earlier run…"
    assert dialog.bar.progress.maximum() == 0

    dialog.reject()
    await settle()

    assert desk.imports.unwanted == 1
    assert not desk.spawner.busy


async def test_a_disk_that_is_too_small_is_a_warning(desk: Desk, qtbot: QtBot) -> None:
    desk.imports.free = 300_000_000
    dialog = await opened(desk, qtbot)

    assert "The disk may be too small" in dialog.bar.disk.text()
    assert dialog.bar.disk.property("tone") == "warning"


async def test_rows_with_problems_are_saved_as_a_sheet(
    desk: Desk, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = await opened(desk, qtbot)
    dialog.tabs.setCurrentWidget(dialog.problems)

    qtbot.mouseClick(dialog.problems.save, LEFT)
    chooser = dialog.findChild(QFileDialog)
    assert isinstance(chooser, QFileDialog)
    chooser.fileSelected.emit(str(tmp_path / "bad.xlsx"))
    chooser.close()
    await until(lambda: desk.exports.written == [("unusable", 7, tmp_path / "bad.xlsx")])
