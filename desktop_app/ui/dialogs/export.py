"""Choosing where an export goes, in the three formats there are, without stopping the loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.ui.context import UiContext

LAST_FOLDER = "export_folder"


def choose_export(
    context: UiContext,
    parent: QWidget,
    name: str,
    write: Callable[[Path], Awaitable[None]],
) -> QFileDialog:
    """Ask for a file, proposing ``name``, then run ``write`` with it."""
    tr = context.tr
    filters = {
        tr("Excel workbook (*.xlsx)"): ".xlsx",
        tr("CSV (*.csv)"): ".csv",
        tr("JSON lines (*.jsonl)"): ".jsonl",
    }
    chooser = QFileDialog(parent, tr("Export"))
    chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    chooser.setNameFilters(list(filters))
    chooser.setDefaultSuffix("xlsx")
    chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    chooser.filterSelected.connect(lambda chosen: chooser.setDefaultSuffix(filters[chosen][1:]))
    folder = context.services.preferences.get(LAST_FOLDER)
    if folder:
        chooser.setDirectory(str(folder))
    chooser.selectFile(name)

    def go(target: str) -> None:
        context.services.preferences.set(LAST_FOLDER, str(Path(target).parent))
        context.spawn(_write(write, Path(target)))

    chooser.fileSelected.connect(go)
    chooser.open()
    return chooser


async def _write(write: Callable[[Path], Awaitable[None]], target: Path) -> None:
    await write(target)
