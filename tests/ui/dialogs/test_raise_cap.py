"""A new cap is written before the batch goes on; what is no figure goes nowhere."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.domain.money import Money
from desktop_app.domain.text import Message, message
from desktop_app.ui.dialogs.raise_cap import RaiseCapDialog
from tests.ui.dialogs.dialog_fakes import Desk, settle, summary, until

LEFT = Qt.MouseButton.LeftButton
MONEY = message("store.budget_batch", most="2", used="1.98", next="0.04", currency="USD")
CALLS = message("engine.max_calls", n=200)


def opened(desk: Desk, why: Message) -> RaiseCapDialog:
    found = summary()
    cap = Money(Decimal(2), "USD")
    batch = replace(found.batch, budget=cap, max_calls=200, pause_reason=why)
    dialog = RaiseCapDialog(desk.context, replace(found, batch=batch), desk.window)
    dialog.open()
    return dialog


@pytest.mark.parametrize(
    ("why", "typed", "cap"),
    [(MONEY, "2,50", (None, Decimal("2.50"))), (CALLS, "300", (300, None))],
)
async def test_a_new_cap_is_set_and_the_batch_goes_on(
    desk: Desk, qtbot: QtBot, why: Message, typed: str, cap: tuple[Any, ...]
) -> None:
    dialog = opened(desk, why)
    assert dialog.cap.text() == ("2" if why is MONEY else "200")
    dialog.cap.clear()
    qtbot.keyClicks(dialog.cap, typed)
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: desk.runs.started == [5])
    assert desk.runs.caps == [(5, *cap)]
    assert not dialog.isVisible()


@pytest.mark.parametrize(("why", "typed"), [(MONEY, ""), (MONEY, "two"), (CALLS, "1.5")])
async def test_what_is_no_figure_is_said(
    desk: Desk, qtbot: QtBot, why: Message, typed: str
) -> None:
    dialog = opened(desk, why)
    dialog.cap.setText(typed)
    qtbot.mouseClick(dialog.go, LEFT)
    await settle()
    assert "The cap must be" in dialog.notice.text
    assert desk.runs.caps == []
    assert dialog.isVisible()


async def test_a_cap_that_cannot_be_kept_is_said(desk: Desk, qtbot: QtBot) -> None:
    desk.runs.start_error = message("store.budget_no_price", name="fal")
    dialog = opened(desk, MONEY)
    qtbot.mouseClick(dialog.go, LEFT)
    await until(lambda: "without a price" in dialog.notice.text)
    assert dialog.isVisible()
