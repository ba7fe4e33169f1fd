"""Sheets that came together: a fault in one is said, and is the end of no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop_app.ui import import_flow
from desktop_app.ui.dialogs.pre_run import PreRunDialog
from tests.ui.conftest import Run, Stage, until
from tests.ui.dialogs.dialog_fakes import FakeImports

Build = Callable[..., Stage]


@pytest.mark.expect_log("a window action failed")
@pytest.mark.parametrize("where", ["look", "ask"])
def test_a_fault_in_one_sheet_does_not_strand_those_behind_it(
    stage: Build, run: Run, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    async def go() -> None:
        built = stage()
        imports = FakeImports()
        object.__setattr__(built.fakes.services, "imports", imports)
        window = await built.show()

        async def look(path: Path) -> None:
            if where == "look" and path.name == "first.csv":
                raise RuntimeError("nobody thought of this")

        take = import_flow.ImportFlow._import_new

        def ask(flow: Any, path: Path) -> None:
            if where == "ask" and path.name == "first.csv":
                raise RuntimeError("nobody thought of this")
            take(flow, path)

        monkeypatch.setattr(built.fakes.failure_sheets, "look", look)
        monkeypatch.setattr(import_flow.ImportFlow, "_import_new", ask)
        built.context.signals.request_import.emit(["/x/first.csv", "/x/second.csv"])
        await until(lambda: imports.opened, "the second sheet")
        (dialog,) = window.findChildren(PreRunDialog)
        assert dialog.heading.text() == "second.csv"
        assert "RuntimeError" in window.banner.text.text()
        dialog.reject()
        await until(lambda: imports.forgotten)

    run(go())
