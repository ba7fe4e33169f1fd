"""Choosing where an export goes, in the three formats there are, without stopping the loop."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.domain.text import message
from desktop_app.ui.context import UiContext

LAST_FOLDER = "export_folder"


def choose_export(
    context: UiContext, parent: QWidget, batch_id: int, *, failures: bool
) -> QFileDialog:
    """Ask for a file, then write the batch's failures or results into it and say so."""
    tr = context.tr
    filters = {
        tr("Excel workbook (*.xlsx)"): ".xlsx",
        tr("CSV (*.csv)"): ".csv",
        tr("JSON lines (*.jsonl)"): ".jsonl",
    }
    chooser = QFileDialog(parent, tr("Export failures") if failures else tr("Export results"))
    chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    chooser.setNameFilters(list(filters))
    chooser.setDefaultSuffix("xlsx")
    chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    chooser.filterSelected.connect(lambda chosen: chooser.setDefaultSuffix(filters[chosen][1:]))
    folder = context.services.preferences.get(LAST_FOLDER)
    if folder:
        chooser.setDirectory(str(folder))
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d %H%M")
    name = tr("failures") if failures else tr("results")
    chooser.selectFile(f"{name} {stamp}")

    def go(target: str) -> None:
        context.services.preferences.set(LAST_FOLDER, str(Path(target).parent))
        context.spawn(_write(context, batch_id, Path(target), failures))

    chooser.fileSelected.connect(go)
    chooser.open()
    return chooser


async def _write(context: UiContext, batch_id: int, target: Path, failures: bool) -> None:
    exports = context.services.exports
    done = await (exports.failures if failures else exports.results)(batch_id, target)
    text = context.tr.plural(
        "{n} row was exported to {path}.",
        "{n} rows were exported to {path}.",
        done.rows,
        path=done.path,
    )
    context.say(message("text.plain", text=text))
