"""A result goes to the clipboard whole: as a picture and as a file, or as its text."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QApplication

from desktop_app.domain.text import Translator
from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext
from desktop_app.ui.thumbnails import read_scaled
from desktop_app.ui.words import is_picture

_LARGEST = 8192
"""Pixels of the longer side that the clipboard gets."""


async def copy_result(context: UiContext, pk: int, output: str) -> None:
    """Copy the result of this task, or say that its file can't be read."""
    data = QMimeData()
    if is_picture(output):
        try:
            pixels = await asyncio.to_thread(read_scaled, Path(output), _LARGEST)
        except OSError:

            def said(tr: Translator) -> str:
                return tr("{path} is gone or can't be read.", path=output)

            context.signals.answered.emit(Answer(said, severity="error"))
            return
        data.setImageData(pixels.pixmap().toImage())
        data.setUrls([QUrl.fromLocalFile(output)])
    else:
        detail = await context.services.queries.detail(pk)
        pieces = {piece.output: piece.text for piece in detail.more} if detail else {}
        data.setText(pieces.get(output, detail.text if detail else None) or "")
    QApplication.clipboard().setMimeData(data)
