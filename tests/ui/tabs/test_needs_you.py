"""Needs you: causes with their next step, rows in pages, and actions that reach all that match."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMenu, QScrollArea, QVBoxLayout
from pytestqt.qtbot import QtBot

from desktop_app.domain.events import TasksChanged
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message
from desktop_app.domain.views import DeadGroup, TaskFilter
from desktop_app.ui.answer import Answer
from desktop_app.ui.dialogs.edit_prompt import EditPromptDialog
from desktop_app.ui.dialogs.export_batch import ExportDialog
from desktop_app.ui.dialogs.requeue import RequeueDialog
from desktop_app.ui.dialogs.settle import SettleDialog
from desktop_app.ui.dialogs.settle_many import SettleManyDialog
from desktop_app.ui.lazy_rows import PAGE
from desktop_app.ui.tabs.needs_you import NeedsYouTab
from desktop_app.ui.tabs.needs_you_group import GroupCard
from desktop_app.ui.tabs.needs_you_rows import BATCH
from tests.ui.dialogs.dialog_fakes import Desk, make_desk, plain, settle, summary, task, until

LEFT = Qt.MouseButton.LeftButton
UNCERTAIN = TaskState.UNCERTAIN


def refused(count: int) -> DeadGroup:
    return DeadGroup(
        TaskState.FAILED,
        "refused",
        "content_policy",
        plain("Refused by moderation"),
        plain("Edit the prompt and requeue."),
        count,
        (1, 2),
    )


def billed(count: int) -> DeadGroup:
    return DeadGroup(
        UNCERTAIN,
        "unknown",
        "read_timeout",
        plain("May have been billed"),
        plain("Ask, send again, or attach a file."),
        count,
        (),
    )


@pytest.fixture
async def desk(qtbot: QtBot, tmp_path: Path) -> AsyncIterator[Desk]:
    made = make_desk(tmp_path)
    made.window.resize(900, 600)
    QVBoxLayout(made.window)
    made.window.show()
    yield made
    await made.spawner.finish()
    await settle()
    shiboken6.delete(made.window)


async def shown(desk: Desk, *groups: DeadGroup, batch_id: int | None = 5) -> NeedsYouTab:
    desk.letters.shown = list(groups)
    tab = NeedsYouTab(desk.context, desk.window)
    layout = desk.window.layout()
    assert layout is not None
    layout.addWidget(tab)
    tab.show()
    tab.set_batch(batch_id)
    await until(lambda: len(tab.cards()) == len(groups))
    await settle()
    return tab


async def unfold(card: GroupCard, qtbot: QtBot) -> None:
    qtbot.mouseClick(card.show_rows, LEFT)
    await until(lambda: len(card.body.rows.pks) > 0)
    await settle()


def dialog_of(desk: Desk, kind: type[RequeueDialog]) -> RequeueDialog:
    found = desk.window.findChild(kind)
    assert isinstance(found, kind)
    return found


async def test_nothing_needs_you(desk: Desk, qtbot: QtBot) -> None:
    tab = await shown(desk)
    await until(tab.empty.isVisible)

    assert tab.empty.title.text() == "Nothing needs you."


async def test_groups_say_count_cause_and_next_step(desk: Desk, qtbot: QtBot) -> None:
    desk.letters.shown = [refused(1204), billed(6)]
    tab = NeedsYouTab(desk.context, desk.window)
    tab.set_batch(5)
    await until(lambda: tab.summary.text() == "1,210 rows need you")

    first = tab.cards()[0]
    assert first.count.text() == "1,204"
    assert first.cause.text() == "Refused by moderation"
    assert first.advice.text() == "Edit the prompt and requeue."
    assert first.requeue_all.text() == "Requeue 1,204"
    assert first.accessibleName() == "1,204 Refused by moderation"
    assert tab.summary.text() == "1,210 rows need you"


async def test_where_there_is_little_room_the_words_have_it(desk: Desk, qtbot: QtBot) -> None:
    tab = await shown(desk, refused(41))
    (card,) = tab.cards()
    assert card.show_rows.y() == card.requeue_all.y()
    desk.window.resize(560, 600)
    await until(lambda: card.show_rows.x() == card.requeue_all.x())
    assert card.show_rows.geometry().bottom() < card.requeue_all.y()
    assert card.cause.width() > 200, card.width()
    card.show_rows.click()
    await settle()
    area = tab.findChild(QScrollArea)
    assert area is not None
    assert area.horizontalScrollBar().maximum() == 0
    desk.window.resize(900, 600)
    await until(lambda: card.show_rows.y() == card.requeue_all.y())


async def test_cards_and_rows_of_all_batches_say_which(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {1: task(1), 2: task(2, batch_id=7)}
    names = {5: "Spring shoes", 6: "Mugs", 7: "FAQ", 8: "Caps", 9: "Bags"}
    group = replace(refused(2), batches=(5, 7))
    tab = await shown(desk, group, batch_id=None)
    tab.set_batches(names)
    card = tab.cards()[0]
    assert (card.where.text(), card.where.isVisible()) == ("In Spring shoes, FAQ", True)
    await unfold(card, qtbot)
    assert not card.body.table.isColumnHidden(BATCH)
    await until(lambda: card.body.rows.index(1, BATCH).data() == "FAQ")
    desk.letters.shown = [replace(group, batches=tuple(names))]
    desk.context.signals.events.emit([TasksChanged(5, ())])
    await until(lambda: card.where.text() == "In Spring shoes, Mugs, FAQ and 2 more")

    tab.set_batch(5)
    await until(lambda: tab.cards() != [] and not tab.cards()[0].where.isVisible())
    assert tab.cards()[0].body.table.isColumnHidden(BATCH)


async def test_s21_requeue_acts_on_all_that_match_not_on_the_page(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {pk: task(pk) for pk in range(1, 1 + 3 * PAGE)}
    tab = await shown(desk, refused(3 * PAGE))
    card = tab.cards()[0]
    await unfold(card, qtbot)
    card.body.table.selectRow(0)

    qtbot.mouseClick(card.requeue_all, LEFT)
    dialog = dialog_of(desk, RequeueDialog)
    await until(dialog.go.isEnabled)
    assert dialog.heading.text() == f"Requeue {3 * PAGE} rows?"
    assert desk.letters.requeued == []
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: bool(desk.letters.requeued))

    assert desk.letters.requeued == [
        TaskFilter(
            batch_id=5,
            states=frozenset({TaskState.FAILED}),
            cause="content_policy",
            error_class="refused",
        )
    ]
    assert desk.answers[-1].text(desk.context.tr) == "41 rows were requeued."


async def test_only_the_selected_rows(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {pk: task(pk) for pk in range(1, 42)}
    tab = await shown(desk, refused(41))
    card = tab.cards()[0]
    await unfold(card, qtbot)
    card.body.table.setFocus()
    card.body.table.selectRow(1)
    qtbot.keyClick(card.body.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert card.body.selected.text() == "2 rows selected"

    qtbot.mouseClick(card.body.requeue, LEFT)
    dialog = dialog_of(desk, RequeueDialog)
    await until(dialog.go.isEnabled)
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: bool(desk.letters.requeued))

    assert desk.letters.requeued[0].pks == (2, 3)


async def test_20000_rows_are_read_in_pages_and_all_can_be_selected(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.queries.tasks = {pk: task(pk) for pk in range(1, 20_001)}
    tab = await shown(desk, refused(20_000))
    card = tab.cards()[0]
    await unfold(card, qtbot)
    await until(lambda: card.body.rows.row(0) is not None)

    assert sum(len(pks) for pks in desk.queries.asked) == PAGE
    card.body.table.setFocus()
    qtbot.keyClick(card.body.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert card.body.selected.text() == "20,000 rows selected"
    qtbot.keyClick(card.body.table, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: card.body.rows.row(19_999) is not None)

    assert sum(len(pks) for pks in desk.queries.asked) <= 3 * PAGE
    assert card.body.rows.index(19_999, 0).data() == "20001"


async def test_selection_and_place_outlive_a_refresh(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {pk: task(pk) for pk in range(1, 101)}
    tab = await shown(desk, refused(100))
    card = tab.cards()[0]
    await unfold(card, qtbot)
    card.body.table.verticalScrollBar().setValue(30)
    card.body.table.selectRow(32)
    chosen = card.body.table.selected_pks()

    del desk.queries.tasks[5]
    desk.letters.shown = [billed(6), refused(99)]
    desk.context.signals.events.emit([TasksChanged(5)])
    await until(lambda: len(card.body.rows.pks) == 99)
    await until(lambda: card.body.table.selected_pks() == chosen)

    assert card.body.table.verticalScrollBar().value() == 30
    assert tab.cards()[1] is card


async def test_rows_that_changed_are_read_again_though_the_list_is_the_same(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.queries.tasks = {pk: task(pk, attempt_no=1) for pk in (1, 2)}
    tab = await shown(desk, refused(2))
    card = tab.cards()[0]
    await unfold(card, qtbot)
    await until(lambda: (row := card.body.rows.row(1)) is not None and row.attempt_no == 1)

    desk.queries.tasks = {pk: task(pk, attempt_no=2) for pk in (1, 2)}
    desk.context.signals.events.emit([TasksChanged(5)])
    await until(lambda: (row := card.body.rows.row(1)) is not None and row.attempt_no == 2)


async def test_events_of_another_batch_are_none_of_ours(desk: Desk, qtbot: QtBot) -> None:
    tab = await shown(desk, refused(2))
    desk.letters.shown = []

    desk.context.signals.events.emit([TasksChanged(99)])
    await settle()
    assert len(tab.cards()) == 1
    desk.context.signals.events.emit([TasksChanged(5)])
    await until(lambda: not tab.cards())

    assert tab.empty.isVisible()


async def test_one_group_is_open_at_a_time(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {1: task(1), 2: task(2, UNCERTAIN, error_class="unknown")}
    tab = await shown(desk, refused(1), billed(1))
    first, second = tab.cards()
    await unfold(first, qtbot)
    assert not first.body.settle.isVisible()

    second.show_rows.setFocus()
    qtbot.keyClick(second.show_rows, Qt.Key.Key_Space)
    await until(lambda: len(second.body.rows.pks) == 1)

    assert not first.body.table.isVisible()
    assert second.body.settle.isVisible()


async def test_edit_and_settle_open_for_one_row(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {pk: task(pk, UNCERTAIN, error_class="unknown") for pk in (1, 2)}
    tab = await shown(desk, billed(2))
    card = tab.cards()[0]
    await unfold(card, qtbot)
    assert not card.body.edit.isEnabled()
    card.body.table.selectRow(1)

    qtbot.mouseClick(card.body.settle, LEFT)
    settling = desk.window.findChild(SettleDialog)
    assert isinstance(settling, SettleDialog)
    await until(settling.buttons["failed"].isEnabled)
    qtbot.mouseClick(settling.buttons["failed"], LEFT)
    await until(lambda: desk.letters.settled == [("failed", 2)])
    await until(lambda: not settling.isVisible())
    desk.window.activateWindow()
    card.body.table.setFocus()
    await until(card.body.table.hasFocus)
    qtbot.keyClick(card.body.table, Qt.Key.Key_F2)

    editing = desk.window.findChild(EditPromptDialog)
    assert isinstance(editing, EditPromptDialog)
    await until(editing.go.isEnabled)
    editing.reject()


async def test_a_cause_of_one_row_offers_to_attach_its_file(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {7: task(7, UNCERTAIN, error_class="unknown")}
    tab = await shown(desk, billed(1))
    (card,) = tab.cards()
    assert "attach a file" in card.advice.text()

    qtbot.mouseClick(card.requeue_all, LEFT)
    await until(lambda: desk.window.findChild(SettleDialog) is not None)
    settling = desk.window.findChild(SettleDialog)
    assert isinstance(settling, SettleDialog)
    await until(settling.buttons["attach"].isEnabled)
    qtbot.mouseClick(settling.buttons["failed"], LEFT)
    await until(lambda: desk.letters.settled == [("failed", 7)])


async def test_a_cause_whose_rows_changed_meanwhile_is_settled_as_many(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.queries.tasks = {pk: task(pk, UNCERTAIN, error_class="unknown") for pk in (1, 2)}
    tab = await shown(desk, billed(1))
    qtbot.mouseClick(tab.cards()[0].requeue_all, LEFT)
    await until(lambda: desk.window.findChild(SettleManyDialog) is not None)
    assert desk.window.findChild(SettleDialog) is None


async def test_what_may_have_been_billed_is_settled_at_once_and_never_requeued(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.queries.tasks = {pk: task(pk, UNCERTAIN, error_class="unknown") for pk in (1, 2, 3)}
    tab = await shown(desk, billed(3))
    card = tab.cards()[0]
    assert card.requeue_all.text() == "Settle 3…"
    await unfold(card, qtbot)
    assert not card.body.requeue.isVisible()
    card.body.table.selectAll()
    qtbot.mouseClick(card.body.settle, LEFT)
    many = desk.window.findChild(SettleManyDialog)
    assert isinstance(many, SettleManyDialog)
    await until(many.buttons["failed"].isEnabled)
    assert many.lead.text().startswith(card.cause.text())
    qtbot.mouseClick(many.buttons["failed"], LEFT)
    await until(lambda: bool(desk.answers))
    assert desk.answers[-1].text(desk.context.tr) == "4 rows were settled."
    ((answer, which),) = desk.letters.settled
    assert (answer, which.pks) == ("failed", (1, 2, 3))
    assert desk.letters.requeued == []


async def test_the_row_under_the_hand_opens_in_detail(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {pk: task(pk) for pk in (1, 2)}
    tab = await shown(desk, refused(2))
    card = tab.cards()[0]
    await unfold(card, qtbot)
    opened: list[int] = []
    desk.context.signals.open_task.connect(opened.append)

    card.body.table.setCurrentIndex(card.body.rows.index(1, 0))
    assert opened == [2]
    card.body.table.setFocus()
    qtbot.keyClick(card.body.table, Qt.Key.Key_Return)
    assert opened == [2, 2]


async def test_the_menu_offers_what_the_buttons_do(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {pk: task(pk) for pk in (1, 2)}
    tab = await shown(desk, refused(2))
    card = tab.cards()[0]
    await unfold(card, qtbot)
    card.body.table.selectRow(0)

    card.body.table.customContextMenuRequested.emit(QPoint(5, 5))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == ["Requeue selected", "Edit prompt…"]
    menu.close()


async def test_failures_are_exported(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    desk.queries.batches_by_id = {5: summary(5, failed=12)}
    answers: list[Answer] = []
    desk.context.signals.answered.connect(answers.append)
    tab = await shown(desk, refused(12))

    qtbot.mouseClick(tab.export, LEFT)
    await until(lambda: tab.findChild(ExportDialog) is not None)
    dialog = tab.findChild(ExportDialog)
    assert isinstance(dialog, ExportDialog)
    dialog.set_target(tmp_path / "failures.xlsx")
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: desk.exports.written == [("failures", 5, tmp_path / "failures.xlsx")])
    await until(lambda: bool(answers))

    assert answers[0].text(desk.context.tr) == "12 rows saved: failures.xlsx"
    assert answers[0].file == tmp_path / "failures.xlsx"


async def test_all_batches_together_are_not_exported(desk: Desk, qtbot: QtBot) -> None:
    tab = await shown(desk, refused(12), batch_id=None)

    assert not tab.export.isEnabled()
    assert tab.why.isVisible()
    assert tab.why.text() == "Choose one batch to export its failures."


async def test_what_never_was_a_request_is_not_requeued(desk: Desk, qtbot: QtBot) -> None:
    row = task(1, note=Message("ingest.no_prompt", {"row": 6}))
    desk.queries.tasks = {1: row}
    group = replace(refused(1), code="ingest.no_prompt", advice=plain("Edit the prompt."))
    tab = await shown(desk, group)
    card = tab.cards()[0]
    await unfold(card, qtbot)
    card.body.table.selectRow(0)

    assert not card.requeue_all.isEnabled()
    assert not card.body.requeue.isEnabled()
    assert card.requeue_all.toolTip() == "Edit the prompt."
    assert card.body.edit.isEnabled()
