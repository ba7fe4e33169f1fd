"""A failure sheet that comes back is said in numbers before anything is done with it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.domain.money import Money
from desktop_app.domain.ports import SheetInfo
from desktop_app.domain.ports.failure_store import KnownFailure, ReturnedRow
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import Doubts
from desktop_app.services.failure_sheets import ReturnPlan
from desktop_app.ui.dialogs.returned import ReturnedDialog
from tests.ui.dialogs.dialog_fakes import Desk, until
from tests.ui.fakes import make_batch

LEFT = Qt.MouseButton.LeftButton


def row(row_no: int, *, edited: bool = False, state: TaskState = TaskState.FAILED) -> ReturnedRow:
    known = KnownFailure(row_no, f"t{row_no}", 1, row_no, state, 1, 1, ("p",), "p", usable=True)
    return ReturnedRow(known, Draft(row_no, ("q",), Request("q"), "s") if edited else None)


def a_plan(**changes: Any) -> ReturnPlan:
    path = Path("/x/Spring shoes failures.xlsx")
    info = SheetInfo(path, path, "", ("prompt", "task_id"), None, None, None, "Sheet")
    plan = ReturnPlan(
        info,
        rows=(*(row(n, edited=n < 14) for n in range(2, 43)),),
        doubtful=tuple(row(n, state=TaskState.UNCERTAIN) for n in range(50, 53)),
        refused=(
            message("services.returned_done", row=60),
            message("services.returned_running", row=61),
        ),
        doubts=Doubts(3, worst=(Money(Decimal("0.12"), "USD"),)),
        batches=(make_batch(),),
    )
    return replace(plan, **changes)


async def opened(desk: Desk, qtbot: QtBot, plan: ReturnPlan) -> ReturnedDialog:
    dialog = ReturnedDialog(desk.context, plan, desk.window)
    dialog.open()
    await until(dialog.isVisible)
    return dialog


async def test_what_is_left_and_what_may_be_paid_twice_is_said_first(
    desk: Desk, qtbot: QtBot
) -> None:
    dialog = await opened(desk, qtbot, a_plan())
    assert dialog.heading.text() == "Requeue these 41 rows with the edited prompts?"
    assert dialog.lead.text() == (
        "Spring shoes failures.xlsx holds failures of: Spring shoes. 12 rows were edited and go as "
        "new requests. 29 rows are sent again as they were."
    )
    assert dialog.refused.toPlainText() == "Row 60 is done by now.\nRow 61 is running."
    assert dialog.price.text() == "It may be paid twice: up to 0.12 USD more."
    assert not dialog.uncertain.isChecked()
    assert dialog.go.text() == "Requeue 41 rows"
    qtbot.mouseClick(dialog.uncertain, LEFT)
    assert dialog.go.text() == "Requeue 44 rows"
    assert desk.failure_sheets.requeued == []


@pytest.mark.parametrize("uncertain", [False, True])
async def test_a_press_requeues_what_was_said(desk: Desk, qtbot: QtBot, uncertain: bool) -> None:
    plan = a_plan()
    dialog = await opened(desk, qtbot, plan)
    counts: list[int] = []
    dialog.requeued.connect(counts.append)
    dialog.uncertain.setChecked(uncertain)
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: counts == [44 if uncertain else 41])
    assert desk.failure_sheets.requeued == [(plan, uncertain)]


async def test_where_all_have_moved_on_nothing_can_be_pressed_but_the_ways_out(
    desk: Desk, qtbot: QtBot
) -> None:
    dialog = await opened(desk, qtbot, a_plan(rows=(), doubtful=(), batches=()))
    assert dialog.heading.text() == "No row of this sheet can be requeued as it is"
    assert not dialog.go.isEnabled()
    assert dialog.uncertain.isHidden()
    asked: list[bool] = []
    dialog.as_new.connect(lambda: asked.append(True))
    qtbot.mouseClick(dialog.new, LEFT)
    assert asked == [True]
    assert desk.failure_sheets.requeued == []
