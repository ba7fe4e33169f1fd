"""The small dialogs: closing, cancel, requeue, edit, settle, settings, export."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import TaskFilter
from desktop_app.services.alerts import SWITCHES, is_wanted
from desktop_app.services.export_batch import Exported
from desktop_app.ui.answer import Answer
from desktop_app.ui.dialogs.cancel import CancelDialog
from desktop_app.ui.dialogs.closing import ClosingDialog
from desktop_app.ui.dialogs.edit_prompt import EditPromptDialog
from desktop_app.ui.dialogs.export_batch import ExportDialog
from desktop_app.ui.dialogs.requeue import RequeueDialog
from desktop_app.ui.dialogs.settings import SettingsDialog
from desktop_app.ui.dialogs.settle import SettleDialog
from desktop_app.ui.dialogs.settle_many import SettleManyDialog
from tests.ui.dialogs.dialog_fakes import Desk, plain, settle, summary, task, until

LEFT = Qt.MouseButton.LeftButton


# --- closing ---------------------------------------------------------------------------------


async def test_closing_finishes_by_default(desk: Desk, qtbot: QtBot) -> None:
    dialog = ClosingDialog(desk.context, 8, 30.0, parent=desk.window)
    chosen: list[str] = []
    dialog.chosen.connect(chosen.append)
    dialog.open()

    assert dialog.finish.text() == "Finish 8 running (about 30 s)"
    assert dialog.quit.text() == "Quit now (8 may be billed)"
    qtbot.keyClick(dialog, Qt.Key.Key_Return)

    assert chosen == ["finish"]


@pytest.mark.parametrize(("key", "said"), [("quit", "quit"), ("back", "back")])
async def test_closing_says_each_choice_once(desk: Desk, qtbot: QtBot, key: str, said: str) -> None:
    dialog = ClosingDialog(desk.context, 8, None, parent=desk.window)
    chosen: list[str] = []
    dialog.chosen.connect(chosen.append)
    dialog.open()

    qtbot.mouseClick(getattr(dialog, key), LEFT)

    assert chosen == [said]
    assert dialog.finish.text() == "Finish 8 running"


async def test_closing_by_escape_is_back(desk: Desk, qtbot: QtBot) -> None:
    dialog = ClosingDialog(desk.context, 8, None, parent=desk.window)
    chosen: list[str] = []
    dialog.chosen.connect(chosen.append)
    dialog.open()

    qtbot.keyClick(dialog, Qt.Key.Key_Escape)

    assert chosen == ["back"]


async def test_closing_counts_on(desk: Desk, qtbot: QtBot) -> None:
    dialog = ClosingDialog(desk.context, 8, 30.0, parent=desk.window)
    dialog.open()

    desk.runs.flying = 3
    await until(lambda: dialog.heading.text() == "3 calls are running")
    desk.runs.flying = 0
    await until(lambda: dialog.finish.text() == "Close")

    assert not dialog.quit.isVisible()
    dialog.reject()


# --- cancel ----------------------------------------------------------------------------------


async def test_cancel_names_its_numbers(desk: Desk, qtbot: QtBot) -> None:
    dialog = CancelDialog(desk.context, summary(5, pending=40, running=8), parent=desk.window)
    reached: list[int] = []
    dialog.cancelled.connect(reached.append)
    dialog.open()
    await settle()

    assert dialog.heading.text() == "Cancel 40 waiting rows?"
    assert "8 running rows were sent already" in dialog.lead.text()
    assert not dialog.go.isDefault()
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: reached == [40])

    assert desk.runs.cancelled == [TaskFilter(batch_id=5)]


async def test_the_rows_to_cancel_are_counted_while_it_asks(desk: Desk, qtbot: QtBot) -> None:
    dialog = CancelDialog(desk.context, summary(5, pending=40, running=8), parent=desk.window)
    dialog.open()
    await settle()
    assert dialog.again.isActive()
    desk.queries.total = Ledger(pending=31, running=8, success=9)
    dialog.again.timeout.emit()
    await until(lambda: dialog.go.text() == "Cancel 31 rows")
    assert dialog.heading.text() == "Cancel 31 waiting rows?"
    dialog.reject()
    assert not dialog.again.isActive()


async def test_cancel_of_all_batches_counts_first(desk: Desk, qtbot: QtBot) -> None:
    dialog = CancelDialog(desk.context, None, parent=desk.window)
    dialog.open()
    assert not dialog.go.isEnabled()

    await until(dialog.go.isEnabled)
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: desk.runs.cancelled == [TaskFilter(batch_id=None)])


# --- requeue ---------------------------------------------------------------------------------


async def test_requeue_counts_in_the_store_before_it_may(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {pk: task(pk) for pk in range(1, 42)}
    which = TaskFilter(batch_id=5, states=frozenset({TaskState.FAILED}), error_class="refused")
    dialog = RequeueDialog(desk.context, which, 12, "Refused by moderation", parent=desk.window)
    dialog.open()
    assert not dialog.go.isEnabled()

    await until(lambda: dialog.heading.text() == "Requeue 41 rows?")
    assert not dialog.notice.text
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    await until(lambda: desk.letters.requeued == [which])


async def test_requeue_of_what_never_was_a_request(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {1: task(1)}
    which = TaskFilter(states=frozenset({TaskState.FAILED}), cause="ingest.no_prompt")
    dialog = RequeueDialog(desk.context, which, 1, parent=desk.window)
    dialog.open()
    await until(lambda: dialog.notice.text.startswith("This row never was a request"))
    await settle()

    assert not dialog.go.isEnabled()
    dialog.reject()


# --- edit ------------------------------------------------------------------------------------


async def test_edit_saves_and_requeues(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {3: task(3)}
    dialog = EditPromptDialog(desk.context, 3, parent=desk.window)
    dialog.open()
    await until(dialog.prompt.isEnabled)
    assert "refused this prompt" in dialog.lead.text()

    qtbot.keyClicks(dialog.prompt, "a blue sneaker")
    qtbot.keyClick(dialog.prompt, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: desk.letters.edited == [(3, "a blue sneaker")])

    assert not dialog.isVisible()


async def test_edit_of_an_empty_prompt_is_not_offered(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {3: task(3)}
    dialog = EditPromptDialog(desk.context, 3, parent=desk.window)
    dialog.open()
    await until(dialog.go.isEnabled)

    qtbot.keyClick(dialog.prompt, Qt.Key.Key_Delete)

    assert not dialog.go.isEnabled()
    dialog.reject()


async def test_edit_of_a_row_that_moved_on(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {3: task(3)}
    desk.letters.agrees = False
    dialog = EditPromptDialog(desk.context, 3, parent=desk.window)
    dialog.open()
    await until(dialog.go.isEnabled)

    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: "moved on" in dialog.notice.text)

    assert dialog.isVisible()
    dialog.reject()


async def test_edit_of_what_may_have_been_billed_says_what_it_costs(
    desk: Desk, qtbot: QtBot
) -> None:
    given = "two\r\nlines"  # Qt would give it back with other line ends
    desk.queries.tasks = {3: task(3, TaskState.UNCERTAIN, prompt=given)}
    dialog = EditPromptDialog(desk.context, 3, parent=desk.window)
    dialog.open()
    await until(lambda: "may have been billed already" in dialog.notice.text)
    assert dialog.notice.text.endswith(PRICE.format("0.05"))
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: desk.letters.edited == [(3, given)])

    changed = EditPromptDialog(desk.context, 3, parent=desk.window)
    changed.open()
    await until(changed.go.isEnabled)
    qtbot.keyClicks(changed.prompt, "a cup")
    await until(lambda: "billed for nothing" in changed.notice.text)
    changed.reject()


# --- settle ----------------------------------------------------------------------------------


PRICE = "It may be paid twice: up to {} USD more."


@pytest.mark.parametrize("answer", ["ask", "resend", "failed"])
async def test_many_are_settled_by_a_click_once_they_are_counted_and_priced(
    desk: Desk, qtbot: QtBot, answer: str
) -> None:
    desk.letters.can_ask = True
    which = TaskFilter(batch_id=5, states=frozenset({TaskState.UNCERTAIN}))
    settled: list[int] = []
    dialog = SettleManyDialog(desk.context, which, "No answer came.", parent=desk.window)
    dialog.settled.connect(settled.append)
    dialog.open()
    assert not dialog.buttons[answer].isEnabled()
    await until(dialog.buttons[answer].isEnabled)
    assert dialog.heading.text() == "4 rows may have been billed"
    words = [button.text() for button in dialog.buttons.values()]
    assert words == [
        "Ask about 4 rows",
        "Attach a folder…",
        "Send 4 rows again",
        "Mark 4 rows as failed",
    ]
    assert dialog.buttons["resend"].accessibleDescription() == PRICE.format("0.20")
    assert desk.letters.settled == []

    qtbot.mouseClick(dialog.buttons[answer], LEFT)
    await until(lambda: settled == [4])
    assert desk.letters.settled == [(answer, which)]


async def test_many_take_their_files_from_a_folder(desk: Desk, qtbot: QtBot) -> None:
    which = TaskFilter(batch_id=5, states=frozenset({TaskState.UNCERTAIN}))
    settled: list[int] = []
    desk.letters.attach_error = plain("No file there has the name of such a row.")
    dialog = SettleManyDialog(desk.context, which, parent=desk.window)
    dialog.settled.connect(settled.append)
    dialog.open()
    await until(dialog.buttons["attach"].isEnabled)
    assert "such as 0002-mug" in dialog.buttons["attach"].accessibleDescription()
    qtbot.mouseClick(dialog.buttons["attach"], LEFT)
    chooser = dialog.findChild(QFileDialog)
    assert isinstance(chooser, QFileDialog)
    assert chooser.fileMode() == QFileDialog.FileMode.Directory
    chooser.fileSelected.emit("/tmp/none")
    chooser.close()
    await until(lambda: dialog.notice.text == "No file there has the name of such a row.")
    assert settled == []

    desk.letters.attach_error, desk.letters.found = None, 3
    dialog.attach("/tmp/found")
    await until(lambda: settled == [3])
    assert desk.letters.settled == [("attach", which, Path("/tmp/found"))]
    said = "3 rows have their files now. 1 row has no usable file there and was left."
    await until(lambda: dialog.notice.text == said)
    assert dialog.heading.text() == "1 row may have been billed"  # and is decided here as well

    desk.letters.found = 1
    dialog.attach("/tmp/found")
    await until(lambda: settled == [3, 1])
    assert not dialog.isVisible()


@pytest.mark.parametrize("standing", [(), (5,)])
async def test_what_is_sent_again_in_a_batch_that_stands_still_offers_to_resume_it(
    desk: Desk, qtbot: QtBot, standing: tuple[int, ...]
) -> None:
    desk.letters.standing = standing
    answers: list[Answer] = []
    desk.context.signals.answered.connect(answers.append)
    dialog = SettleManyDialog(desk.context, TaskFilter(batch_id=5), parent=desk.window)
    dialog.open()
    await until(dialog.buttons["resend"].isEnabled)
    qtbot.mouseClick(dialog.buttons["resend"], LEFT)
    await until(lambda: answers)
    desk.queries.tasks = {3: task(3, TaskState.UNCERTAIN)}
    one = SettleDialog(desk.context, 3, parent=desk.window)
    one.open()
    await until(one.buttons["resend"].isEnabled)
    qtbot.mouseClick(one.buttons["resend"], LEFT)
    await until(lambda: len(answers) == 2)
    edit = EditPromptDialog(desk.context, 3, desk.window)
    edit.open()
    await until(edit.go.isEnabled)
    qtbot.mouseClick(edit.go, LEFT)
    await until(lambda: len(answers) == 3)
    assert [answer.resume for answer in answers] == [standing] * 3


async def test_many_that_nobody_can_be_asked_about(desk: Desk) -> None:
    dialog = SettleManyDialog(desk.context, TaskFilter(), parent=desk.window)
    dialog.open()
    await until(dialog.buttons["resend"].isEnabled)
    assert not dialog.buttons["ask"].isVisible()
    dialog.reject()


@pytest.mark.parametrize("answer", ["resend", "failed"])
async def test_settle_by_a_click(desk: Desk, qtbot: QtBot, answer: str) -> None:
    desk.queries.tasks = {3: task(3, TaskState.UNCERTAIN)}
    dialog = SettleDialog(desk.context, 3, parent=desk.window)
    dialog.open()
    await until(dialog.buttons[answer].isEnabled)
    assert dialog.buttons["resend"].accessibleDescription() == PRICE.format("0.05")

    qtbot.mouseClick(dialog.buttons[answer], LEFT)
    await until(lambda: desk.letters.settled == [(answer, 3)])

    assert not dialog.isVisible()


async def test_settle_offers_to_ask_only_where_that_is_possible(desk: Desk) -> None:
    desk.queries.tasks = {3: task(3, TaskState.UNCERTAIN)}
    dialog = SettleDialog(desk.context, 3, parent=desk.window)
    dialog.open()
    await until(dialog.buttons["resend"].isEnabled)
    assert not dialog.buttons["ask"].isVisible()
    dialog.reject()


async def test_settle_asks_where_the_provider_can_be_asked(desk: Desk, qtbot: QtBot) -> None:
    desk.letters.can_ask = True
    desk.queries.tasks = {3: task(3, TaskState.UNCERTAIN)}
    dialog = SettleDialog(desk.context, 3, parent=desk.window)
    dialog.open()
    await until(dialog.buttons["ask"].isEnabled)

    qtbot.mouseClick(dialog.buttons["ask"], LEFT)
    await until(lambda: not dialog.isVisible())

    assert desk.letters.settled == [("ask", 3)]


async def test_settle_with_a_file_that_is_none(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {3: task(3, TaskState.UNCERTAIN)}
    desk.letters.attach_error = plain("This file is no picture.")
    dialog = SettleDialog(desk.context, 3, parent=desk.window)
    dialog.open()
    await until(dialog.buttons["attach"].isEnabled)

    qtbot.mouseClick(dialog.buttons["attach"], LEFT)
    chooser = dialog.findChild(QFileDialog)
    assert isinstance(chooser, QFileDialog)
    chooser.fileSelected.emit("/tmp/a.txt")
    chooser.close()
    await until(lambda: dialog.notice.text == "This file is no picture.")
    desk.letters.attach_error = None
    dialog.attach("/tmp/a.png")
    await until(lambda: desk.letters.settled == [("attach", 3, Path("/tmp/a.png"))])


async def test_settle_of_a_settled_row_offers_nothing(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {3: task(3, TaskState.SUCCESS)}
    dialog = SettleDialog(desk.context, 3, parent=desk.window)
    dialog.open()
    await until(lambda: "settled already" in dialog.notice.text)

    assert not any(button.isEnabled() for button in dialog.buttons.values())
    dialog.reject()


async def test_settle_cuts_nothing_off(desk: Desk, qtbot: QtBot) -> None:
    why = plain("No answer came within 600 s, and nobody says what became of it. " * 8)
    desk.letters.can_ask = True
    desk.queries.tasks = {3: task(3, TaskState.UNCERTAIN, note=why)}
    dialog = SettleDialog(desk.context, 3, parent=desk.window)
    dialog.open()
    await until(dialog.buttons["ask"].isEnabled)
    await settle()

    for label in dialog.findChildren(QLabel):
        if label.isVisible() and label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width()), label.text()
    dialog.reject()


# --- settings --------------------------------------------------------------------------------


async def test_settings_take_effect_at_once(desk: Desk, qtbot: QtBot) -> None:
    dialog = SettingsDialog(desk.context, parent=desk.window)
    dialog.open()

    qtbot.keyClick(dialog.theme, Qt.Key.Key_End)
    dialog.theme.activated.emit(dialog.theme.currentIndex())
    for box in dialog.notify.values():
        qtbot.mouseClick(box, LEFT)
    dialog.set_folder("/data/pictures")

    assert desk.context.theme.dark
    assert desk.preferences.values["theme"] == "dark"
    assert not any(is_wanted(desk.context.services.preferences, switch) for switch in SWITCHES)
    assert desk.preferences.values["out_parent"] == "/data/pictures"
    desk.context.theme.set_mode("light")
    dialog.accept()


async def test_settings_switch_callbacks_on_and_say_what_is_wrong(desk: Desk, qtbot: QtBot) -> None:
    dialog = SettingsDialog(desk.context, parent=desk.window)
    dialog.open()
    callbacks, kept = dialog.callbacks, desk.preferences.values
    assert not callbacks.on.isChecked()
    assert callbacks.grid.isHidden()
    qtbot.mouseClick(callbacks.on, LEFT)
    assert not callbacks.grid.isHidden()
    await until(lambda: desk.callbacks.applied == 1)
    assert kept["callbacks"] is True

    callbacks.url.setText(" https://hooks.example.com ")
    callbacks.url.editingFinished.emit()
    await until(lambda: desk.callbacks.applied == 2)
    callbacks.url.editingFinished.emit()  # nothing has changed
    assert (kept["callbacks_address"], kept["callbacks_port"]) == ("127.0.0.1", 8377)
    assert kept["callbacks_url"] == "https://hooks.example.com"

    callbacks.port.setText("70000")
    callbacks.port.editingFinished.emit()
    assert dialog.notice.text == "A port is a whole number from 1 to 65,535."
    assert kept["callbacks_port"] == 8377
    desk.callbacks.trouble = message("callbacks.bad_url", url="x")
    callbacks.port.setText("9000")
    callbacks.port.editingFinished.emit()
    await until(lambda: "no address" in dialog.notice.text)
    desk.callbacks.trouble = None
    qtbot.mouseClick(callbacks.on, LEFT)
    await until(lambda: dialog.notice.text == "")
    assert kept["callbacks"] is False
    dialog.accept()


async def test_settings_switch_the_language_live(desk: Desk, qtbot: QtBot) -> None:
    dialog = SettingsDialog(desk.context, parent=desk.window)
    dialog.open()

    dialog.language.setCurrentIndex(1)
    dialog.language.activated.emit(1)

    assert desk.context.tr.language == "zh_CN"
    assert desk.preferences.values["language"] == "zh_CN"
    desk.context.set_language("en")
    dialog.accept()


# --- export ----------------------------------------------------------------------------------


def exporting(desk: Desk, *, failures: bool = False) -> ExportDialog:
    dialog = ExportDialog(
        desk.context, desk.window, 5, "/sheets/Spring shoes.xlsx", failures=failures
    )
    dialog.open()
    return dialog


async def test_an_export_is_one_press_away_and_remembers_its_folder(
    desk: Desk, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = exporting(desk)
    assert dialog.heading.text() == "Export results"
    assert dialog.target.parent != Path.cwd()
    assert re.fullmatch(r"Spring shoes results \d{4}-\d\d-\d\d", dialog.target.stem)
    assert dialog.target.suffix == ".xlsx"
    qtbot.mouseClick(dialog.change, LEFT)
    chooser = dialog.findChild(QFileDialog)
    assert isinstance(chooser, QFileDialog)
    chooser.fileSelected.emit(str(tmp_path / "results.xlsx"))
    chooser.close()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    await until(lambda: desk.exports.written == [("results", 5, tmp_path / "results.xlsx")])
    assert desk.preferences.values["export_folder"] == str(tmp_path)
    assert not dialog.isVisible()


async def test_small_pictures_go_into_a_workbook_alone(
    desk: Desk, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = exporting(desk)
    dialog.set_target(tmp_path / "results")
    assert dialog.target == tmp_path / "results.xlsx"
    qtbot.mouseClick(dialog.thumbnails, LEFT)
    dialog.kind.setCurrentIndex(1)
    assert dialog.target == tmp_path / "results.csv"
    assert not dialog.thumbnails.isEnabled()
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: desk.exports.written == [("results", 5, tmp_path / "results.csv")])

    again = exporting(desk)  # the tick is remembered
    again.set_target(tmp_path / "a.xlsx")
    qtbot.mouseClick(again.go, LEFT)
    await until(lambda: desk.exports.written[1:] == [("thumbnails", 5, tmp_path / "a.xlsx")])


async def test_a_suffix_may_be_written_in_capitals(
    desk: Desk, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = exporting(desk)
    dialog.set_target(tmp_path / "A.CSV")
    assert dialog.target == tmp_path / "A.CSV"
    assert not dialog.thumbnails.isEnabled()
    dialog.set_target(tmp_path / "A.XLSX")
    qtbot.mouseClick(dialog.thumbnails, LEFT)
    qtbot.mouseClick(dialog.change, LEFT)
    chooser = dialog.findChild(QFileDialog)
    assert isinstance(chooser, QFileDialog)
    assert chooser.defaultSuffix() == "xlsx"
    chooser.close()
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: desk.exports.written == [("thumbnails", 5, tmp_path / "A.XLSX")])


async def test_what_is_replaced_and_what_was_held_is_said(
    desk: Desk, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f.xlsx").touch()
    dialog = exporting(desk, failures=True)
    assert dialog.thumbnails.isHidden()
    dialog.set_target(tmp_path / "f.xlsx")
    assert dialog.notice.text == "f.xlsx is there already and is replaced."

    async def held(_batch: int, target: Path) -> Exported:
        return Exported(target.with_name("f-2.xlsx"), 12, renamed=True)

    monkeypatch.setattr(desk.exports, "failures", held)
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: bool(desk.answers))
    assert desk.answers[0].text(desk.context.tr) == (
        "f.xlsx is open in another program: saved beside it. 12 rows saved: f-2.xlsx"
    )


async def test_words_in_pictures_are_a_tick_and_off_at_first(desk: Desk, qtbot: QtBot) -> None:
    dialog = SettingsDialog(desk.context, parent=desk.window)
    dialog.open()
    assert not dialog.embed.isChecked()
    qtbot.mouseClick(dialog.embed, LEFT)
    assert desk.preferences.values["embed"] is True
    dialog.accept()
