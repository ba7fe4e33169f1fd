"""The window asks for reference pictures only where the model takes some."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.domain.ports import Param
from desktop_app.domain.references import FURTHER, REFERENCE
from desktop_app.ui.dialogs.pre_run_params import ParamForm
from tests.ui.dialogs.dialog_fakes import PARAMS, Desk
from tests.ui.dialogs.test_pre_run import opened

SHOWN = (
    Param(REFERENCE, "reference", (), "Reference pictures"),
    Param(FURTHER, "reference", (), "More reference pictures"),
)


async def test_columns_of_pictures_or_none(desk: Desk, qtbot: QtBot) -> None:
    form = ParamForm(desk.context)
    qtbot.addWidget(form)
    form.fill((*PARAMS, *SHOWN), ("prompt", "front", "back"), {REFERENCE: "@front"}, {})
    assert form.params() == {REFERENCE: "@front"}
    row = form._rows[-1]
    assert (row.label.text(), row.source.itemText(0)) == ("More reference pictures", "No pictures")
    form.choose({REFERENCE: "style.png", FURTHER: "@back"})
    assert form.params() == {REFERENCE: "style.png", FURTHER: "@back"}


async def test_the_parameters_of_the_very_connection_are_asked_for(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []

    def params(*of: Any) -> tuple[Param, ...]:
        asked.append(of)
        return PARAMS

    monkeypatch.setattr(desk.connections, "params", params)
    dialog = await opened(desk, qtbot)
    connection = dialog.form.picker.connection
    assert connection is not None
    assert asked[-1] == (connection.adapter, connection)
