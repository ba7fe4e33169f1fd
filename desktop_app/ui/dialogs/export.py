"""Choosing where an export goes, in the three formats there are, without stopping the loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.domain.text import Translator
from desktop_app.services.export_batch import Exported
from desktop_app.services.import_plan import ImportPlan
from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.folders import remember, start_in

LAST_FOLDER = "export_folder"


def choose_export(
    context: UiContext, parent: QWidget, batch_id: int, sheet: str, *, failures: bool
) -> QFileDialog:
    """Ask for a file, then write the batch's failures or results into it and say so; ``sheet`` is
    the path of the batch's sheet, whose name the proposal takes."""
    tr, exports = context.tr, context.services.exports
    write = exports.failures if failures else exports.results
    return _choose(
        context,
        parent,
        tr("Export failures") if failures else tr("Export results"),
        _name(sheet, tr("failures") if failures else tr("results")),
        lambda target: write(batch_id, target),
    )


def choose_problem_sheet(context: UiContext, parent: QWidget, plan: ImportPlan) -> QFileDialog:
    """Ask for a file, then write into it the rows of the plan that can't be used, with why."""
    tr, services = context.tr, context.services
    return _choose(
        context,
        parent,
        tr("Save rows with problems"),
        _name(str(plan.info.path), tr("problems")),
        lambda target: services.exports.unusable(
            plan.info.columns, services.imports.unusable_rows(plan), target
        ),
    )


def _choose(
    context: UiContext,
    parent: QWidget,
    title: str,
    name: str,
    write: Callable[[Path], Awaitable[Exported]],
) -> QFileDialog:
    tr = context.tr
    filters = {
        tr("Excel workbook (*.xlsx)"): ".xlsx",
        tr("CSV (*.csv)"): ".csv",
        tr("JSON lines (*.jsonl)"): ".jsonl",
    }
    chooser = QFileDialog(parent, title)
    chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    chooser.setNameFilters(list(filters))
    chooser.setDefaultSuffix("xlsx")
    chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    chooser.filterSelected.connect(lambda chosen: chooser.setDefaultSuffix(filters[chosen][1:]))
    chooser.setDirectory(start_in(context, LAST_FOLDER))
    chooser.selectFile(name)

    def go(target: str) -> None:
        remember(context, LAST_FOLDER, target)
        context.spawn(_write(context, write(Path(target))))

    chooser.fileSelected.connect(go)
    chooser.open()
    return chooser


def _name(sheet: str, what: str) -> str:
    """``Spring shoes results 2026-11-30``: told apart from other sheets' in one folder."""
    day = datetime.now().astimezone().strftime("%Y-%m-%d")
    return " ".join(part for part in (Path(sheet).stem, what, day) if part)


async def _write(context: UiContext, writing: Awaitable[Exported]) -> None:
    done = await writing

    def text(tr: Translator) -> str:
        return tr.plural("{n} row saved: {name}", "{n} rows saved: {name}", done.rows, name=name)

    name = done.path.name
    context.signals.answered.emit(Answer(text, done.path))
