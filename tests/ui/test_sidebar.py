"""Batches and connections at a glance, and what can be done with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop_app.domain.batch import RunState
from desktop_app.domain.events import ConnectionsChanged
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import AccountState
from desktop_app.ui.dialogs import connection
from desktop_app.ui.dialogs.name_question import NameQuestion
from desktop_app.ui.sidebar_paint import batch_percent, batch_word, shortened
from tests.ui.conftest import Run, Stage, until
from tests.ui.fakes import make_batch, make_row

Build = Callable[..., Stage]
S = TaskState
READ = Qt.ItemDataRole.AccessibleTextRole


def test_a_batch_says_how_far_it_is(stage: Build, run: Run) -> None:
    async def go() -> None:
        rows = [make_row(pk, S.SUCCESS) for pk in range(1, 200)] + [make_row(200)]
        built = stage(rows=rows)
        window = await built.show()
        side = window.sidebar
        assert side.batches.item(1).data(READ) == "Spring shoes, 99%, 199 of 200"
        built.fakes.change(200, state=S.FAILED)
        window.bridge.flush()
        await until(lambda: side.batches.item(1).data(READ).endswith("100%, 1 needs you"))
        side.grab()

    run(go())


def test_words_by_run_state(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(1), make_row(2, S.SUCCESS)])
        window = await built.show()
        summary = window.watch.summary(1)
        assert summary is not None
        tr = built.context.tr

        def word(state: RunState) -> str:
            return batch_word(tr, replace(summary, batch=make_batch(run_state=state)))

        assert word(RunState.IDLE) == "not started"
        assert word(RunState.PAUSED) == "paused, 1 left"
        assert word(RunState.RUNNING) == "1 of 2"
        assert batch_percent(summary) == 50

    run(go())


def test_a_new_batch_does_not_move_the_selection(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(1)])
        window = await built.show()
        assert window.sidebar.batch_id() == 1
        built.fakes.add_batch(make_batch(2, "Newer"))
        window.bridge.flush()
        await until(lambda: window.sidebar.batches.count() == 3)
        assert window.sidebar.batch_id() == 1

    run(go())


def test_a_batch_that_goes_falls_back_to_all(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(1), make_row(2, batch_id=2)])
        built.fakes.queries.batch_list.append(make_batch(2, "Other"))
        window = await built.show()
        del built.fakes.queries.batch_list[0]
        built.fakes.add_batch(make_batch(3, "Third"))
        window.bridge.flush()
        await until(lambda: window.sidebar.batch_id() is None)
        await until(lambda: window.progress.model.which.batch_id is None)

    run(go())


def test_batch_menu_selects_it_and_acts(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(1), make_row(2, batch_id=2)])
        built.fakes.queries.batch_list.append(make_batch(2, "FAQ", run_state=RunState.IDLE))
        window = await built.show()
        summary = window.watch.summary(2)
        assert summary is not None
        menu = window.sidebar.batch_menu(summary)
        by_text = {action.text(): action for action in menu.actions()}
        assert by_text["Start"].isEnabled()
        assert not by_text["Pause"].isEnabled()
        by_text["Start"].trigger()
        await until(lambda: ("start", 2) in built.fakes.runs.calls)
        assert window.sidebar.batch_id() == 2
        menu.close()

    run(go())


def test_connections_show_their_standing_and_open_on_enter(
    stage: Build, run: Run, monkeypatch: Any
) -> None:
    opened: list[Any] = []

    class Dialog:
        def __init__(self, context: Any, connection: Any, parent: Any, **_: Any) -> None:
            opened.append(connection.name if connection else None)

        def open(self) -> None:
            pass

    monkeypatch.setattr(connection, "ConnectionDialog", Dialog)

    async def go() -> None:
        built = stage(rows=[make_row(1)])
        window = await built.show()
        side = window.sidebar
        assert side.connections.item(1).data(READ) == "Ark Seedream, no key"
        built.fakes.connections.list[1] = replace(
            built.fakes.connections.list[1], state=AccountState.OK
        )
        built.fakes.bus.publish(ConnectionsChanged())
        window.bridge.flush()
        await until(lambda: side.connections.item(1).data(READ) == "Ark Seedream, ready")
        side.connections.setFocus()
        side.connections.setCurrentRow(1)
        QTest.keyClick(side.connections, Qt.Key.Key_Return)
        await until(lambda: opened == ["Ark Seedream"])
        QTest.mouseClick(side.add, Qt.MouseButton.LeftButton)
        assert opened == ["Ark Seedream", None]
        menu = side.connection_menu(built.fakes.connections.list[0])
        by_text = {action.text(): action for action in menu.actions()}
        assert not by_text["Remove…"].isEnabled()  # a batch uses it
        menu.close()
        menu = side.connection_menu(built.fakes.connections.list[1])
        next(a for a in menu.actions() if a.text() == "Remove…").trigger()
        await until(lambda: isinstance(QApplication.activeModalWidget(), NameQuestion))
        question = QApplication.activeModalWidget()
        assert question.heading.text() == "Remove the connection Ark Seedream?"
        assert question.lead.text().startswith("Its key is deleted")
        assert ("remove", 2) not in built.fakes.connections.calls
        question.go.click()
        await until(lambda: ("remove", 2) in built.fakes.connections.calls)
        menu.close()

    run(go())


def test_names_that_begin_alike_are_told_apart_where_they_are_cut(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(1)])
        window = await built.show()
        font = built.context.theme.font()
        names = ("Practice server (texts)", "Practice server (jobs)", "Practice server")
        room = QFontMetrics(font).horizontalAdvance("Practice server (t")
        cut = [shortened(name, font, room) for name in names]
        assert [name[-6:] for name in cut[:2]] == ["texts)", "(jobs)"]
        assert cut[2] == names[2]
        assert window.sidebar.connections.item(0).toolTip().startswith("OpenAI: ready\n")

    run(go())
