"""Prompts and answers of providers are shown as the text they are: no label, tool tip or box of
the window takes them for HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLabel,
    QMessageBox,
    QTextEdit,
    QToolTip,
    QWidget,
)

import desktop_app.ui
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import AccountState, ConnectionView
from desktop_app.ui.dialogs.connection import ConnectionDialog
from desktop_app.ui.dialogs.edit_prompt import EditPromptDialog
from desktop_app.ui.dialogs.settle import SettleDialog
from tests.ui.conftest import Run, Stage, until
from tests.ui.fakes import make_attempt, make_batch, make_detail, make_row

Build = Callable[..., Stage]
HOSTILE = '<img src="file:///etc/hostname"><b>bold</b> <a href="http://evil.example">click</a>'
SAID = message("text.plain", text=HOSTILE)


@pytest.fixture
def hostile(stage: Build, tmp_path: Path) -> Stage:
    """A window in which everything that others wrote is HTML."""
    states = (TaskState.DEAD, TaskState.FAILED, TaskState.UNCERTAIN, TaskState.SUCCESS)
    rows = [
        make_row(pk, state, prompt=HOSTILE, key=HOSTILE, note=SAID, error_class=HOSTILE)
        for pk, state in enumerate(states, 1)
    ]
    built = stage(rows=rows)
    attempts = (make_attempt(1, "unknown", body=HOSTILE, said=SAID, request_id=HOSTILE),)
    for row in rows:
        built.fakes.queries.details[row.pk] = make_detail(row, attempts)
    built.fakes.queries.batch_list[0] = make_batch(name=HOSTILE, out_dir=str(tmp_path / "<b>out"))
    built.fakes.connections.list.append(
        ConnectionView(3, HOSTILE, "openai-images", HOSTILE, HOSTILE, AccountState.PAUSED, SAID)
    )
    return built


def labels(top: QWidget) -> list[QLabel]:
    found = top.findChildren(QLabel)
    for label in found:
        label.ensurePolished()
    return found


def assert_plain(top: QWidget) -> list[QLabel]:
    """Every label in it; returns those that show the hostile text."""
    hostile = []
    for label in labels(top):
        if HOSTILE in label.text():
            hostile.append(label)
        if label.property("rich"):
            assert HOSTILE not in label.text()
        else:
            assert label.textFormat() is Qt.TextFormat.PlainText, label.text()
    assert not top.findChildren(QTextEdit)
    return hostile


def test_every_label_of_the_window_shows_plain_text(
    hostile: Stage, run: Run, qapp: QApplication
) -> None:
    async def go() -> None:
        window = await hostile.show()
        window.detail.show_task(1)
        hostile.context.say_error(SAID)
        for tab in (window.needs_you, window.results, window.progress):
            window.tabs.setCurrentWidget(tab)
            await until(tab.isVisible)
        await until(lambda: window.detail.detail is not None)
        await until(lambda: HOSTILE in window.banner.text.text())
        found = assert_plain(window)
        for part in (window.banner, window.detail, window.needs_you):
            assert [label for label in found if part.isAncestorOf(label)], part

    run(go())


def test_dialogs_show_plain_text(hostile: Stage, run: Run, qapp: QApplication) -> None:
    async def go() -> None:
        window = await hostile.show()
        opened = (
            SettleDialog(hostile.context, 3, window),
            EditPromptDialog(hostile.context, 1, window),
            ConnectionDialog(hostile.context, await hostile.fakes.connections.get(3), window),
        )
        for dialog in opened:
            dialog.failed(SAID)
            dialog.show()
            assert assert_plain(dialog) == [dialog.notice.label]
            dialog.reject()
        assert [label for label in labels(opened[-1]) if label.property("rich")]

    run(go())


def tips(window: QWidget) -> Iterator[str]:
    for widget in window.findChildren(QWidget):
        yield widget.toolTip()
    for view in window.findChildren(QAbstractItemView):
        yield from _tips(view.model(), QModelIndex())


def _tips(model: QAbstractItemModel | None, parent: QModelIndex) -> Iterator[str]:
    if model is None:
        return
    for row in range(min(model.rowCount(parent), 20)):
        # Lists keep their one column to themselves.
        columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
        for column in range(columns):
            index = model.index(row, column, parent)
            yield str(index.data(Qt.ItemDataRole.ToolTipRole) or "")
            if column == 0:
                yield from _tips(model, index)


def test_tool_tips_show_plain_text(hostile: Stage, run: Run, qapp: QApplication) -> None:
    async def go() -> None:
        window = await hostile.show()
        shown = [tip for tip in tips(window) if HOSTILE in tip]
        assert shown
        for tip in shown:
            QToolTip.showText(QPoint(5, 5), tip, window)
            (label,) = (w for w in qapp.allWidgets() if w.metaObject().className() == "QTipLabel")
            assert isinstance(label, QLabel)
            label.ensurePolished()
            assert label.text() == tip
            assert label.textFormat() is Qt.TextFormat.PlainText
        QToolTip.hideText()

    run(go())


def test_a_box_without_a_window_shows_plain_text(hostile: Stage, qapp: QApplication) -> None:
    box = QMessageBox(QMessageBox.Icon.Information, "Batchwright", HOSTILE)
    box.show()
    assert [label.text() for label in assert_plain(box)] == [HOSTILE]
    box.close()
    box.deleteLater()


RICH = re.compile(r"RichText|AutoText|MarkdownText|setHtml|setMarkdown|QTextBrowser|QTextEdit\(")
RICH_LABEL = re.compile(r'setProperty\("rich"')


def test_only_the_link_to_a_console_is_rich_text() -> None:
    folder = Path(str(desktop_app.ui.__file__)).parent
    found: dict[str, Any] = {}
    for file in folder.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if file.name != "style.py":
            assert not RICH.search(text), file
        if RICH_LABEL.search(text):
            found[file.name] = len(RICH_LABEL.findall(text))
    assert found == {"connection_notes.py": 1}
