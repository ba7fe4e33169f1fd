"""The grid stays what it was under the operator's hand, whatever the engine does."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QItemSelectionModel, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop_app.domain.events import BatchChanged, TasksChanged
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import TaskFilter
from desktop_app.ui.dialogs.cancel import CancelRowsDialog
from desktop_app.ui.dialogs.requeue import RequeueDialog
from desktop_app.ui.dialogs.settle import SettleDialog
from desktop_app.ui.dialogs.settle_many import SettleManyDialog
from desktop_app.ui.grid import keeper as keeper_module
from desktop_app.ui.grid.columns import Column
from desktop_app.ui.grid.model import MARGIN
from desktop_app.ui.grid.view import GridView
from tests.ui.conftest import Run, Stage, until
from tests.ui.fakes import make_row

Build = Callable[..., Stage]
S = TaskState


def _click(view: GridView, row: int, modifier: Any = Qt.KeyboardModifier.NoModifier) -> None:
    at = QPoint(120, view.rowViewportPosition(row) + 10)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, modifier, at)


def _no_resets(stage: Stage, view: GridView) -> list[str]:
    resets: list[str] = []
    view.model().modelReset.connect(lambda: resets.append("reset"))
    return resets


def test_s18_50000_rows_100_selected_50_updates_a_second(stage: Build, run: Run) -> None:
    """The selection stays, by task, and the model is never reset as a whole."""

    async def go() -> None:
        rows = [make_row(pk) for pk in range(1, 50_001)]
        built = stage(rows=rows)
        window = await built.show()
        progress, view = window.progress, window.progress.view
        assert progress.model.rowCount() == 50_000
        resets = _no_resets(built, view)
        chosen = random.Random(18).sample(range(1, 3_000), 100)
        view.keeper.select(chosen)
        # A chip makes the order depend on states, so that rows leave while they are updated.
        QTest.mouseClick(progress.chips.buttons["waiting"], Qt.MouseButton.LeftButton)
        await until(lambda: built.fakes.queries.asked_ids >= 2)
        assert set(view.selected_pks()) == set(chosen)
        moved: list[int] = []
        for second in range(4):
            for update in range(50):
                pk = 10_000 + second * 50 + update
                built.fakes.change(pk, state=S.RUNNING)
                moved.append(pk)
            window.bridge.flush()
            await asyncio.sleep(0.05)
            assert set(view.selected_pks()) == set(chosen)
        await until(lambda: progress.model.rowCount() == 50_000 - len(moved), "the rows leave")
        assert set(view.selected_pks()) == set(chosen)
        assert len(view.selected_pks()) == 100
        assert resets == []

    run(go())


def test_rows_that_leave_before_the_selection_move_it_along(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk, S.RUNNING) for pk in range(1, 40)])
        window = await built.show()
        view = window.progress.view
        window.progress.chips.buttons["running"].click()
        await until(lambda: built.fakes.queries.asked_ids >= 2)
        _click(view, 5)
        _click(view, 8, Qt.KeyboardModifier.ControlModifier)
        assert view.selected_pks() == [6, 9]
        for pk in (1, 2, 6):
            built.fakes.change(pk, state=S.SUCCESS)
        window.bridge.flush()
        await until(lambda: window.progress.model.rowCount() == 36)
        assert view.selected_pks() == [9]  # 6 left the filter: what is unseen is not acted on
        assert view.current_pk() == 9
        assert window.detail.detail is None or window.detail.detail.row.pk in (6, 9)

    run(go())


def test_only_what_is_near_the_screen_is_fetched_of_a_million(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(lazy=1_000_000)
        window = await built.show()
        view, model = window.progress.view, window.progress.model
        assert model.rowCount() == 1_000_000
        first = built.fakes.queries.asked_rows
        assert first <= 2 * (60 + 2 * MARGIN)
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
        await until(lambda: model.row_at(999_999) is not None)
        assert model.row_at(500_000) is None
        assert built.fakes.queries.asked_rows - first <= 3 * (60 + 2 * MARGIN)
        QTest.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
        assert view.current_pk() == 1

    run(go())


def test_an_update_of_an_unseen_row_fetches_nothing(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk) for pk in range(1, 2_001)])
        window = await built.show()
        asked = built.fakes.queries.asked_rows
        built.fakes.change(1_500, state=S.RUNNING)
        window.bridge.flush()
        await built.context.spawn.settle()  # type: ignore[attr-defined]
        assert built.fakes.queries.asked_rows == asked
        built.fakes.change(2, state=S.RUNNING)
        window.bridge.flush()
        await until(lambda: window.progress.model.cached(2).state is S.RUNNING)  # type: ignore[union-attr]
        assert built.fakes.queries.asked_rows == asked + 1

    run(go())


def test_appended_rows_keep_the_place(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk) for pk in range(1, 301)])
        window = await built.show()
        view = window.progress.view
        view.go_to(150)
        top = view.visible_rows()[0]
        for pk in range(301, 311):
            built.fakes.queries.table[pk] = make_row(pk)
        built.fakes.bus.publish(BatchChanged(1))
        window.bridge.flush()
        await until(lambda: window.progress.model.rowCount() == 310)
        assert view.visible_rows()[0] == top
        assert view.current_pk() == 150

    run(go())


def test_a_reorder_keeps_the_row_at_the_top(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk, S.RUNNING) for pk in range(1, 301)])
        window = await built.show()
        view, model = window.progress.view, window.progress.model
        window.progress.chips.buttons["running"].click()
        await until(lambda: built.fakes.queries.asked_ids >= 2)
        view.go_to(200)
        top = model.ids[view.visible_rows()[0]]
        for pk in range(1, 50):
            built.fakes.change(pk, state=S.SUCCESS)
        window.bridge.flush()
        await until(lambda: model.rowCount() == 251)
        assert model.ids[view.visible_rows()[0]] == top

    run(go())


def test_select_all_then_a_change_keeps_all(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk, S.RUNNING) for pk in range(1, 101)])
        window = await built.show()
        view = window.progress.view
        window.progress.chips.buttons["running"].click()
        await until(lambda: built.fakes.queries.asked_ids >= 2)
        view.setFocus()
        QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        assert len(view.selected_pks()) == 100
        built.fakes.change(50, state=S.SUCCESS)
        window.bridge.flush()
        await until(lambda: window.progress.model.rowCount() == 99)
        assert len(view.selected_pks()) == 99

    run(go())


def test_shift_selection_survives_a_reorder_in_between(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk, S.RUNNING) for pk in range(1, 101)])
        window = await built.show()
        view = window.progress.view
        window.progress.chips.buttons["running"].click()
        await until(lambda: built.fakes.queries.asked_ids >= 2)
        _click(view, 4)  # pk 5 is the anchor
        built.fakes.change(1, state=S.SUCCESS)
        window.bridge.flush()
        await until(lambda: window.progress.model.rowCount() == 99)
        _click(view, 6, Qt.KeyboardModifier.ShiftModifier)
        assert view.selected_pks() == [5, 6, 7, 8]

    run(go())


def test_texts_for_screen_readers_and_tooltips(stage: Build, run: Run) -> None:
    async def go() -> None:
        note = message("text.plain", text="Refused by moderation")
        rows = [
            make_row(1, S.FAILED, error_class="refused", note=note, attempt_no=2),
            make_row(2, S.UNCERTAIN),
            make_row(3, S.SUCCESS, output="/x/a.png"),
        ]
        window = await stage(rows=rows).show()
        model = window.progress.model

        def text(row: int, column: Column, role: Any = Qt.ItemDataRole.DisplayRole) -> str:
            return str(model.index(row, column).data(role))

        tip = Qt.ItemDataRole.ToolTipRole
        assert text(0, Column.STATE) == "Refused"
        assert text(0, Column.NOTE) == "Refused by moderation"
        assert text(0, Column.NOTE, tip) == "Refused by moderation"
        assert text(0, Column.TRIES, tip) == "2 attempts, 0 of 3 retries used"
        assert "may have been billed" in text(1, Column.STATE, tip)
        assert "Started 20" in text(0, Column.TIME, tip)
        assert text(2, Column.PICTURE) == "has a result"

    run(go())


def test_the_clock_ticks_only_while_a_visible_row_moves(stage: Build, run: Run) -> None:
    async def go() -> None:
        rows = [make_row(pk) for pk in range(1, 201)]
        rows[0] = make_row(1, S.RETRYING, due_at=4e9)
        built = stage(rows=rows)
        window = await built.show()
        view = window.progress.view
        await until(lambda: view._tick.isActive())
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
        await until(lambda: not view._tick.isActive())
        view.verticalScrollBar().setValue(0)
        assert view._tick.isActive()
        built.fakes.change(1, state=S.SUCCESS)
        window.bridge.flush()
        await until(lambda: not view._tick.isActive())

    run(go())


def test_rows_are_painted_and_the_hovered_and_chosen_ones_differ(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=[make_row(pk, S.SUCCESS) for pk in range(1, 9)]).show()
        view = window.progress.view

        def pixel(row: int) -> str:
            at = QPoint(view.viewport().width() - 4, view.rowViewportPosition(row) + 5)
            return str(view.viewport().grab().toImage().pixelColor(at).name())

        theme = window.context.theme
        assert pixel(2) == theme.color("surface").name()
        _click(view, 2)
        assert pixel(2) in {theme.color("selected").name(), theme.color("selected_idle").name()}
        at = QPointF(60, view.rowViewportPosition(4) + 5)
        move = QMouseEvent(QEvent.Type.MouseMove, at, view.viewport().mapToGlobal(at),
                           Qt.MouseButton.NoButton, Qt.MouseButton.NoButton,
                           Qt.KeyboardModifier.NoModifier)  # fmt: skip
        QApplication.sendEvent(view.viewport(), move)
        assert pixel(4) == theme.color("hover").name()
        QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
        assert pixel(4) == theme.color("surface").name()

    run(go())


def test_every_state_can_be_painted_in_both_schemes(stage: Build, run: Run) -> None:
    async def go() -> None:
        rows = [make_row(state + 1, state, output="/x/a.txt") for state in S]
        built = stage(rows=rows)
        window = await built.show()
        for mode in ("dark", "light"):
            built.context.theme.set_mode(mode)
            shot: QPixmap = window.progress.view.viewport().grab()
            colors = {
                shot.toImage().pixelColor(x, y).name()
                for x in range(0, shot.width(), 1)
                for y in range(0, min(shot.height(), 36 * len(S)), 3)
            }
            for token in ("state_done", "state_failed", "state_uncertain", "state_running"):
                assert built.context.theme.color(token).name() in colors

    run(go())


def test_the_menu_counts_the_rows_it_acts_on(stage: Build, run: Run) -> None:
    async def go() -> None:
        states = (S.SUCCESS, S.FAILED, S.CANCELLED, S.PENDING, S.UNCERTAIN)
        built = stage(rows=[make_row(pk, state) for pk, state in enumerate(states, start=1)])
        window = await built.show()
        window.progress.view.selectAll()
        menu = window.progress.menu.build()
        assert menu is not None
        said = [action.text() for action in menu.actions()]
        assert said[:3] == ["Requeue 2 rows", "Settle…", "Cancel 1 row…"]
        menu.close()

    run(go())


def test_the_menu_counts_no_rows_that_nobody_has_seen(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(lazy=20_000)
        window = await built.show()
        window.progress.view.selectAll()
        menu = window.progress.menu.build()
        assert menu is not None
        said = [action.text() for action in menu.actions()]
        assert said[0] == "Requeue all that can be (20,000 selected)…"
        assert said[2] == "Cancel all that wait (20,000 selected)…"
        menu.actions()[0].trigger()
        asked = window.findChild(RequeueDialog)
        assert isinstance(asked, RequeueDialog)
        counted: list[TaskFilter] = []

        async def count(which: TaskFilter) -> int:
            counted.append(which)
            return 1_204

        built.fakes.queries.count = count  # type: ignore[method-assign]
        await until(lambda: asked.heading.text() == "Requeue 1,204 rows?")
        assert counted[0].states == {S.FAILED, S.DEAD, S.CANCELLED}
        assert not built.fakes.dead_letters.calls
        asked.reject()
        menu.close()

    run(go())


@pytest.mark.parametrize("state", [S.FAILED, S.PENDING])
def test_the_menu_offers_what_can_be_done(stage: Build, run: Run, state: S) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk, state) for pk in range(1, 9)])
        window = await built.show()
        view, rows = window.progress.view, window.progress.menu
        assert rows.build() is None
        _click(view, 1)
        _click(view, 3, Qt.KeyboardModifier.ShiftModifier)
        menu = rows.build()
        assert menu is not None
        by_text = {action.text(): action for action in menu.actions()}
        assert by_text["Requeue 3 rows"].isEnabled() == (state is S.FAILED)
        assert by_text["Cancel 3 rows…"].isEnabled() == (state is S.PENDING)
        assert not by_text["Open file"].isEnabled()
        by_text["Copy prompt"].trigger()
        assert len(QGuiApplication.clipboard().text().split("\n")) == 3
        if state is S.FAILED:
            by_text["Requeue 3 rows"].trigger()
            await until(lambda: built.fakes.dead_letters.calls)
            assert built.fakes.dead_letters.calls[0][1].pks == (2, 3, 4)
            await until(lambda: "3 rows were requeued" in window.banner.text.text())
        else:
            by_text["Cancel 3 rows…"].trigger()
            asked = window.findChild(CancelRowsDialog)
            assert isinstance(asked, CancelRowsDialog)
            await until(asked.go.isEnabled, "the count")
            assert asked.heading.text() == "Cancel 3 rows?"
            assert not built.fakes.runs.calls
            asked.go.click()
            await until(lambda: built.fakes.runs.calls)
            assert built.fakes.runs.calls[0][1].pks == (2, 3, 4)
            await until(lambda: "3 rows are cancelled" in window.banner.text.text())
        menu.close()

    run(go())


def test_the_one_row_in_doubt_is_settled_as_itself_and_can_get_its_file(
    stage: Build, run: Run
) -> None:
    async def go() -> None:
        rows = [make_row(pk, S.UNCERTAIN if pk < 4 else S.SUCCESS) for pk in range(1, 9)]
        window = await stage(rows=rows).show()
        view, menu_of = window.progress.view, window.progress.menu
        for last, kind, other in (
            (4, SettleDialog, SettleManyDialog),  # rows 3 to 5, of which one is in doubt
            (0, SettleManyDialog, SettleDialog),
        ):
            _click(view, 2)
            _click(view, last, Qt.KeyboardModifier.ShiftModifier)
            menu = menu_of.build()
            assert menu is not None
            (settle,) = (action for action in menu.actions() if action.text() == "Settle…")
            settle.trigger()
            dialog = window.findChild(kind)
            assert isinstance(dialog, kind)
            assert window.findChild(other) is None
            word = "Attach a file…" if kind is SettleDialog else "Attach a folder…"
            assert dialog.buttons["attach"].text() == word
            dialog.reject()
            menu.close()
            await until(lambda kind=kind: window.findChild(kind) is None)

    run(go())


def test_a_change_of_many_is_seen_when_the_hidden_grid_is_shown_again(
    stage: Build, run: Run
) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk, S.UNCERTAIN) for pk in range(1, 5)])
        window = await built.show()
        model = window.progress.model
        await until(lambda: model.row_at(3) is not None)
        window.tabs.setCurrentIndex(1)
        for pk in range(1, 5):
            built.fakes.queries.table[pk] = make_row(pk, S.PENDING)
        built.fakes.bus.publish(TasksChanged(1))
        window.bridge.flush()
        window.tabs.setCurrentIndex(0)
        await until(lambda: [r and r.state for r in map(model.row_at, range(4))] == [S.PENDING] * 4)

    run(go())


def test_replacing_what_is_shown_many_times_is_safe(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk, S(pk % 8)) for pk in range(1, 400)])
        window = await built.show()
        progress = window.progress
        for turn in range(60):
            chip = list(progress.chips.buttons.values())[turn % 5]
            chip.click()
            progress.set_batch(1 if turn % 2 else None)
            built.fakes.bus.publish(TasksChanged(1))
            window.bridge.flush()
            progress.view.viewport().grab()
            flags = QItemSelectionModel.SelectionFlag
            progress.view.selectionModel().select(
                progress.model.index(turn % 20, 0), flags.ClearAndSelect | flags.Rows
            )
            await asyncio.sleep(0)
        progress.chips.clear()
        progress.set_batch(1)
        await until(lambda: progress.model.rowCount() == 399)

    run(go())


def test_the_first_rows_are_shown_while_the_rest_is_still_read(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk) for pk in range(1, 301)])
        queries = built.fakes.queries
        queries.chunk, queries.gate = 100, asyncio.Event()
        window = await built.show()
        view, model = window.progress.view, window.progress.model
        assert model.rowCount() == 100
        view.keeper.select([50])
        queries.gate.set()
        await until(lambda: model.rowCount() == 300)
        assert view.selected_pks() == [50]
        assert list(model.ids) == list(range(1, 301))
        assert model.places([250, 999]) == {250: 249}

    run(go())


def _rest_comes_later(built: Stage) -> asyncio.Event:
    """Of the lists to come the first hundred rows are there at once, the others at a word."""
    queries = built.fakes.queries
    queries.chunk, queries.gate = 100, asyncio.Event()
    return queries.gate


def test_what_is_chosen_is_so_again_when_its_part_of_the_list_comes(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk) for pk in range(1, 301)])
        window = await built.show()
        view, model = window.progress.view, window.progress.model
        view.keeper.select([50, 290])
        view.setAutoScroll(False)
        flags = QItemSelectionModel.SelectionFlag
        view.selectionModel().setCurrentIndex(model.index(289, 0), flags.NoUpdate)
        view.setAutoScroll(True)
        opened: list[int] = []
        view.opened.connect(opened.append)
        gate = _rest_comes_later(built)
        window.progress.chips.buttons["waiting"].click()
        await until(lambda: model.rowCount() == 100)
        assert view.selected_pks() == [50, 290]
        assert view.current_pk() is None
        gate.set()
        await built.context.spawn.settle()  # type: ignore[attr-defined]
        assert model.rowCount() == 300
        assert view.selected_pks() == [50, 290]
        assert view.selectionModel().isRowSelected(289)
        assert view.current_pk() == 290
        assert view.verticalScrollBar().value() == 0
        assert opened == []

    run(go())


def test_what_was_chosen_and_is_in_no_part_of_the_list_is_chosen_no_more(
    stage: Build, run: Run
) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk, S(pk == 290)) for pk in range(1, 301)])
        window = await built.show()
        view, model = window.progress.view, window.progress.model
        view.keeper.select([50, 290])
        gate = _rest_comes_later(built)
        window.progress.chips.buttons["waiting"].click()
        await until(lambda: model.rowCount() == 100)
        gate.set()
        await built.context.spawn.settle()  # type: ignore[attr-defined]
        assert model.rowCount() == 299
        assert view.selected_pks() == [50]

    run(go())


@pytest.mark.parametrize("ctrl", [False, True])
def test_another_choice_made_meanwhile_stands(stage: Build, run: Run, ctrl: bool) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk) for pk in range(1, 301)])
        window = await built.show()
        view, model = window.progress.view, window.progress.model
        view.keeper.select([290])
        gate = _rest_comes_later(built)
        window.progress.chips.buttons["waiting"].click()
        await until(lambda: model.rowCount() == 100)
        key = Qt.KeyboardModifier.ControlModifier if ctrl else Qt.KeyboardModifier.NoModifier
        _click(view, 4, key)
        chosen = [5, 290] if ctrl else [5]
        assert view.selected_pks() == chosen
        gate.set()
        await built.context.spawn.settle()  # type: ignore[attr-defined]
        assert view.selected_pks() == chosen
        assert view.current_pk() == 5

    run(go())


@pytest.mark.parametrize("other", [False, True])
def test_all_is_all_of_a_list_that_still_comes_until_another_choice(
    stage: Build, run: Run, other: bool
) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk) for pk in range(1, 301)])
        window = await built.show()
        view, model = window.progress.view, window.progress.model
        gate = _rest_comes_later(built)
        window.progress.chips.buttons["waiting"].click()
        await until(lambda: model.rowCount() == 100)
        QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        if other:
            _click(view, 4)
        gate.set()
        await built.context.spawn.settle()  # type: ignore[attr-defined]
        assert view.selected_pks() == ([5] if other else list(range(1, 301)))
        for pk in range(301, 306):  # rows that come to a whole list are not chosen
            built.fakes.queries.table[pk] = make_row(pk)
        built.fakes.bus.publish(BatchChanged(1))
        window.bridge.flush()
        await until(lambda: model.rowCount() == 305)
        assert len(view.selected_pks()) == (1 if other else 300)

    run(go())


@pytest.mark.parametrize("how", ["scrolled", "many"])
def test_where_the_place_or_much_that_is_chosen_must_be_found_the_whole_list_is_waited_for(
    stage: Build, run: Run, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(keeper_module, "FEW", 20)

    async def go() -> None:
        built = stage(rows=[make_row(pk) for pk in range(1, 301)])
        window = await built.show()
        view, model, queries = window.progress.view, window.progress.model, built.fakes.queries
        if how == "scrolled":
            view.go_to(150, choose=False)
        else:
            view.keeper.select(range(280, 301))
        top, chosen = view.visible_rows()[0], view.selected_pks()
        gate, asked = _rest_comes_later(built), queries.asked_ids
        window.progress.chips.buttons["waiting"].click()
        await until(lambda: queries.asked_ids > asked)
        assert model.rowCount() == 300
        gate.set()
        await built.context.spawn.settle()  # type: ignore[attr-defined]
        assert (view.visible_rows()[0], view.selected_pks()) == (top, chosen)

    run(go())


def test_an_arrow_up_stands_for_a_list_that_goes_up(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=[make_row(1)]).show()
        head = window.progress.view.horizontalHeader()
        for mode in ("dark", "light"):
            window.context.theme.set_mode(mode)
            paper = window.context.theme.color("surface").name()
            for column in Column:
                for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
                    head.setSortIndicatorShown(False)
                    before = head.viewport().grab().toImage()
                    head.setSortIndicator(column, order)
                    head.setSortIndicatorShown(True)
                    after = head.viewport().grab().toImage()
                    left = head.sectionViewportPosition(column)
                    if head.isSectionHidden(column):
                        continue
                    ink: dict[int, list[int]] = {}
                    for x in range(
                        left + head.sectionSize(column) - 24, left + head.sectionSize(column)
                    ):
                        for y in range(4, after.height() - 4):
                            is_ink = after.pixelColor(x, y).name() != paper
                            if is_ink and after.pixelColor(x, y) != before.pixelColor(x, y):
                                ink.setdefault(x, []).append(y)
                    assert ink, (mode, column)
                    xs = sorted(ink)
                    middle, edge = ink[xs[len(xs) // 2]], ink[xs[0]] + ink[xs[-1]]
                    up = sum(middle) / len(middle) < sum(edge) / len(edge)
                    assert up == (order is Qt.SortOrder.AscendingOrder), (mode, column, order)

    run(go())


def test_a_list_asked_for_anew_ends_the_one_on_its_way(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk, S(pk % 2)) for pk in range(1, 301)])
        queries = built.fakes.queries
        queries.chunk, queries.gate = 100, asyncio.Event()
        window = await built.show()
        model = window.progress.model
        assert model.rowCount() == 100
        window.progress.chips.buttons["waiting"].click()
        queries.gate.set()
        await until(lambda: model.rowCount() == 150)
        await built.context.spawn.settle()  # type: ignore[attr-defined]
        assert list(model.ids) == list(range(2, 301, 2))

    run(go())
