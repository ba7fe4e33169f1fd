"""What every dialog shares: one inline sentence, work that ends with it, and a clean goodbye."""

from __future__ import annotations

import asyncio

import shiboken6
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.domain.text import OperatorError
from desktop_app.ui.dialogs.sheet import Sheet
from tests.ui.dialogs.dialog_fakes import Desk, plain, settle, until


class Plain(Sheet):
    """A dialog with nothing in it."""

    words = 0

    def retranslate(self) -> None:
        self.words += 1


def opened(desk: Desk) -> Plain:
    sheet = Plain(desk.context, desk.window)
    sheet.open()
    return sheet


async def test_it_is_modal_to_its_window_only(desk: Desk, qtbot: QtBot) -> None:
    sheet = opened(desk)

    assert sheet.windowModality() is Qt.WindowModality.WindowModal
    sheet.reject()


async def test_an_operator_error_is_said_inline(desk: Desk, qtbot: QtBot) -> None:
    sheet = opened(desk)

    async def fail() -> None:
        raise OperatorError(plain("The disk is full."))

    sheet.run(fail)
    await until(lambda: sheet.notice.text == "The disk is full.")

    assert desk.errors == []
    sheet.reject()


async def test_its_work_ends_with_it_and_it_is_deleted(desk: Desk, qtbot: QtBot) -> None:
    sheet = opened(desk)
    ended: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    sheet.run(wait)
    await settle()
    sheet.reject()
    await until(lambda: ended == ["cancelled"])
    await settle()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    assert not shiboken6.isValid(sheet)
    desk.context.signals.language_changed.emit()
    desk.context.theme.changed.emit()


async def test_work_asked_for_at_the_end_never_begins(desk: Desk, qtbot: QtBot) -> None:
    sheet = opened(desk)
    begun: list[int] = []

    async def begin() -> None:
        begun.append(1)

    sheet.run(begin)
    sheet.reject()
    await settle()

    assert begun == []


async def test_locked_it_stays(desk: Desk, qtbot: QtBot) -> None:
    sheet = opened(desk)
    sheet.locked = True

    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    assert sheet.isVisible()
    sheet.locked = False
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)

    assert not sheet.isVisible()


async def test_a_new_language_is_spoken_at_once(desk: Desk, qtbot: QtBot) -> None:
    sheet = opened(desk)

    desk.context.set_language("zh_CN")
    desk.context.set_language("en")

    assert sheet.words == 2
    sheet.reject()
