"""A first window is as large as its screen has room for, its frame included."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QSize

from desktop_app.ui import panes
from tests.ui.conftest import RESOURCES, Run, Stage


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


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_what_is_searched_for_is_said_in_full_where_the_window_is_narrow(
    stage: Callable[..., Stage], run: Run, language: str
) -> None:
    async def go() -> None:
        built = stage(language=language, locale_dir=RESOURCES / "locale")
        window = await built.show()
        search = window.progress.search
        words = search.fontMetrics().horizontalAdvance(search.placeholderText())
        assert words <= search.minimumWidth() - 44  # the glass at its left, the edges

    run(go())
