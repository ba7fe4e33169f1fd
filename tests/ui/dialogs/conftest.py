"""A desk of fakes for every dialog test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from tests.ui.dialogs.dialog_fakes import Desk, make_desk, settle


@pytest.fixture
async def desk(qtbot: QtBot, tmp_path: Path) -> AsyncIterator[Desk]:
    """Everything a dialog is handed; what it started is over when the test is."""
    made = make_desk(tmp_path)
    made.window.show()
    yield made
    await made.spawner.finish()
    await settle()
    # At once and in order: widgets left to the garbage collector vanish in the middle of things.
    shiboken6.delete(made.window)
