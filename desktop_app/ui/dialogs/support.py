"""Choosing where the support file goes; the file says itself what is in it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.domain.text import Translator
from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.folders import chooser, remember, start_in

LAST_FOLDER = "support_folder"


def choose_support(context: UiContext, parent: QWidget) -> QFileDialog:
    """Ask for a file, write it, and say so."""
    tr = context.tr
    dialog = chooser(context.tr, parent, tr("Save support file"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(tr("Zip file (*.zip)"))
    dialog.setDefaultSuffix("zip")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setDirectory(start_in(context, LAST_FOLDER))
    day = datetime.now().astimezone().strftime("%Y-%m-%d %H%M")
    dialog.selectFile(f"Batchwright support {day}")

    def go(target: str) -> None:
        remember(context, LAST_FOLDER, target)
        context.spawn(_write(context, Path(target)))

    dialog.fileSelected.connect(go)
    dialog.open()
    return dialog


async def _write(context: UiContext, target: Path) -> None:
    saved = await context.services.support.save(target)
    name = saved.path.name

    def text(tr: Translator) -> str:
        return tr("Support file saved: {name}", name=name)

    context.signals.answered.emit(Answer(text, saved.path))
