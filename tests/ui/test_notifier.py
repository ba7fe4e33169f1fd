"""The task bar tells of a finished batch, unless the operator looks on or wants quiet."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.domain.events import BatchFinished, TasksChanged
from desktop_app.ui.notifier import Notifier
from tests.ui.dialogs.dialog_fakes import make_desk


@pytest.mark.parametrize(
    ("event", "wanted", "looking", "told"),
    [
        (BatchFinished(5), True, False, 1),
        (BatchFinished(5), False, False, 0),
        (BatchFinished(5), True, True, 0),
        (TasksChanged(5), True, False, 0),
    ],
)
def test_tells_only_who_is_elsewhere(
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    event: object,
    wanted: bool,
    looking: bool,
    told: int,
) -> None:
    desk = make_desk(tmp_path)
    desk.preferences.values["notify"] = wanted
    qtbot.addWidget(desk.window)
    alerts: list[object] = []
    monkeypatch.setattr(QApplication, "alert", alerts.append)
    monkeypatch.setattr(desk.window, "isActiveWindow", lambda: looking)
    notifier = Notifier(desk.context, desk.window)

    desk.context.signals.events.emit([event])

    assert len(alerts) == told
    assert notifier.parent() is desk.window
