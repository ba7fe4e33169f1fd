"""Finding, filtering, sorting and following, as an operator does it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import Sort
from desktop_app.ui.grid.columns import SORTS, Column
from desktop_app.ui.tabs import progress as progress_module
from tests.ui.conftest import RESOURCES, Run, Stage, until
from tests.ui.fakes import make_row

Build = Callable[..., Stage]
S = TaskState
LEFT = Qt.MouseButton.LeftButton


def _rows() -> list[Any]:
    states = [S.SUCCESS] * 10 + [S.FAILED] * 3 + [S.UNCERTAIN, S.DEAD, S.RUNNING] + [S.PENDING] * 84
    return [make_row(pk, state, attempt_no=pk % 4) for pk, state in enumerate(states, start=1)]


def test_chips_count_and_filter_together(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()
        progress, chips = window.progress, window.progress.chips.buttons
        await until(lambda: chips["needs_you"].text() == "Needs you 5")
        assert chips["needs_you"].toolTip() == "Show only: Needs you 5"  # it may be clipped
        assert not chips["cancelled"].isVisible()
        QTest.mouseClick(chips["needs_you"], LEFT)
        await until(lambda: progress.model.rowCount() == 5)
        QTest.mouseClick(chips["done"], LEFT)
        await until(lambda: progress.model.rowCount() == 15)
        built.fakes.change(1, state=S.CANCELLED)
        window.bridge.flush()
        await until(lambda: progress.model.rowCount() == 14)
        await until(lambda: chips["cancelled"].isVisible())
        progress.chips.clear()
        await until(lambda: progress.model.rowCount() == 100)

    run(go())


def test_a_long_sort_is_said_until_the_rows_are_there(
    stage: Build, run: Run, monkeypatch: Any
) -> None:
    monkeypatch.setattr(progress_module, "SAY_AFTER_MS", 0)

    async def go() -> None:
        built = stage(rows=_rows(), language="en", locale_dir=RESOURCES / "locale")
        window = await built.show()
        progress, queries = window.progress, built.fakes.queries
        await until(lambda: progress.model.is_known)
        sorted_, at_once = asyncio.Event(), queries.id_chunks

        async def slow(*asked: Any) -> Any:
            await sorted_.wait()
            async for chunk in at_once(*asked):
                yield chunk

        monkeypatch.setattr(queries, "id_chunks", slow)
        head = progress.view.horizontalHeader()
        place = QPoint(head.sectionViewportPosition(Column.PROMPT) + 20, 8)
        QTest.mouseClick(head.viewport(), LEFT, pos=place)
        await until(lambda: progress.busy.text() == "Sorting…")
        built.context.set_language("zh_CN")
        assert progress.busy.text() == "正在排序…"
        place = QPoint(head.sectionViewportPosition(Column.STATE) + 20, 8)
        QTest.mouseClick(head.viewport(), LEFT, pos=place)
        await until(lambda: progress.busy.text() == "")  # nothing is sorted by prompts any more
        sorted_.set()
        await until(lambda: progress.model.is_known)
        assert progress.busy.text() == ""

    run(go())


def test_find_by_typing_and_say_so_when_nothing_matches(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=_rows()).show()
        progress = window.progress
        QTest.keyClicks(progress.search, "cobblestones")
        QTest.keyClick(progress.search, Qt.Key.Key_Return)
        await until(lambda: progress.model.rowCount() == 20)
        QTest.keyClicks(progress.search, "xyz")
        await until(lambda: progress.model.rowCount() == 0)  # without Enter too
        assert "Clear the filters" in progress.view.empty_text
        progress.view.viewport().grab()
        progress.search.clear()
        await until(lambda: progress.model.rowCount() == 100)

    run(go())


def test_a_click_on_a_header_sorts_and_again_turns_it(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=_rows()).show()
        model, head = window.progress.model, window.progress.view.horizontalHeader()

        def click(column: Column) -> None:
            at = QPoint(head.sectionViewportPosition(column) + 20, head.height() // 2)
            QTest.mouseClick(head.viewport(), LEFT, pos=at)

        assert not head.isSortIndicatorShown()
        click(Column.STATE)
        await until(lambda: model.ids[0] == 17)  # the first PENDING
        assert head.isSortIndicatorShown()
        assert head.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
        click(Column.STATE)
        await until(lambda: model.ids[0] == 14)  # UNCERTAIN
        assert head.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        click(Column.STATE)
        await until(lambda: model.ids[0] == 17)
        assert head.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
        click(Column.NUMBER)
        await until(lambda: list(model.ids[:3]) == [1, 2, 3])
        assert not head.isSortIndicatorShown()

    run(go())


@pytest.mark.parametrize("column", list(Column))
def test_every_column_sorts_with_a_click_and_with_the_keyboard(
    stage: Build, run: Run, column: Column
) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        built.fakes.queries.batch_list.append(replace(built.fakes.queries.batch_list[0], id=2))
        window = await built.show()
        progress, queries = window.progress, built.fakes.queries
        built.context.signals.batch_selected.emit(None)
        await until(lambda: not progress.view.isColumnHidden(Column.BATCH))
        asked: list[tuple[Sort, bool]] = []
        at_once = queries.id_chunks
        queries.id_chunks = lambda *more: asked.append(more[1:]) or at_once(*more)  # type: ignore[method-assign, func-returns-value]
        head = progress.view.horizontalHeader()
        at = QPoint(head.sectionViewportPosition(column) + 20, head.height() // 2)
        QTest.mouseClick(head.viewport(), LEFT, pos=at)
        await until(lambda: len(asked) == 1)
        progress.search.setFocus()
        QTest.keyClick(progress.search, Qt.Key.Key_Tab)
        assert head.hasFocus()
        QTest.keyClick(head, Qt.Key.Key_Space)
        await until(lambda: len(asked) == 2)
        QTest.keyClick(head, Qt.Key.Key_Return)
        await until(lambda: len(asked) == 3)
        first = column is Column.NUMBER  # a click on the order in force turns it
        assert asked == [(SORTS[column], first), (SORTS[column], not first), (SORTS[column], first)]
        assert head.sortIndicatorSection() == column
        QTest.keyClick(head, Qt.Key.Key_Down)
        assert progress.view.hasFocus()

    run(go())


def test_the_keyboard_goes_along_the_columns_that_are_seen(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=_rows()).show()
        progress = window.progress
        head = progress.view.horizontalHeader()
        assert progress.view.isColumnHidden(Column.BATCH)
        sorted_by: list[int] = []
        head.sectionClicked.connect(sorted_by.append)
        head.setFocus(Qt.FocusReason.TabFocusReason)
        for key in (Qt.Key.Key_End, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Home,
                    Qt.Key.Key_Left, Qt.Key.Key_Right):  # fmt: skip
            QTest.keyClick(head, key)
            QTest.keyClick(head, Qt.Key.Key_Space)
        assert sorted_by == [Column.NOTE, Column.NOTE, Column.TIME, Column.NUMBER, Column.NUMBER,
                             Column.PICTURE]  # fmt: skip
        accent = window.context.theme.color("accent").name()

        def framed() -> bool:
            shot = head.viewport().grab().toImage()
            left = head.sectionViewportPosition(Column.PICTURE) + 1
            return shot.pixelColor(left, head.height() // 2).name() == accent

        assert framed()
        QTest.keyClick(head, Qt.Key.Key_Down)
        assert not framed()

    run(go())


def test_follow_goes_where_it_runs(stage: Build, run: Run) -> None:
    async def go() -> None:
        rows = _rows()
        rows[15] = make_row(16)
        rows[89] = make_row(90, S.RUNNING)
        built = stage(rows=rows)
        window = await built.show()
        view = window.progress.view
        assert view.visible_rows()[1] < 89
        QTest.mouseClick(window.progress.follow, LEFT)
        assert window.actions_["follow"].isChecked()
        await until(lambda: view.visible_rows()[0] <= 89 <= view.visible_rows()[1])
        assert view.selected_pks() == []
        window.actions_["follow"].trigger()
        assert not window.progress.follow.isChecked()
        assert not window.progress._follow_timer.isActive()

    run(go())


def test_a_double_click_opens_the_file(stage: Build, run: Run) -> None:
    async def go() -> None:
        rows = [make_row(1, S.SUCCESS, output="/x/0001.txt"), make_row(2)]
        built = stage(rows=rows)
        window = await built.show()
        view = window.progress.view
        for row in (0, 1):
            at = QPoint(120, view.rowViewportPosition(row) + 9)
            QTest.mouseClick(view.viewport(), LEFT, pos=at)
            QTest.mouseDClick(view.viewport(), LEFT, pos=at)
        assert built.opened == ["open /x/0001.txt"]
        window.progress.menu.reveal_file()
        assert len(built.opened) == 1  # row 2 has none

    run(go())
