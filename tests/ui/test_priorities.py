"""An operator lets an urgent batch go first: from the side bar, the bar above it or the menu."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from desktop_app.domain.batch import BatchPriority, RunState
from desktop_app.domain.task import TaskState
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.priorities import CHOICES
from tests.ui.conftest import RESOURCES, Run, Stage, until
from tests.ui.fakes import make_batch, make_row

Build = Callable[..., Stage]
S = TaskState
READ = Qt.ItemDataRole.AccessibleTextRole
LOW, NORMAL, HIGH = BatchPriority


async def shown(
    stage: Build, *, rivals: bool = True, language: str = "en"
) -> tuple[Stage, MainWindow]:
    """A big batch under way, selected, and an urgent one beside it."""
    done = [] if rivals else [S.SUCCESS]
    rows = [make_row(pk, S.RUNNING) for pk in (1, 2)]
    rows.append(make_row(3, *done, batch_id=2))
    built = stage(rows=rows, language=language, locale_dir=RESOURCES / "locale")
    built.fakes.queries.batch_list.append(make_batch(2, "Urgent", run_state=RunState.RUNNING))
    window = await built.show()
    await until(lambda: window.watch.now.summary is not None)
    return built, window


def popup() -> QMenu:
    """The menu that is open, the innermost one."""
    found = QApplication.activePopupWidget()
    assert isinstance(found, QMenu)
    return found


def click_on(menu: QMenu, text: str) -> None:
    """With the mouse, on the entry that says so."""
    (action,) = [one for one in menu.actions() if one.text() == text]
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def test_the_urgent_batch_is_let_go_first_from_its_menu_in_the_side_bar(
    stage: Build, run: Run
) -> None:
    async def go() -> None:
        built, window = await shown(stage)
        side = window.sidebar
        item = side.batches.item(2)
        at = side.batches.visualItemRect(item).center()
        ground = side.batches.viewport()
        asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, ground.mapToGlobal(at))
        QApplication.sendEvent(ground, asked)
        menu = popup()
        (entry,) = [action for action in menu.actions() if action.text() == "Priority"]
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entry).center())
        await until(lambda: popup() is not menu, "its choices")
        choices = popup()
        assert [(a.text(), a.isChecked()) for a in choices.actions()] == [
            ("High: before other batches", False),
            ("Normal: in turn with other batches", True),
            ("Low: after other batches", False),
        ]
        click_on(choices, "High: before other batches")
        await until(lambda: built.fakes.priorities.told == [(2, HIGH)])
        window.bridge.flush()
        await until(lambda: item.data(READ) == "Urgent, 0%, 0 of 1, High priority")
        assert item.toolTip().endswith("\n0 of 1\nHigh priority")
        assert side.batches.item(1).data(READ) == "Spring shoes, 0%, 0 of 2"

    run(go())


def test_the_bar_says_it_of_the_selected_batch_and_changes_it(stage: Build, run: Run) -> None:
    async def go() -> None:
        built, window = await shown(stage)
        button = window.run_bar.priority_button
        assert (button.isVisible(), button.text()) == (True, "Priority")
        for priority, text, word in (
            (LOW, "Low: after other batches", "Low priority"),
            (HIGH, "High: before other batches", "High priority"),
            (NORMAL, "Normal: in turn with other batches", "Priority"),
        ):
            menu = button.menu()
            assert menu is not None
            menu.popup(button.mapToGlobal(QPoint(0, 0)))
            click_on(menu, text)
            await until(lambda p=priority: built.fakes.priorities.told[-1:] == [(1, p)])
            window.bridge.flush()
            await until(lambda w=word: button.text() == w)
            assert button.toolTip() == text
            assert window.actions_[CHOICES[priority]].isChecked()
        built.context.signals.batch_selected.emit(None)
        await until(lambda: not button.isVisible())
        assert not window.actions_[CHOICES[HIGH]].isEnabled()

    run(go())


@pytest.mark.parametrize("priority", [NORMAL, HIGH])
def test_where_no_other_batch_waits_there_is_a_button_only_for_what_is_not_usual(
    stage: Build, run: Run, priority: BatchPriority
) -> None:
    async def go() -> None:
        built, window = await shown(stage, rivals=False)
        await built.fakes.priorities.set(1, priority)
        window.bridge.flush()
        await until(
            lambda: (
                window.watch.now.summary is not None
                and window.watch.now.summary.batch.priority is priority
            )
        )
        assert window.run_bar.priority_button.isVisible() is (priority is HIGH)
        assert window.actions_[CHOICES[HIGH]].isEnabled()

    run(go())


def test_of_a_batch_at_its_end_nothing_is_said(stage: Build, run: Run) -> None:
    async def go() -> None:
        built, window = await shown(stage, rivals=False)
        await built.fakes.priorities.set(2, HIGH)
        window.bridge.flush()
        summaries = window.watch.known
        await until(lambda: window.watch.known is not summaries)
        assert window.sidebar.batches.item(2).data(READ) == "Urgent, 100%, 1 done"
        done = window.watch.summary(2)
        assert done is not None
        entries = {a.text(): a.isEnabled() for a in window.sidebar.batch_menu(done).actions()}
        assert not entries["Priority"]

    run(go())


def test_every_word_of_it_is_said_in_chinese(stage: Build, run: Run) -> None:
    async def go() -> None:
        built, window = await shown(stage, language="zh_CN")
        await built.fakes.priorities.set(1, HIGH)
        window.bridge.flush()
        button = window.run_bar.priority_button
        await until(lambda: button.text() == "高优先级")
        assert window.actions_[CHOICES[LOW]].text() == "低：排在其他批次之后"
        window.sidebar.grab()

    run(go())
