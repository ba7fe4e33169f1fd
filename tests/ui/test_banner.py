"""A line comes and goes while the pointer rests, and is pressed only by who has read it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QWidget,
)

from desktop_app.domain.batch import RunState
from desktop_app.domain.events import BatchChanged
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import Banner, BannerAction
from desktop_app.ui import banner as banner_module
from desktop_app.ui.answer import Answer
from desktop_app.ui.banner import READ_MS
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.requeued import requeued
from tests.ui.conftest import Run, Stage, until
from tests.ui.fakes import make_batch, make_row

Build = Callable[..., Stage]
S = TaskState
LEFT = Qt.MouseButton.LeftButton


def _rows() -> list[Any]:
    return [make_row(pk, S.SUCCESS if pk <= 30 else S.FAILED) for pk in range(1, 51)]


def _said(text: str) -> Any:
    return message("text.plain", text=text)


def _move(window: QWidget, x: float) -> None:
    at, on_screen = QPointF(x, 300.0), window.mapToGlobal(QPointF(x, 300.0))
    kind, none = QEvent.Type.MouseMove, Qt.MouseButton.NoButton
    moved = QMouseEvent(kind, at, on_screen, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window.windowHandle(), moved)


def test_nothing_moves_while_the_pointer_is_on_its_way(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()

        def places() -> list[QPoint]:
            window.centralWidget().layout().activate()
            watched = [
                *window.tabs.currentWidget().findChildren(QAbstractButton),
                *window.tabs.currentWidget().findChildren(QAbstractItemView),
                window.tabs.tabBar(),
            ]
            return [each.mapTo(window, QPoint(0, 0)) for each in watched]

        for tab in (window.progress, window.needs_you, window.results):
            window.tabs.setCurrentWidget(tab)
            await until(lambda: window.banner.calm.is_settled)
            before = places()
            _move(window, 300)
            window.banner.set_banners([Banner("k", "info", _said("finished"))])
            assert not window.banner.calm.is_settled
            assert places() == before
            await until(lambda: window.banner.slot.height() > 0)  # it rests
            assert window.banner.isVisible()
            opened = places()
            assert opened != before
            _move(window, 320)
            window.banner.set_banners([])
            assert places() == opened
            await until(lambda: window.banner.slot.height() == 0)
            assert places() == before

    run(go())


def test_the_first_pages_buttons_stay_where_they_are_when_a_line_comes(
    stage: Build, run: Run
) -> None:
    async def go() -> None:
        window = await stage().show()
        first = window.first_start

        def places() -> list[QPoint]:
            window.centralWidget().layout().activate()
            first.layout().activate()
            buttons = first.findChildren(QAbstractButton)
            return [each.mapTo(window, QPoint(0, 0)) for each in buttons]

        for height in (760, 640, 1000):
            window.resize(1280, height)
            await until(lambda: window.banner.calm.is_settled)
            before = places()
            window.banner.set_banners([Banner("k", "info", _said("the key was refused"))])
            await until(lambda: window.banner.slot.height() > 0)
            assert places() == before
            window.banner.set_banners([])
            await until(lambda: window.banner.slot.height() == 0)
            assert places() == before

    run(go())


def test_what_comes_up_under_the_pointer_is_not_pressed(
    stage: Build, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()
        pressed: list[BannerAction] = []
        window.banner.acted.disconnect()
        window.banner.acted.connect(lambda _banner, action: pressed.append(action))
        button = window.banner.buttons[0]
        window.banner.set_banners([Banner("k", "info", _said("one"), (BannerAction.REVIEW,))])
        QTest.mouseClick(button, LEFT)  # the pointer came from elsewhere
        assert pressed == [BannerAction.REVIEW]
        over = button.mapToGlobal(button.rect().center())
        monkeypatch.setattr(banner_module.QCursor, "pos", lambda: over)
        paid = Banner("l", "warning", _said("two"), (BannerAction.RESUME,))
        window.banner.set_banners([paid])
        QTest.mouseClick(button, LEFT)
        assert pressed == [BannerAction.REVIEW]
        window.banner.set_banners([replace(paid, said=_said("three"))])  # the same, told anew
        await asyncio.sleep(READ_MS / 1000 + 0.1)
        QTest.mouseClick(button, LEFT)
        assert pressed == [BannerAction.REVIEW, BannerAction.RESUME]

    run(go())


async def _after_requeue(stage: Build, count: int) -> tuple[Stage, MainWindow]:
    """Rows of a batch that stands still were requeued."""
    built = stage(rows=_rows())
    built.fakes.queries.batch_list = [make_batch(1, run_state=RunState.PAUSED)]
    window = await built.show()
    built.context.signals.answered.emit(requeued(count, (1,)))
    return built, window


def test_rows_requeued_in_a_batch_that_stands_still_are_resumed_by_the_answer(
    stage: Build, run: Run
) -> None:
    async def go() -> None:
        built, window = await _after_requeue(stage, 2)
        line = window.banner
        assert line.text.text() == "2 rows were requeued. They are sent once you press Resume."
        assert [b.text() for b in line.buttons if not b.isHidden()] == ["Resume"]
        line.buttons[0].click()
        await until(lambda: ("start", 1) in built.fakes.runs.calls)
        assert not line.isVisible()

    run(go())


def test_an_answer_that_offers_to_resume_goes_once_that_is_done_elsewhere(
    stage: Build, run: Run
) -> None:
    async def go() -> None:
        built, window = await _after_requeue(stage, 1)
        assert window.banner.text.text() == "1 row was requeued. It is sent once you press Resume."
        built.fakes.queries.batch_list = [make_batch(1, run_state=RunState.RUNNING)]
        built.context.services.bus.publish(BatchChanged(1))
        window.bridge.flush()
        await until(lambda: not window.banner.isVisible())

    run(go())


def test_an_answer_that_only_tells_goes_by_itself_and_no_other(
    stage: Build, run: Run, tmp_path: Path
) -> None:
    async def go() -> None:
        built = stage(rows=_rows())
        window = await built.show()
        passing = window.banner.lines.passing
        for answer, stays in (
            (requeued(4, ()), False),
            (requeued(4, (1,)), True),
            (Answer(lambda _tr: "exported", tmp_path / "a.xlsx"), True),
            (Answer(lambda _tr: "lost", severity="error"), True),
        ):
            built.context.signals.answered.emit(answer)
            assert passing.isActive()
            shown = window.banner.text.text()
            passing.timeout.emit()  # its time is over
            assert (window.banner.text.text() == shown and window.banner.isVisible()) is stays

    run(go())


def test_a_requeue_in_a_batch_that_runs_offers_nothing_more() -> None:
    answer = requeued(3, (), left=2)
    assert answer.resume == ()
    assert requeued(0, (1,)).resume == ()
