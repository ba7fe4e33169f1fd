"""Choosing where a sheet goes, in the three formats there are, without stopping the loop."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.domain.text import Translator
from desktop_app.services.export_batch import Exported
from desktop_app.services.import_plan import ImportPlan
from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.folders import chooser, remember, start_in

LAST_FOLDER = "export_folder"


def formats(tr: Translator) -> dict[str, str]:
    """What each format is called, by its suffix."""
    return {
        ".xlsx": tr("Excel workbook (*.xlsx)"),
        ".csv": tr("CSV (*.csv)"),
        ".jsonl": tr("JSON lines (*.jsonl)"),
    }


def format_of(target: Path) -> str:
    """The suffix as ``formats`` has it; people and programs write it as they like."""
    return target.suffix.lower()


def choose_problem_sheet(context: UiContext, parent: QWidget, plan: ImportPlan) -> QFileDialog:
    """Ask for a file, then write into it the rows of the plan that can't be used, with why."""
    tr, services = context.tr, context.services

    def go(target: str) -> None:
        remember(context, LAST_FOLDER, target)
        columns, rows = plan.info.columns, services.imports.unusable_rows(plan)
        writing = services.exports.unusable(columns, rows, Path(target))
        context.spawn(write_and_say(context, writing, Path(target)))

    name = proposed_name(str(plan.info.path), tr("problems"))
    target = Path(start_in(context, LAST_FOLDER)) / f"{name}.xlsx"
    dialog = save_chooser(context, parent, tr("Save rows with problems"), target)
    dialog.fileSelected.connect(go)
    return dialog


def save_chooser(context: UiContext, parent: QWidget, title: str, target: Path) -> QFileDialog:
    """Ask where to save, beginning with ``target``; its suffix chooses the format."""
    names = formats(context.tr)
    suffixes = {name: suffix for suffix, name in names.items()}
    dialog = chooser(context.tr, parent, title)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters(list(suffixes))
    dialog.selectNameFilter(names[format_of(target)])
    dialog.setDefaultSuffix(format_of(target)[1:])
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(suffixes[chosen][1:]))
    dialog.setDirectory(str(target.parent))
    dialog.selectFile(target.stem)
    dialog.open()
    return dialog


def proposed_name(sheet: str, what: str) -> str:
    """``Spring shoes results 2026-11-30``: told apart from other sheets' in one folder."""
    day = datetime.now().astimezone().strftime("%Y-%m-%d")
    return " ".join(part for part in (Path(sheet).stem, what, day) if part)


async def write_and_say(context: UiContext, writing: Awaitable[Exported], target: Path) -> None:
    """Wait for the sheet, then say where it is; also that ``target`` itself was not to be had."""
    done = await writing
    name = done.path.name

    def text(tr: Translator) -> str:
        saved = tr.plural("{n} row saved: {name}", "{n} rows saved: {name}", done.rows, name=name)
        if not done.renamed:
            return saved
        held = tr("{name} is open in another program: saved beside it.", name=target.name)
        return tr.joined((held, saved))

    context.signals.answered.emit(Answer(text, done.path))
