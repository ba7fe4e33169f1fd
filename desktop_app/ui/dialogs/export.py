"""Choosing where an export goes, in the three formats there are, without stopping the loop."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.domain.text import Translator
from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.folders import remember, start_in

LAST_FOLDER = "export_folder"


def choose_export(
    context: UiContext, parent: QWidget, batch_id: int, sheet: str, *, failures: bool
) -> QFileDialog:
    """Ask for a file, then write the batch's failures or results into it and say so; ``sheet`` is
    the path of the batch's sheet, whose name the proposal takes."""
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
    chooser.setDirectory(start_in(context, LAST_FOLDER))
    chooser.selectFile(_name(tr, sheet, failures=failures))

    def go(target: str) -> None:
        remember(context, LAST_FOLDER, target)
        context.spawn(_write(context, batch_id, Path(target), failures))

    chooser.fileSelected.connect(go)
    chooser.open()
    return chooser


def _name(tr: Translator, sheet: str, *, failures: bool) -> str:
    """``Spring shoes results 2026-11-30``: told apart from other sheets' in one folder."""
    what = tr("failures") if failures else tr("results")
    day = datetime.now().astimezone().strftime("%Y-%m-%d")
    return " ".join(part for part in (Path(sheet).stem, what, day) if part)


async def _write(context: UiContext, batch_id: int, target: Path, failures: bool) -> None:
    exports = context.services.exports
    done = await (exports.failures if failures else exports.results)(batch_id, target)

    def text(tr: Translator) -> str:
        return tr.plural("{n} row saved: {name}", "{n} rows saved: {name}", done.rows, name=name)

    name = done.path.name
    context.signals.answered.emit(Answer(text, done.path))
