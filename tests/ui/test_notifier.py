"""Notifications go to who is elsewhere, by the best way there is; a click leads to the matter."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from desktop_app.domain.events import AlertKind, Notification
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.ui.forward import LEAVE
from desktop_app.ui.main_window import MainWindow
from tests.ui.conftest import Run, Stage, until
from tests.ui.fakes import make_batch, make_row

State = Qt.ApplicationState


def told(
    kind: AlertKind = AlertKind.ROWS, batch_id: int = 1, needs_you: bool = True
) -> Notification:
    title = message("alerts.rows", batch="Spring shoes", n=12)
    said = message("alerts.part_dead", n=12)
    return Notification(f"batch-{batch_id}", kind, title, (said,), batch_id, needs_you)


class Desktop:
    """Where the operator looks, and what task bar and tray were made to do."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.state = State.ApplicationInactive
        self.marked = 0
        self.tray: list[tuple[str, str]] = []
        self.has_tray = False
        monkeypatch.setattr(QGuiApplication, "applicationState", lambda: self.state)
        monkeypatch.setattr(QApplication, "alert", self._mark)
        monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: self.has_tray)
        monkeypatch.setattr(QSystemTrayIcon, "supportsMessages", lambda: True)
        monkeypatch.setattr(QSystemTrayIcon, "showMessage", self._message)

    def _mark(self, _window: object) -> None:
        self.marked += 1

    def _message(self, title: str, body: str, _icon: QIcon) -> None:
        self.tray.append((title, body))


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> Desktop:
    return Desktop(monkeypatch)


async def publish(stage: Stage, window: MainWindow, event: Notification) -> None:
    stage.fakes.bus.publish(event)
    window.bridge.flush()
    await stage.context.spawn.settle()  # type: ignore[attr-defined]


def test_who_looks_on_is_left_alone(
    run: Run, stage: Callable[..., Stage], desktop: Desktop
) -> None:
    async def body() -> None:
        here = stage(rows=[make_row(1)])
        window = await here.show()
        desktop.state = State.ApplicationActive
        await publish(here, window, told())
        assert (desktop.marked, here.fakes.desktop.shown) == (0, [])

    run(body())


def test_who_is_elsewhere_is_told_and_needs_no_more_once_back(
    run: Run, stage: Callable[..., Stage], desktop: Desktop
) -> None:
    async def body() -> None:
        here = stage(rows=[make_row(1)])
        window = await here.show()
        await publish(here, window, told())
        assert desktop.marked == 1
        assert here.fakes.desktop.shown == [
            ("batch-1", "Spring shoes: 12 rows need you", "12 failed after every retry", "Open")
        ]
        assert desktop.tray == []
        for _ in range(2):
            window.notifier._on_state(State.ApplicationActive)
            await here.context.spawn.settle()  # type: ignore[attr-defined]
        assert here.fakes.desktop.withdrawn == 1

    run(body())


@pytest.mark.parametrize("has_tray", [True, False])
def test_without_a_desktop_service_the_tray_tells_where_there_is_one(
    run: Run, stage: Callable[..., Stage], desktop: Desktop, has_tray: bool
) -> None:
    async def body() -> None:
        here = stage(rows=[make_row(1)])
        window = await here.show()
        here.fakes.desktop.works = False
        desktop.has_tray = has_tray
        await publish(here, window, told())
        await publish(here, window, told())
        assert desktop.marked == 2
        said = ("Spring shoes: 12 rows need you", "12 failed after every retry")
        assert desktop.tray == ([said] * 2 if has_tray else [])
        assert len(window.findChildren(QSystemTrayIcon)) == int(has_tray)

    run(body())


@pytest.mark.parametrize(
    ("kind", "needs_you", "tab"),
    [
        (AlertKind.ROWS, True, "needs_you"),
        (AlertKind.FINISHED, True, "needs_you"),
        (AlertKind.FINISHED, False, "results"),
        (AlertKind.STOPPED, False, "progress"),
    ],
)
@pytest.mark.parametrize("way", ["desktop", "tray"])
def test_a_click_opens_the_batch_and_tab_it_speaks_of(
    run: Run,
    stage: Callable[..., Stage],
    desktop: Desktop,
    kind: AlertKind,
    needs_you: bool,
    tab: str,
    way: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def body() -> None:
        here = stage(rows=[make_row(1), make_row(2, TaskState.DEAD, batch_id=2)])
        here.fakes.add_batch(make_batch(2, "Autumn"))
        window = await here.show()
        here.context.signals.batch_selected.emit(2)
        await until(lambda: window.watch.now.batch_id == 2)
        other = window.progress if tab != "progress" else window.results
        window.tabs.setCurrentWidget(other)
        window.showMinimized()
        here.fakes.desktop.works = way == "desktop"
        desktop.has_tray = True
        await publish(here, window, told(kind, 1, needs_you))
        if way == "desktop":
            leaves: list[str | None] = []
            monkeypatch.setattr(
                QWidget, "activateWindow", lambda _window: leaves.append(os.environ.get(LEAVE))
            )
            here.fakes.desktop.click("batch-1", "leave-to-rise")
            assert leaves == ["leave-to-rise"]
        else:
            window.findChildren(QSystemTrayIcon)[0].messageClicked.emit()
        await until(lambda: window.watch.now.batch_id == 1)
        assert not window.isMinimized()
        assert window.tabs.currentWidget() is getattr(window, tab)

    run(body())
