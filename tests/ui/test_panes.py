"""A first window is as large as its screen has room for, its frame included."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QSize

from desktop_app.ui import panes
from tests.ui.conftest import Run, Stage


def test_a_first_window_is_no_larger_than_its_screen(
    stage: Callable[..., Stage], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panes, "FRESH", QSize(9000, 9000))

    async def go() -> None:
        built = stage()
        window = await built.show()
        window.panes.restore(window)
        room = window.screen().availableGeometry()
        assert window.height() == room.height() - 40  # the title above it
        assert window.width() == max(room.width() - 16, window.minimumWidth())

    run(go())
