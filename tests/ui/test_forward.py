"""A minimized window comes back for a second start as it does for a notification."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop_app import app
from desktop_app.ui.forward import LEAVE, come_forward
from tests.ui.conftest import Run, Stage

MINIMIZED, MAXIMIZED = Qt.WindowState.WindowMinimized, Qt.WindowState.WindowMaximized


@pytest.mark.parametrize("before", [Qt.WindowState.WindowNoState, MAXIMIZED])
def test_it_comes_back_as_large_as_it_was(qtbot: QtBot, before: Qt.WindowState) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setWindowState(before)
    window.show()
    window.setWindowState(before | MINIMIZED)
    come_forward(window)
    assert window.isVisible()
    assert window.windowState() & (MINIMIZED | MAXIMIZED) == before


def test_a_dialog_over_it_stays_over_it(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    dialog = QDialog(window)
    dialog.open()
    raised: list[QWidget] = []
    took: list[QWidget] = []
    monkeypatch.setattr(QWidget, "raise_", lambda widget: raised.append(widget))
    monkeypatch.setattr(QWidget, "activateWindow", lambda widget: took.append(widget))
    come_forward(window)
    assert (raised, took) == ([window, dialog], [dialog])


def test_the_leave_of_another_process_is_there_for_qt_and_for_nobody_after(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    seen: list[str | None] = []
    monkeypatch.setattr(QWidget, "activateWindow", lambda _w: seen.append(os.environ.get(LEAVE)))
    come_forward(window, "token-1")
    come_forward(window)
    assert seen == ["token-1", None]
    assert LEAVE not in os.environ


def test_a_second_start_with_sheets_finds_it(stage: Callable[..., Stage], run: Run) -> None:
    async def go() -> None:
        built = stage()
        window = await built.show()
        asked: list[list[str]] = []
        built.context.signals.request_import.disconnect()
        built.context.signals.request_import.connect(asked.append)
        window.showMinimized()
        app._ask(window, [], "")
        assert not window.isMinimized()
        assert asked == []
        app._ask(window, ["/x/a.csv"], "")
        assert asked == [["/x/a.csv"]]

    run(go())
