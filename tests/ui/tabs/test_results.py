"""Results: a gallery of pictures or a list of texts, opened, shown, copied and exported."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import shiboken6
from PIL import Image
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu, QVBoxLayout
from pytestqt.qtbot import QtBot

from desktop_app.domain.events import TasksChanged
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import Piece
from desktop_app.ui.dialogs.export_batch import ExportDialog
from desktop_app.ui.lazy_rows import PAGE
from desktop_app.ui.tabs.results import ResultsTab
from desktop_app.ui.tabs.results_drag import files_of
from desktop_app.ui.tabs.results_model import TEXT_ROLE
from tests.ui.dialogs.dialog_fakes import Desk, make_desk, settle, summary, task, until

LEFT = Qt.MouseButton.LeftButton
DONE = TaskState.SUCCESS
TIP = Qt.ItemDataRole.ToolTipRole


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


def pictures(folder: Path, count: int) -> dict[int, str]:
    made = {}
    for pk in range(1, count + 1):
        path = folder / f"{pk:04}.png"
        Image.new("RGB", (64, 48), (200, 30, 30)).save(path)
        made[pk] = str(path)
    return made


async def shown(desk: Desk, batch_id: int | None = 5) -> ResultsTab:
    tab = ResultsTab(desk.context, desk.window)
    layout = desk.window.layout()
    assert layout is not None
    layout.addWidget(tab)
    tab.show()
    tab.set_batch(batch_id)
    await settle()
    return tab


async def filled(desk: Desk, folder: Path, count: int = 3) -> ResultsTab:
    desk.queries.tasks = {
        pk: task(pk, DONE, output=path) for pk, path in pictures(folder, count).items()
    }
    tab = await shown(desk)
    await until(lambda: len(tab.model.pks) == count)
    await until(lambda: tab.model.row(0) is not None)
    await settle()
    return tab


async def test_empty_says_what_to_do(desk: Desk, qtbot: QtBot) -> None:
    tab = await shown(desk)
    await until(tab.empty.isVisible)

    assert "Press Start" in tab.empty.hint.text()


async def test_pictures_make_a_gallery(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    tab = await filled(desk, tmp_path)

    assert not tab.view.is_list
    assert tab.summary.text() == "3 results"
    index = tab.model.index(0, 0)
    assert index.data() == "0001.png"
    where = tab.view.visualRect(index).center()
    await until(lambda: tab.view.grab().toImage().pixelColor(where).red() == 200)


async def test_only_finished_rows_of_the_batch(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    desk.queries.tasks = {1: task(1), 2: task(2, DONE, output="/out/2.png")}
    tab = await shown(desk)
    await until(lambda: list(tab.model.pks) == [2])

    desk.queries.tasks[3] = task(3, DONE, output="/out/3.png")
    desk.context.signals.events.emit([TasksChanged(5, (3,))])
    await until(lambda: tab.summary.text() == "2 results")


async def test_hidden_it_only_counts(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {2: task(2, DONE, output="/out/2.png")}
    tab = ResultsTab(desk.context, desk.window)
    tab.set_batch(5)
    await until(lambda: tab.summary.text() == "1 result")

    assert list(tab.model.pks) == []


async def test_double_click_opens(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    tab = await filled(desk, tmp_path)
    where = tab.view.visualRect(tab.model.index(1, 0)).center()

    qtbot.mouseClick(tab.view.viewport(), LEFT, pos=where)
    qtbot.mouseDClick(tab.view.viewport(), LEFT, pos=where)

    assert desk.opened == [str(tmp_path / "0002.png")]


async def test_menu_shows_in_folder_and_copies(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    tab = await filled(desk, tmp_path)
    where = tab.view.visualRect(tab.model.index(0, 0)).center()

    tab.view.customContextMenuRequested.emit(QPoint(where))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    words = {action.text(): action for action in menu.actions()}
    words["Show in folder"].trigger()
    words["Copy picture"].trigger()
    menu.close()
    await until(lambda: not QApplication.clipboard().image().isNull())

    assert desk.opened == [f"reveal {tmp_path / '0001.png'}"]
    assert QApplication.clipboard().image().size().toTuple() == (64, 48)


async def test_a_vanished_picture_is_said(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    tab = await filled(desk, tmp_path)
    (tmp_path / "0001.png").unlink()
    tab.view.setCurrentIndex(tab.model.index(0, 0))
    tab.view.setFocus()

    qtbot.keyClick(tab.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: bool(desk.answers))

    assert "is gone or can't be read" in desk.answers[0].text(desk.context.tr)
    assert desk.answers[0].severity == "error"


async def test_texts_make_a_list(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {pk: task(pk, DONE, output=f"/out/{pk}.txt") for pk in (1, 2)}
    desk.queries.texts = {1: "It is light.", 2: "轻便舒适。"}
    tab = await shown(desk)

    await until(lambda: tab.view.is_list)
    await until(lambda: tab.model.index(1, 0).data(TEXT_ROLE) == "轻便舒适。")
    tab.view.setCurrentIndex(tab.model.index(1, 0))
    tab.view.setFocus()
    qtbot.keyClick(tab.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: QApplication.clipboard().text() == "轻便舒适。")


async def test_20000_results_are_read_in_pages(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {
        pk: task(pk, DONE, output=f"/nowhere/{pk}.png") for pk in range(1, 20_001)
    }
    tab = await shown(desk)
    await until(lambda: tab.model.row(0) is not None)
    await settle()

    assert sum(len(pks) for pks in desk.queries.asked) <= 2 * PAGE


async def test_open_folder_and_export(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    desk.queries.batches_by_id = {5: summary(5, success=3)}
    tab = await filled(desk, tmp_path)

    qtbot.mouseClick(tab.open_folder, LEFT)
    await until(lambda: desk.opened == ["/out/spring shoes"])
    qtbot.mouseClick(tab.export, LEFT)
    await until(lambda: tab.findChild(ExportDialog) is not None)
    dialog = tab.findChild(ExportDialog)
    assert isinstance(dialog, ExportDialog)
    dialog.set_target(tmp_path / "results.csv")
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: desk.exports.written == [("results", 5, tmp_path / "results.csv")])


async def test_all_batches_have_no_one_folder(desk: Desk, qtbot: QtBot) -> None:
    tab = await shown(desk, None)

    assert not tab.open_folder.isEnabled()
    assert not tab.export.isEnabled()
    assert tab.why.text() == "Choose one batch to open its folder or export it."
    assert not tab.why.isHidden()


async def test_the_tile_under_the_hand_opens_in_detail(
    desk: Desk, qtbot: QtBot, tmp_path: Path
) -> None:
    tab = await filled(desk, tmp_path)
    opened: list[int] = []
    desk.context.signals.open_task.connect(opened.append)

    where = tab.view.visualRect(tab.model.index(1, 0)).center()
    qtbot.mouseClick(tab.view.viewport(), LEFT, pos=where)
    assert opened[-1] == 2
    qtbot.keyClick(tab.view, Qt.Key.Key_Right)
    assert opened[-1] == 3
    opened.clear()
    where = tab.view.visualRect(tab.model.index(2, 0)).center()
    qtbot.mouseClick(tab.view.viewport(), LEFT, pos=where)
    assert opened == [3]


async def test_a_result_that_arrives_leaves_the_keyboard_its_place(
    desk: Desk, qtbot: QtBot, tmp_path: Path
) -> None:
    tab = await filled(desk, tmp_path)
    tab.view.setCurrentIndex(tab.model.index(1, 0))

    desk.queries.tasks = {9: task(9, DONE, output=str(tmp_path / "0001.png"))} | desk.queries.tasks
    desk.context.signals.events.emit([TasksChanged(5, (9,))])
    await until(lambda: len(tab.model.pks) == 4)
    await settle()

    assert tab.model.pks[tab.view.currentIndex().row()] == 2


async def test_a_row_that_ran_again_shows_its_new_text(desk: Desk, qtbot: QtBot) -> None:
    first = task(1, DONE, output="/none/1.txt", attempt_no=1)
    desk.queries.tasks, desk.queries.texts = {1: first}, {1: "old"}
    tab = await shown(desk)
    await until(lambda: tab.model.data(tab.model.index(0, 0), TEXT_ROLE) == "old")

    desk.queries.tasks, desk.queries.texts = {1: first._replace(attempt_no=2)}, {1: "new"}
    desk.context.signals.events.emit([TasksChanged(5, (1,))])
    await until(lambda: tab.model.data(tab.model.index(0, 0), TEXT_ROLE) == "new")


async def test_tiles_share_the_whole_width(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    tab = await filled(desk, tmp_path, count=12)
    rects = [tab.view.visualRect(tab.model.index(at, 0)) for at in range(12)]
    first_row = [rect for rect in rects if rect.top() == rects[0].top()]

    assert len(first_row) > 1
    room = tab.view.viewport().width()
    assert room - sum(rect.width() for rect in first_row) < 40


async def test_tiles_of_several_batches_say_which(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    tab = await filled(desk, tmp_path)
    tab.set_batches({5: "Spring shoes", 6: "FAQ"})
    alone = tab.view.visualRect(tab.model.index(0, 0)).height()
    tab.set_batch(None)
    await until(lambda: "Spring shoes" in tab.model.index(0, 0).data(TIP))
    named = tab.view.grab().toImage()
    assert tab.view.visualRect(tab.model.index(0, 0)).height() > alone
    tab.set_batches({5: "Autumn boots", 6: "FAQ"})
    assert tab.view.grab().toImage() != named
    tab.set_batches({5: "Spring shoes"})  # the only batch needs no name
    assert tab.view.visualRect(tab.model.index(0, 0)).height() == alone


async def test_200000_results_are_laid_out_without_walking_them(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {
        pk: task(pk, DONE, output=f"/nowhere/{pk}.png") for pk in range(1, 200_001)
    }
    tab = await shown(desk)
    await until(lambda: tab.model.row(0) is not None)
    last = tab.model.index(199_999, 0)
    tab.view.setFocus()
    qtbot.keyClick(tab.view, Qt.Key.Key_End)
    assert tab.view.currentIndex() == last
    assert tab.view.viewport().rect().contains(tab.view.visualRect(last))
    assert tab.view.indexAt(tab.view.visualRect(last).center()) == last
    await until(lambda: tab.model.row(199_999) is not None)
    await settle()
    assert sum(len(pks) for pks in desk.queries.asked) <= 4 * PAGE


async def test_the_keyboard_goes_through_the_tiles(
    desk: Desk, qtbot: QtBot, tmp_path: Path
) -> None:
    tab = await filled(desk, tmp_path, count=12)
    view = tab.view
    columns = sum(view.visualRect(tab.model.index(at, 0)).top() == 0 for at in range(12))
    view.setCurrentIndex(tab.model.index(0, 0))
    view.setFocus()
    for key, there in (
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_Down, 1 + columns),
        (Qt.Key.Key_Up, 1),
        (Qt.Key.Key_Up, 1),
        (Qt.Key.Key_Left, 0),
        (Qt.Key.Key_Left, 0),
        (Qt.Key.Key_End, 11),
        (Qt.Key.Key_Home, 0),
    ):
        qtbot.keyClick(view, key)
        assert view.currentIndex().row() == there
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert len(view.selectionModel().selectedIndexes()) == 12


async def test_each_result_of_a_row_has_its_tile(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    made = list(pictures(tmp_path, 4).values())
    desk.queries.tasks = {
        1: task(1, DONE, output=made[0], more=(made[1], made[2])),
        2: task(2, DONE, output=made[3]),
    }
    chosen: list[tuple[int, int]] = []
    desk.context.signals.open_result.connect(lambda pk, place: chosen.append((pk, place)))
    tab = await shown(desk)
    await until(lambda: tab.model.row(3) is not None)

    assert [tab.model.index(at, 0).data() for at in range(4)] == [Path(p).name for p in made]
    assert tab.summary.text() == "4 results"
    tab.view.setCurrentIndex(tab.model.index(1, 0))
    tab._open(tab.view.currentIndex())
    assert chosen == [(1, 1)]
    assert desk.opened == [made[1]]

    # One that arrives before it moves the tile, not the choice.
    desk.queries.tasks = {0: task(0, DONE, output=made[3]), **desk.queries.tasks}
    await tab._load()
    assert tab.view.currentIndex().row() == 2
    tab.hide()
    await tab._load()
    assert tab.summary.text() == "5 results"


async def test_each_text_of_a_row_is_shown_and_copied(desk: Desk, qtbot: QtBot) -> None:
    desk.queries.tasks = {1: task(1, DONE, output="/out/1.txt", more=("/out/1-2.txt",))}
    desk.queries.texts = {1: "one"}
    desk.queries.more = {1: (Piece("/out/1-2.txt", "two"),)}
    tab = await shown(desk)
    await until(lambda: tab.model.row(1) is not None)
    await until(lambda: tab.model.index(0, 0).data(TEXT_ROLE) == "one")
    assert tab.model.index(1, 0).data(TEXT_ROLE) == "two"
    tab.view.setCurrentIndex(tab.model.index(1, 0))
    tab._copy()
    await until(lambda: QApplication.clipboard().text() == "two")


async def test_pictures_are_dragged_out_as_copies_of_their_files(
    desk: Desk, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = await filled(desk, tmp_path)
    dragged: list[tuple[list[str], Qt.DropAction]] = []

    def held(self: QDrag, actions: Qt.DropAction, _default: Qt.DropAction) -> Qt.DropAction:
        dragged.append(([url.toLocalFile() for url in self.mimeData().urls()], actions))
        return actions

    monkeypatch.setattr(QDrag, "exec", held)
    tab.view.selectAll()
    view = tab.view.viewport()
    start = tab.view.visualRect(tab.model.index(1, 0)).center()
    qtbot.mousePress(view, LEFT, pos=start)
    for step in (8, 16, 40):
        here = QPointF(start + QPoint(step, step))
        move = QMouseEvent(
            QEvent.Type.MouseMove, here, view.mapToGlobal(here), LEFT, LEFT,
            Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        QApplication.sendEvent(view, move)
    qtbot.mouseRelease(view, LEFT, pos=start)
    outputs = [tab.model.row(at).output for at in range(tab.model.rowCount())]  # type: ignore[union-attr]
    assert dragged == [(outputs, Qt.DropAction.CopyAction)]


async def test_what_cannot_be_dragged_is_said(
    desk: Desk, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = await filled(desk, tmp_path)
    monkeypatch.setattr(QDrag, "exec", lambda *_: pytest.fail("nothing is to be dragged"))
    first = tab.model.row(0)
    assert first is not None
    assert first.output is not None
    (tmp_path / "0001.png").unlink()
    tab.view.selectAll()
    tab.view.drag_began.emit()
    assert desk.answers[-1].text(desk.context.tr) == f"{first.output} is gone or can't be read."
    monkeypatch.setattr("desktop_app.ui.tabs.results_drag.MOST", 1)
    tab.view.drag_began.emit()
    assert desk.answers[-1].text(desk.context.tr).startswith("At most 1 results can be dragged")


async def test_a_hand_does_not_wait_for_every_file_to_be_looked_for(
    desk: Desk, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = await filled(desk, tmp_path)
    places = range(tab.model.rowCount())
    looked_for: list[Path] = []

    def exists(path: Path) -> bool:
        looked_for.append(path)
        return True

    monkeypatch.setattr("desktop_app.ui.tabs.results_drag.LOOKED_AT", 2)
    monkeypatch.setattr(Path, "exists", exists)
    data = files_of(desk.context, tab.model, places)
    assert data is not None
    assert len(data.urls()) == len(places) == 3
    assert [path.name for path in looked_for] == ["0001.png", "0002.png"]
