"""Files that the system hands over: dropped on the program's icon, or opened with it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFileOpenEvent

from desktop_app.ui.context import UiContext


class OpenedFiles(QObject):
    """Asks for the import of what is opened while the program runs; filters the application's
    events for as long as ``parent`` lives."""

    def __init__(self, context: UiContext, app: QObject, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """A file that the dock was given."""
        if isinstance(event, QFileOpenEvent) and event.file():
            self._context.signals.request_import.emit([event.file()])
            return True
        return super().eventFilter(watched, event)
