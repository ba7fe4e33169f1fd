"""A failure sheet on the window: back to its batch, or a new sheet where a person wants that."""

from __future__ import annotations

from pathlib import Path

from desktop_app.ui.dialogs.pre_run import PreRunDialog
from desktop_app.ui.dialogs.returned import ReturnedDialog
from tests.ui.conftest import Run, Stage, until
from tests.ui.dialogs.test_returned import a_plan
from tests.ui.test_main_window import Build, SheetFakes

SHEET = Path("/x/Spring shoes failures.xlsx")


async def dropped(built: Stage) -> ReturnedDialog:
    built.fakes.failure_sheets.plans[SHEET] = a_plan()
    window = await built.show()
    built.context.signals.request_import.emit([str(SHEET)])
    await until(lambda: window.findChild(ReturnedDialog), "the failure sheet's own dialog")
    dialog = window.findChild(ReturnedDialog)
    assert isinstance(dialog, ReturnedDialog)
    return dialog


def test_its_rows_go_back(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage()
        dialog = await dropped(built)
        said: list[str] = []
        built.context.signals.answered.connect(
            lambda answer: said.append(answer.text(built.context.tr))
        )
        dialog.go.click()
        await until(lambda: said == ["41 rows were requeued."])
        assert built.window is not None
        assert built.window.findChild(PreRunDialog) is None

    run(go())


def test_a_person_may_import_it_as_a_new_sheet(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage()
        imports = SheetFakes()
        object.__setattr__(built.fakes.services, "imports", imports)
        dialog = await dropped(built)
        dialog.new.click()
        await until(lambda: imports.opened, "the pre-run sheet")
        assert built.window is not None
        opened = built.window.findChild(PreRunDialog)
        assert isinstance(opened, PreRunDialog)
        opened.reject()
        await until(lambda: imports.forgotten)

    run(go())
