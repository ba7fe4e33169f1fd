"""The window as an operator drives it: real events on a window over fakes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QWidget

from desktop_app.domain.batch import RunState
from desktop_app.domain.events import BatchChanged, EngineChanged
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.money import Money
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import (
    AccountState,
    Banner,
    BannerAction,
    BatchSummary,
    EngineStatus,
    TaskFilter,
)
from desktop_app.services.run_banners import run_banners
from desktop_app.ui.answer import Answer
from desktop_app.ui.dialogs.cancel import CancelDialog
from desktop_app.ui.dialogs.connection import ConnectionDialog
from desktop_app.ui.dialogs.pre_run import PreRunDialog
from desktop_app.ui.dialogs.raise_cap import RaiseCapDialog
from desktop_app.ui.grid.columns import Column
from desktop_app.ui.main_window import MainWindow
from tests.ui.conftest import Run, Stage, until
from tests.ui.dialogs.dialog_fakes import FakeImports as SheetFakes
from tests.ui.fakes import make_batch, make_row

Build = Callable[..., Stage]
S = TaskState
CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


def _rows() -> list[Any]:
    return [make_row(pk, S.SUCCESS if pk <= 30 else S.PENDING) for pk in range(1, 51)]


def _said(text: str) -> Any:
    return message("text.plain", text=text)


def test_first_start_says_what_to_do(stage: Build, run: Run, monkeypatch: Any) -> None:
    async def go() -> None:
        built = stage()
        window = await built.show()
        await until(lambda: not window.watch.known)
        assert window.pages.currentWidget() is window.first_start
        assert not window.actions_["start"].isEnabled()
        imported: list[Any] = []
        monkeypatch.setattr(window.flows, "import_files", imported.extend)
        QTest.mouseClick(window.first_start.sample_button, LEFT)
        await until(lambda: imported, "the sample")
        assert imported[0].endswith("sample_prompts.csv")
        assert ("practice",) in built.fakes.connections.calls

    run(go())


def test_the_keys_go_to_the_rows_at_first(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=_rows()).show()
        assert window.focusWidget() is window.progress.view
        window.activateWindow()
        assert window.progress.view.current_pk() is None
        window.progress.search.setFocus()
        QTest.keyClick(window.progress.search, Qt.Key.Key_Tab)
        QTest.keyClick(window.progress.view.horizontalHeader(), Qt.Key.Key_Tab)
        assert window.progress.view.current_pk() == 1

    run(go())


def test_a_batch_that_appears_brings_the_tabs(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage()
        window = await built.show()
        for row in _rows():
            built.fakes.queries.table[row.pk] = row
        built.fakes.add_batch(make_batch())
        built.context.signals.batch_selected.emit(1)  # said before it is listed
        window.bridge.flush()
        await until(lambda: window.pages.currentWidget() is window.tabs)
        await until(lambda: window.sidebar.batch_id() == 1)
        await until(lambda: window.progress.model.rowCount() == 50)
        assert window.windowTitle().startswith("Spring shoes")
        assert window.focusWidget() is window.progress.view

    run(go())


def test_an_import_that_was_started_is_shown_at_work(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        imports = SheetFakes()
        object.__setattr__(built.fakes.services, "imports", imports)
        window = await built.show()
        window.tabs.setCurrentWidget(window.results)
        built.context.signals.request_import.emit(["/tmp/春季.csv", "/tmp/second.csv"])
        await until(lambda: imports.opened, "the first sheet")
        first = window.findChild(PreRunDialog)
        assert isinstance(first, PreRunDialog)
        first.started.emit(1)
        first.accept()
        assert window.tabs.currentWidget() is window.progress
        await until(lambda: len(imports.opened) == 2, "the second sheet")
        await until(lambda: imports.forgotten, "the first copy to be removed")
        second = [d for d in window.findChildren(PreRunDialog) if d is not first][-1]
        second.reject()
        await until(lambda: len(imports.forgotten) == 2)

    run(go())


def test_enter_presses_the_button_under_the_focus(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage().show()
        pressed: list[str] = []
        window.first_start.browse.connect(lambda: pressed.append("browse"))
        window.first_start.browse.disconnect(window.flows.browse)
        QTest.keyClick(window.first_start.browse_button, Qt.Key.Key_Return)
        assert pressed == ["browse"]

    run(go())


@pytest.mark.parametrize("action", [BannerAction.ENTER_KEY, BannerAction.TRY_AGAIN])
def test_a_refused_key_is_mended_from_the_banner(
    stage: Build, run: Run, action: BannerAction
) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()
        banner = Banner("k", "error", _said("refused"), (action,), None, 1)
        window.flows.banner_action(banner, action)
        if action is BannerAction.TRY_AGAIN:
            await until(lambda: ("retry_account", 1) in built.fakes.runs.calls)
            return
        await until(lambda: window.findChild(ConnectionDialog), "the dialog")
        dialog = window.findChild(ConnectionDialog)
        assert isinstance(dialog, ConnectionDialog)
        # A key that is pasted at once must not land in the name, which is shown and stored.
        assert dialog.focusWidget() is dialog.account.key
        dialog.reject()

    run(go())


def test_local_trouble_is_looked_at_again(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()
        banner = Banner("local", "error", _said("disk full"), (BannerAction.TRY_AGAIN,))
        window.flows.banner_action(banner, BannerAction.TRY_AGAIN)
        await until(lambda: ("look_again",) in built.fakes.runs.calls)

    run(go())


def test_start_pause_and_cancel_act_on_the_selected_batch(
    stage: Build, run: Run, monkeypatch: Any
) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        runs = built.fakes.runs
        window = await built.show()
        bar = window.run_bar
        await until(lambda: bar.pause_button.isVisible())
        assert not bar.start_button.isVisible()
        QTest.mouseClick(bar.pause_button, LEFT, pos=QPoint(15, 12))
        await until(lambda: ("pause", 1, False) in runs.calls)
        window.actions_["pause_now"].trigger()
        await until(lambda: ("pause", 1, True) in runs.calls)
        built.fakes.queries.batch_list = [make_batch(run_state=RunState.PAUSED)]
        built.fakes.bus.publish(BatchChanged(1))
        window.bridge.flush()
        await until(lambda: bar.start_button.isVisible())
        assert bar.start_button.text() == "Resume"
        QTest.mouseClick(bar.start_button, LEFT)
        await until(lambda: ("start", 1) in runs.calls)
        QTest.mouseClick(bar.cancel_button, LEFT)
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, CancelDialog)
        await until(lambda: dialog.go.text() == "Cancel 20 rows")

        async def cancelled(which: TaskFilter) -> int:
            assert which == TaskFilter(batch_id=1)
            return 19  # one was sent meanwhile

        monkeypatch.setattr(runs, "cancel", cancelled)
        QTest.mouseClick(dialog.go, LEFT)
        said = "19 rows are cancelled. They can be requeued."
        await until(lambda: window.banner.text.text() == said)
        window.flows._rows_cancelled(0)
        assert window.banner.text.text() == "Nothing was cancelled: no row waits."

    run(go())


def test_all_batches_heads_the_sidebar_and_acts_on_all(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[*_rows(), make_row(90, S.FAILED, batch_id=2)])
        built.fakes.queries.batch_list.append(make_batch(2, "FAQ", run_state=RunState.IDLE))
        window = await built.show()
        side = window.sidebar.batches
        side.setFocus()
        QTest.keyClick(side, Qt.Key.Key_Home)
        assert window.sidebar.batch_id() is None
        await until(lambda: window.progress.model.rowCount() == 51)
        await until(lambda: "51 =" in window.footer.ledger.text())
        window.actions_["start"].trigger()
        built.fakes.runs.now = EngineStatus(active=False)
        QTest.keyClick(side, Qt.Key.Key_Down)
        QTest.keyClick(side, Qt.Key.Key_Down)
        assert window.sidebar.batch_id() == 2
        await until(lambda: window.footer.ledger.text() == "1 = 1 failed")

    run(go())


def test_the_footer_shows_ledger_eta_and_money(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        built.fakes.runs.now = EngineStatus(
            active=True,
            in_flight=3,
            rate=2.41,
            allowed_rate=2.4,
            eta_s=245,
            slowed_until=4e9,
            slowed_rate=2.4,
            slowed_why=message("engine.no_key", name="fal"),
        )
        window = await built.show()
        await until(lambda: window.footer.eta.text())
        assert window.footer.ledger.text() == "50 = 30 done + 20 waiting"
        assert window.footer.eta.text().startswith("about 4 min left (")
        assert window.footer.spent.text() == "Spent 1.48 USD"
        assert window.run_bar.rate.text() == "2.4/s, limit 2.4/s"
        assert window.run_bar.rate.toolTip().startswith("Calls a second, now, and the most")
        assert window.run_bar.slowed.text().startswith("slowed to 2.4/s by the provider until ")
        assert window.run_bar.slowed.toolTip() == "fal has no key yet. Enter the key to go on."

    run(go())


def test_the_side_bar_says_slowed_as_soon_as_the_line_above_does(stage: Build, run: Run) -> None:
    """Nobody publishes that an account is slowed: it comes and goes with every refusal."""

    async def go() -> None:
        built = stage(rows=_rows())
        links = built.fakes.connections.list
        built.fakes.runs.now = EngineStatus(active=True, in_flight=3, rate=2.4)
        window = await built.show()
        await until(lambda: window.watch.links)
        assert window.watch.links[0].state is AccountState.OK
        links[0] = replace(links[0], state=AccountState.SLOWED)
        built.fakes.runs.now = replace(built.fakes.runs.now, slowed_rate=1.4)
        built.context.signals.events.emit([EngineChanged()])
        await until(lambda: window.watch.links[0].state is AccountState.SLOWED)
        links[0] = replace(links[0], state=AccountState.OK)
        built.fakes.runs.now = replace(built.fakes.runs.now, slowed_rate=None)
        built.context.signals.events.emit([EngineChanged()])
        await until(lambda: window.watch.links[0].state is AccountState.OK)

    run(go())


FOOT = "1.48 spent + 0.04 reserved of 2.00 USD; 2 calls may be paid twice"


def test_the_footer_shows_the_cap_and_what_is_not_sure(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        (batch,) = built.fakes.queries.batch_list
        built.fakes.queries.batch_list[0] = replace(batch, budget=Money(Decimal(2), "USD"))
        built.fakes.queries.reserved = (Money(Decimal("0.04"), "USD"),)
        built.fakes.queries.maybe_double = 2
        window = await built.show()
        window.sidebar.select_batch(1)
        await until(lambda: window.footer.spent.text() == FOOT)
        assert "bill is not known: 0.04 USD" in window.footer.spent.toolTip()
        assert "2 calls may have been charged a second time" in window.footer.spent.toolTip()

    run(go())


def test_the_footer_knows_no_second_bill_for_what_is_free(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        built.fakes.queries.spent = (Money(Decimal(0), "USD"),)
        built.fakes.queries.maybe_double = 2
        window = await built.show()
        window.sidebar.select_batch(1)
        await until(lambda: window.footer.spent.text() == "Spent 0.00 USD")
        assert "second time" not in window.footer.spent.toolTip()

    run(go())


@pytest.mark.parametrize(
    ("why", "label", "before", "typed", "cap"),
    [
        (message("engine.max_calls", n=50), "Most calls", "50", "90", (90, None)),
        (
            message("store.budget_batch", most="2", used="2.00", next="0.04", currency="USD"),
            "New cap (USD)",
            "2",
            "3.5",
            (None, Decimal("3.5")),
        ),
    ],
    ids=["calls", "money"],
)
def test_a_cap_that_is_reached_asks_for_a_new_one(
    stage: Build, run: Run, why: Message, label: str, before: str, typed: str, cap: tuple[Any, ...]
) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        batch = make_batch(
            run_state=RunState.PAUSED,
            pause_reason=why,
            max_calls=50,
            budget=Money(Decimal(2), "USD"),
        )
        built.fakes.queries.batch_list = [batch]
        summary = BatchSummary(batch, Ledger(pending=20, success=30), "OpenAI")
        built.fakes.runs.now = EngineStatus(banners=run_banners([summary], 0.0))
        window = await built.show()
        await until(lambda: window.banner.isVisible())
        QTest.mouseClick(window.banner.buttons[0], LEFT)
        await until(lambda: window.findChild(RaiseCapDialog) is not None)
        dialog = window.findChild(RaiseCapDialog)
        assert [each.text() for each in dialog.grid.findChildren(QLabel)] == [label]
        assert dialog.cap.text() == before
        dialog.cap.setText(typed)
        QTest.mouseClick(dialog.go, LEFT)
        await until(lambda: ("cap", 1, *cap) in built.fakes.runs.calls)
        await until(lambda: ("start", 1) in built.fakes.runs.calls)

    run(go())


def test_the_row_under_the_hand_is_shown_whole(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()
        view = window.progress.view
        QTest.mouseClick(view.viewport(), LEFT, pos=QPoint(120, view.rowViewportPosition(2) + 9))
        await until(lambda: window.detail.detail is not None)
        assert window.detail.title.text() == "#4  SKU-00003"
        built.fakes.change(3, state=S.FAILED, note=_said("Refused"))
        window.bridge.flush()
        await until(lambda: window.detail.why.text() == "Refused")
        QTest.keyClick(view, Qt.Key.Key_Down)
        await until(lambda: window.detail.title.text() == "#5  SKU-00004")

    run(go())


def test_needs_you_counts_and_the_tab_is_one_key_away(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[*_rows(), make_row(60, S.FAILED), make_row(61, S.DEAD)])
        window = await built.show()
        at = window.tabs.indexOf(window.needs_you)
        await until(lambda: window.tabs.tabText(at) == "Needs you (2)")
        window.activateWindow()
        QTest.keyClick(window, Qt.Key.Key_2, CTRL)
        await until(lambda: window.tabs.currentIndex() == at)
        QTest.keyClick(window, Qt.Key.Key_F, CTRL)
        await until(lambda: window.tabs.currentWidget() is window.progress)
        assert isinstance(QApplication.focusWidget(), QLineEdit)

    run(go())


# --- banner ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "call"),
    [
        (BannerAction.RESUME, ("start", 1)),
        (BannerAction.RUN_REST, ("run_rest", 1)),
        (BannerAction.STAY_PAUSED, ("stay_paused",)),
        (BannerAction.TRY_AGAIN, ("retry_account", 2)),
    ],
)
def test_a_banners_button_does_what_it_says(
    stage: Build, run: Run, action: BannerAction, call: tuple[Any, ...]
) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        banner = Banner("k", "error", _said("Trouble"), (action,), batch_id=1, connection_id=2)
        built.fakes.runs.now = EngineStatus(banners=(banner,))
        window = await built.show()
        await until(lambda: window.banner.isVisible())
        QTest.mouseClick(window.banner.buttons[0], LEFT)
        await until(lambda: call in built.fakes.runs.calls, str(call))

    run(go())


def test_a_banner_opens_the_folder_or_what_needs_a_person(
    stage: Build, run: Run, tmp_path: Any
) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        built.fakes.queries.batch_list = [make_batch(out_dir=str(tmp_path / "gone" / "deeper"))]
        actions = (BannerAction.NEEDS_YOU, BannerAction.OPEN_FOLDER)
        banner = Banner("batch-1", "warning", _said("Done"), actions, batch_id=1)
        built.fakes.runs.now = EngineStatus(banners=(banner,))
        window = await built.show()
        await until(lambda: window.banner.isVisible())
        QTest.mouseClick(window.banner.buttons[0], LEFT)
        assert window.tabs.currentWidget() is window.needs_you
        QTest.mouseClick(window.banner.buttons[1], LEFT)
        assert built.opened == [f"open {tmp_path}"]  # the nearest folder that is still there
        QTest.mouseClick(window.banner.dismiss, LEFT)
        assert not window.banner.isVisible()
        built.fakes.bus.publish(EngineChanged())
        window.bridge.flush()
        await asyncio.sleep(0.05)
        assert not window.banner.isVisible()

    run(go())


def test_the_most_severe_of_several_is_shown_and_the_rest_counted(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        built.fakes.runs.now = EngineStatus(
            banners=(
                Banner("a", "info", _said("Fine")),
                Banner("b", "error", _said("Bad"), (BannerAction.TRY_AGAIN,)),
                Banner("c", "warning", _said("Hm")),
            )
        )
        window = await built.show()
        await until(lambda: window.banner.text.text() == "Bad")
        assert window.banner.more.text() == "1 of 3"
        assert not window.banner.dismiss.isVisible()
        QTest.mouseClick(window.banner.more, LEFT)
        assert (window.banner.text.text(), window.banner.more.text()) == ("Hm", "2 of 3")

    run(go())


def test_an_operator_error_becomes_a_line_and_goes_when_closed(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        built.fakes.runs.trouble = OperatorError(_said("No connection"))
        window = await built.show()
        window.flows.start(1)
        await until(lambda: window.banner.isVisible())
        assert window.banner.text.text() == "No connection"
        assert window.banner.text.textFormat() is Qt.TextFormat.PlainText
        QTest.mouseClick(window.banner.dismiss, LEFT)
        assert not window.banner.isVisible()

    run(go())


# --- dropping --------------------------------------------------------------------------------


def _mime(*paths: str) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(path) for path in paths])
    return mime


def test_a_sheet_dropped_anywhere_is_imported(stage: Build, run: Run, monkeypatch: Any) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()
        imported: list[Any] = []
        built.context.signals.request_import.disconnect()
        built.context.signals.request_import.connect(imported.append)
        mime, at = _mime("/x/双十一.csv"), QPoint(300, 300)
        buttons, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        action = Qt.DropAction.CopyAction
        enter = QDragEnterEvent(at, action, mime, buttons, none)
        QApplication.sendEvent(window, enter)
        assert enter.isAccepted()
        assert window.overlay.isVisible()
        assert window.overlay.geometry() == window.rect()
        QApplication.sendEvent(window, QDragLeaveEvent())
        assert not window.overlay.isVisible()
        QApplication.sendEvent(window, QDragEnterEvent(at, action, mime, buttons, none))
        QApplication.sendEvent(window, QDropEvent(QPointF(at), action, mime, buttons, none))
        assert imported == [["/x/双十一.csv"]]
        assert not window.overlay.isVisible()

    run(go())


def test_what_is_no_file_is_not_taken(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage().show()
        mime = QMimeData()
        mime.setText("hello")
        enter = QDragEnterEvent(
            QPoint(9, 9), Qt.DropAction.CopyAction, mime, LEFT, Qt.KeyboardModifier.NoModifier
        )
        enter.ignore()
        QApplication.sendEvent(window, enter)
        assert not enter.isAccepted()
        assert not window.overlay.isVisible()

    run(go())


def test_no_child_swallows_a_drop(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=_rows()).show()
        takers = [f"{w} {w.parent()}" for w in window.findChildren(QWidget) if w.acceptDrops()]
        assert takers == []

    run(go())


# --- closing ---------------------------------------------------------------------------------


def test_closing_with_nothing_on_the_wire_just_closes(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=_rows()).show()
        closed: list[str] = []
        hooked: list[str] = []

        async def on_quit(choice: str) -> None:
            hooked.append(choice)

        window.on_quit = on_quit
        window.closed.connect(lambda: closed.append("closed"))
        window.close()
        await until(lambda: closed)
        assert (closed, hooked) == (["closed"], ["finish"])
        assert not window.quit_now

    run(go())


@pytest.mark.parametrize("choice", ["finish", "quit", "back"])
def test_closing_with_calls_on_the_wire_asks(stage: Build, run: Run, choice: str) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        built.fakes.runs.flying = 8
        built.fakes.runs.drained = asyncio.Event()
        window = await built.show()
        closed: list[str] = []
        window.closed.connect(lambda: closed.append("closed"))
        window.close()
        await until(lambda: window.closer._dialog is not None)
        assert window.isVisible()
        dialog = window.closer._dialog
        assert dialog is not None
        window.close()  # a second press does not ask twice
        button: Any = {"finish": dialog.finish, "quit": dialog.quit, "back": dialog.back}[choice]
        QTest.mouseClick(button, LEFT)
        if choice == "back":
            await asyncio.sleep(0.05)
            assert window.isVisible()
            assert closed == []
            return
        if choice == "finish":
            await until(lambda: ("drain", None) in built.fakes.runs.calls)
            assert window.isVisible()
            assert "Finishing" in window.banner.text.text()
            built.fakes.runs.drained.set()
        await until(lambda: closed)
        assert window.quit_now == (choice == "quit")

    run(go())


# --- language, looks, memory -----------------------------------------------------------------


def test_the_language_is_switched_live_and_remembered(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()

        class Shouting:
            language = "zh_CN"

            def __call__(self, text: str, /, **values: Any) -> str:
                loud = {name.upper(): value for name, value in values.items()}
                return text.upper().format(**loud) if values else text.upper().replace("{N}", "{n}")

            def plural(self, one: str, many: str, n: int, /, **values: Any) -> str:
                return many.upper().replace("{N}", str(n))

            def say(self, said: Any) -> str:
                return str(said.values.get("text", said.code)).upper()

        built.context.tr = Shouting()  # type: ignore[assignment]
        built.context.signals.language_changed.emit()
        assert window.tabs.tabText(0) == "PROGRESS"
        assert window.run_bar.import_button.text() == "IMPORT"
        assert window.progress.chips.buttons["done"].text() == "DONE 30"
        assert window.menuBar().actions()[0].text() == "&FILE"
        header = window.progress.model.headerData(2, Qt.Orientation.Horizontal)
        assert header == "PROMPT"
        assert window.footer.ledger.text() == "50 = 30 DONE + 20 WAITING"
        built.context.set_language("en")
        assert window.tabs.tabText(0) == "Progress"
        assert built.fakes.preferences.values["language"] == "en"

    run(go())


def test_appearance_is_chosen_in_the_menu_and_remembered(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()
        dark = next(a for a in window.actions_.themes.actions() if a.data() == "dark")
        dark.trigger()
        assert built.context.theme.dark
        assert built.fakes.preferences.values["theme"] == "dark"
        color = window.grab().toImage().pixelColor(window.width() // 2, window.height() // 2)
        assert color.lightness() < 80

    run(go())


def test_layout_is_remembered(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()
        window.resize(1111, 700)
        window.actions_["toggle_detail"].trigger()
        assert window.panes.sizes()[2] == 0
        window.progress.view.horizontalHeader().resizeSection(3, 177)
        window.hide()
        kept = dict(built.fakes.preferences.values)
        assert {"window.geometry", "window.panes", "grid.columns"} <= set(kept)
        again = stage(rows=_rows())
        again.fakes.preferences.values.update(kept)
        second = MainWindow(again.context)
        again.window = second
        second.show()
        assert second.height() == 700
        assert second.panes.sizes()[2] == 0
        assert not second.actions_["toggle_detail"].isChecked()
        assert second.progress.view.columnWidth(3) == 177

    run(go())


def test_side_panes_come_back(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=_rows()).show()
        for place, name in ((0, "toggle_sidebar"), (2, "toggle_detail")):
            window.actions_[name].trigger()
            assert window.panes.sizes()[place] == 0
            window.actions_[name].trigger()
            assert window.panes.sizes()[place] > 100
            assert window.actions_[name].isChecked()

    run(go())


def test_it_is_usable_at_1280_by_680(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=_rows()).show()
        window.resize(1280, 680)
        assert (window.width(), window.height()) == (1280, 680)
        assert window.minimumSizeHint().width() <= 1280
        assert window.minimumSizeHint().height() <= 680
        view = window.progress.view
        await until(lambda: view.horizontalScrollBar().maximum() == 0)
        first, last = view.visible_rows()
        assert last - first >= 10

    run(go())


def test_everything_to_press_has_a_name(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=_rows()).show()
        nameless = [
            f"{type(widget).__name__} in {type(widget.parent()).__name__}"
            for widget in (
                *window.findChildren(QAbstractButton),
                *window.findChildren(QLineEdit),
            )
            if widget.isVisible()
            and not isinstance(widget.parent(), QLineEdit)
            and not (QAccessible.queryAccessibleInterface(widget)).text(QAccessible.Text.Name)
        ]
        assert nameless == []

    run(go())


def test_no_two_actions_share_a_shortcut(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage().show()
        keys = [keys for keys, _ in window.actions_.shortcuts()]
        assert len(keys) == len(set(keys))
        window.actions_["shortcuts"].trigger()
        dialog = QApplication.activeModalWidget()
        assert dialog is not None
        dialog.close()

    run(go())


def test_a_drag_that_ends_without_a_word_uncovers_the_window(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage().show()
        window.overlay.show_over()
        QTest.mouseMove(window.first_start, QPoint(5, 5))
        QTest.mouseClick(window.footer, LEFT)  # the program it came from is gone
        assert not window.overlay.isVisible()

    run(go())


def test_an_answer_is_seen_before_a_graver_line(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage()
        window = await built.show()
        window.banner.set_banners([Banner("k", "error", _said("refused"))])
        built.context.say(_said("8 rows were exported."))
        assert window.banner.text.text() == "8 rows were exported."
        assert window.banner.more.text() == "2 of 2"
        window.banner.dismiss.click()
        assert window.banner.text.text() == "refused"

    run(go())


def test_an_exports_answer_stays_on_top_and_follows_the_language(
    stage: Build, run: Run, tmp_path: Path
) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()
        grave = Banner("k", "error", _said("refused"))
        window.banner.set_banners([grave])
        answer = Answer(lambda tr: f"{tr.language} 62", tmp_path / "a.xlsx")
        built.context.signals.answered.emit(answer)
        window.banner.set_banners([grave, Banner("l", "error", _said("more trouble"))])
        assert window.banner.text.text() == "en 62"
        built.context.set_language("zh_CN")
        assert window.banner.text.text() == "zh_CN 62"
        built.context.set_language("en")
        assert window.banner.buttons[0].text() == "Open folder"
        window.banner.buttons[0].click()
        assert built.opened == [f"reveal {tmp_path / 'a.xlsx'}"]
        window.banner.lines.hold.timeout.emit()  # its time is over
        assert window.banner.text.text() == "refused"

    run(go())


def test_nothing_moves_under_a_clicking_pointer(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()
        top = window.tabs.mapTo(window, QPoint(0, 0))
        handle = window.windowHandle()
        QTest.mouseClick(handle, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(5, 5))
        window.banner.set_banners([Banner("k", "info", _said("finished"))])
        assert not window.banner.isVisible()
        built.context.say(_said("8 rows are cancelled."))
        assert window.banner.isVisible()  # an answer can't wait: it lies over the work
        window.centralWidget().layout().activate()
        assert window.tabs.mapTo(window, QPoint(0, 0)) == top
        await until(lambda: window.banner.slot.height() > 0)
        window.centralWidget().layout().activate()
        assert window.tabs.mapTo(window, QPoint(0, 0)) != top
        assert window.banner.geometry() == window.banner.slot.geometry()

    run(go())


def test_a_batch_alone_is_chosen_at_the_start(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = MainWindow(built.context)
        built.window = window
        window.show()
        await until(lambda: window.sidebar.batch_id() == 1)
        await until(lambda: window.progress.model.which.batch_id == 1)
        assert window.progress.view.isColumnHidden(Column.BATCH)

    run(go())


def test_rows_of_several_batches_say_which(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[*_rows(), make_row(90, S.FAILED, batch_id=2)])
        built.fakes.queries.batch_list.append(make_batch(2, "FAQ", run_state=RunState.IDLE))
        window = await built.show()
        view = window.progress.view
        assert view.isColumnHidden(Column.BATCH)
        built.context.signals.batch_selected.emit(None)
        await until(lambda: window.progress.model.rowCount() == 51)
        assert not view.isColumnHidden(Column.BATCH)
        view.go_to(90)
        await until(lambda: window.progress.model.row_at(50) is not None)
        assert window.progress.model.index(50, Column.BATCH).data() == "FAQ"
        assert view.horizontalHeader().visualIndex(Column.BATCH) == 1
        assert view.fitting  # the program's own columns are no choice of the operator's
        assert view.horizontalHeader().length() <= view.viewport().width()
        built.context.signals.batch_selected.emit(2)
        await until(lambda: window.progress.model.rowCount() == 1)
        assert view.isColumnHidden(Column.BATCH)
        view.horizontalHeader().sectionResized.emit(Column.BATCH, 120, 0)  # as Qt may, later
        assert view.fitting

    run(go())
