from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop_app.domain.text import OperatorError, message
from tests.ui.conftest import Run, Stage, until

Build = Callable[..., Stage]


class Pasting:
    """Takes what is pasted as the service does."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, str, str]] = []

    async def pasted(self, text: str, html: str, name: str) -> Path:
        if not text.strip():
            raise OperatorError(message("ingest.nothing_pasted"))
        self.taken.append((text, html, name))
        return Path(f"/sheets/{name}.csv")


def copy(text: str = "", html: str = "", files: tuple[str, ...] = ()) -> None:
    mime = QMimeData()
    if text:
        mime.setText(text)
    if html:
        mime.setHtml(html)
    if files:
        mime.setUrls([QUrl.fromLocalFile(file) for file in files])
    QGuiApplication.clipboard().setMimeData(mime)


def test_ctrl_v_pastes_cells_and_files(stage: Build, run: Run, monkeypatch: Any) -> None:
    async def drive() -> None:
        built = stage(lazy=10)
        window = await built.show()
        imports = Pasting()
        monkeypatch.setattr(built.fakes.imports, "pasted", imports.pasted, raising=False)
        imported: list[str] = []
        monkeypatch.setattr(window.flows, "import_files", imported.extend)

        copy("id\tprompt\r\n1\ta\r\n", "<table><tr><td>id</td></tr></table>")
        QTest.keyClick(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: imported, "the paste")
        ((text, html, name),) = imports.taken
        assert text.startswith("id\tprompt")
        assert "<table>" in html
        assert name.startswith("Pasted 20")
        assert imported == [f"/sheets/{name}.csv"]

        copy(files=("/x/a.csv", "/x/春季.csv"))
        window.actions_["paste"].trigger()
        assert imported[1:] == ["/x/a.csv", "/x/春季.csv"]

    run(drive())


def test_ctrl_v_in_the_search_field_is_the_fields(stage: Build, run: Run) -> None:
    async def drive() -> None:
        built = stage(lazy=10)
        window = await built.show()
        window.actions_["find"].trigger()
        field = QApplication.focusWidget()
        assert field is not None
        copy("shoe")
        QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        assert field.property("text") == "shoe"

    run(drive())
