"""A damaged list of tasks: plain words, one click, and the technical words behind a line."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from desktop_app.domain.text import OperatorError, Translator, message
from desktop_app.ui.dialogs.restore import RestoreDialog
from desktop_app.ui.theme import Theme
from tests.ui.dialogs.dialog_fakes import Desk

TREE = "*** in database main *** Page 14: btreeInitPage() returns error code 11"


class Hands:
    """What the dialog is handed: counts, and fails when told to."""

    def __init__(self) -> None:
        self.brought = 0
        self.saved: list[Path] = []
        self.trouble: Exception | None = None

    async def bring_back(self) -> None:
        if self.trouble is not None:
            raise self.trouble
        self.brought += 1

    async def save(self, target: Path) -> None:
        self.saved.append(target)


def dialog(
    theme: Theme, hands: Hands, when: str | None = "11:19", reason: str | None = TREE
) -> RestoreDialog:
    made = RestoreDialog(
        Translator("en"), theme, when=when, reason=reason,
        bring_back=hands.bring_back, save=hands.save,
    )  # fmt: skip
    made.show()
    return made


def click(button: QWidget) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


async def test_the_copy_is_brought_back_by_one_click(desk: Desk) -> None:
    hands = Hands()
    shown = dialog(desk.context.theme, hands)
    assert shown.bring.text() == "Bring back the copy of 11:19"
    assert "may be lost" in shown.lead.text()
    assert TREE not in shown.lead.text() + shown.heading.text()
    assert not shown.details.isVisible()
    click(shown.more)
    assert shown.details.isVisible()
    assert shown.details.text() == TREE
    click(shown.bring)
    assert not shown.bring.isEnabled()  # a second click does nothing
    assert await asyncio.wait_for(shown.decided, 60)
    assert hands.brought == 1
    shown.deleteLater()


async def test_what_does_not_work_is_said_and_can_be_tried_again(desk: Desk) -> None:
    hands = Hands()
    hands.trouble = OperatorError(message("services.folder_in_use"))
    shown = dialog(desk.context.theme, hands)
    click(shown.bring)
    assert shown._work is not None
    await shown._work
    assert shown.state.text() == Translator("en").say(message("services.folder_in_use"))
    hands.trouble = None
    click(shown.bring)
    assert await asyncio.wait_for(shown.decided, 60)
    shown.deleteLater()


@pytest.mark.expect_log("could not be brought back")
async def test_a_fault_of_the_program_is_said_by_its_kind_and_can_be_tried_again(
    desk: Desk,
) -> None:
    hands = Hands()
    hands.trouble = RuntimeError("red sneaker")
    shown = dialog(desk.context.theme, hands)
    click(shown.bring)
    assert shown._work is not None
    await shown._work
    said = message("services.unexpected", what="RuntimeError")
    assert shown.state.text() == Translator("en").say(said)
    assert shown.bring.isEnabled()
    hands.trouble = None
    click(shown.bring)
    assert await asyncio.wait_for(shown.decided, 60)
    shown.deleteLater()


async def test_a_lost_file_without_a_copy_is_told_without_details(desk: Desk) -> None:
    shown = dialog(desk.context.theme, Hands(), when=None, reason=None)
    assert shown.heading.text() == "The list of tasks is gone"
    assert not shown.more.isVisible()
    assert shown.bring.text() == "Bring back what can be read"
    click(shown.close_button)
    assert await asyncio.wait_for(shown.decided, 60) is False
    shown.deleteLater()
