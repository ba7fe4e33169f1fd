"""File dialogs begin where the operator was last, never where the program happens to run."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.domain.text import Translator
from desktop_app.ui.context import UiContext


def chooser(tr: Translator, parent: QWidget, title: str) -> QFileDialog:
    """A file dialog; where it is Qt's own, it says what Qt's Chinese leaves in English."""
    dialog = QFileDialog(parent, title)
    dialog.setLabelText(QFileDialog.DialogLabel.LookIn, tr("Look in:"))
    dialog.setLabelText(QFileDialog.DialogLabel.FileType, tr("Files of type:"))
    return dialog


def start_in(context: UiContext, key: str) -> str:
    """The folder remembered under ``key`` while it is there, else the operator's documents, else
    home."""
    kept = context.services.preferences.get(key)
    if isinstance(kept, str) and Path(kept).is_dir():
        return kept
    documents = QStandardPaths.StandardLocation.DocumentsLocation
    found = QStandardPaths.writableLocation(documents)
    return found if found and Path(found).is_dir() else str(Path.home())


def remember(context: UiContext, key: str, file: str) -> None:
    """Begin in this file's folder next time."""
    context.services.preferences.set(key, str(Path(file).parent))


def existing(folder: Path) -> str:
    """The folder, or the nearest one above it that is there."""
    return str(next((each for each in (folder, *folder.parents) if each.is_dir()), Path.home()))
