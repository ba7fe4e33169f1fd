"""The support file is a menu away, and its place is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from tests.ui.conftest import Run, Stage, until
from tests.ui.fakes import make_row

Build = Callable[..., Stage]


def test_help_saves_a_support_file_and_tells_where(stage: Build, run: Run, tmp_path: Path) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(1)])
        window = await built.show()
        told: list[str] = []
        built.context.signals.answered.connect(
            lambda answer: told.append(answer.text(built.context.tr))
        )
        action = window.actions_["support"]
        menus = [menu for menu in window.menuBar().actions() if menu.text() == "&Help"]
        assert action in menus[0].menu().actions()
        action.trigger()
        (chooser,) = window.findChildren(QFileDialog)
        assert chooser.selectedFiles()[0].endswith(".zip")
        chooser.fileSelected.emit(str(tmp_path / "help.zip"))
        chooser.close()
        await until(lambda: told)
        assert told == ["Support file saved: help.zip"]
        assert built.fakes.services.support.targets == [tmp_path / "help.zip"]  # type: ignore[attr-defined]

    run(go())
