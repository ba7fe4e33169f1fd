"""A sheet may be dropped anywhere on the window, which says so while one is held over it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QObject, QRectF, Qt
from PySide6.QtGui import QDropEvent, QHideEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from desktop_app.ui.context import UiContext


def dropped_files(mime: QMimeData) -> list[str]:
    """The local files of a drag; anything else is not ours."""
    return [url.toLocalFile() for url in mime.urls() if url.isLocalFile()]


# While something is dragged over the window no such event comes: one that does tells of a drag
# that ended without a word, because the program it came from is gone.
_NO_DRAG = frozenset(
    {QEvent.Type.MouseMove, QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress, QEvent.Type.Wheel}
)


class _EndOfDrag(QObject):
    """Looks through the whole program's events, only while something is held over the window."""

    def __init__(self, overlay: QWidget) -> None:
        super().__init__(overlay)
        self._overlay = overlay

    def listen(self, on: bool) -> None:
        """Begin or end looking."""
        app = QCoreApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
            if on:
                app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Hide the overlay; the event goes where it was meant for."""
        if event.type() in _NO_DRAG:
            self._overlay.hide()
        return super().eventFilter(watched, event)


class DropOverlay(QWidget):
    """Takes drags for its parent, the window, and covers it while one is held over it."""

    def __init__(self, context: UiContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._end = _EndOfDrag(self)
        self._files = 1
        self.hide()
        parent.setAcceptDrops(True)
        parent.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Drags over the window."""
        # What is dragged out of this window is not for it.
        theirs = isinstance(event, QDropEvent) and event.source() is None
        if isinstance(event, QDropEvent) and theirs and (files := dropped_files(event.mimeData())):
            event.acceptProposedAction()
            if event.type() == QEvent.Type.Drop:
                self.hide()
                self._context.signals.request_import.emit(files)
            else:
                self.show_over(len(files))
            return True
        if event.type() == QEvent.Type.DragLeave:
            self.hide()
        elif event.type() == QEvent.Type.Resize and self.isVisible():
            self.show_over()
        return super().eventFilter(watched, event)

    def show_over(self, files: int | None = None) -> None:
        """Cover the whole parent; ``files`` are held over it, None: as many as before."""
        self._files = self._files if files is None else files
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.raise_()
        self._end.listen(True)
        self.show()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Nothing is held over the window any more."""
        self._end.listen(False)
        super().hideEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name
        """A veil, a frame, one sentence."""
        theme = self._context.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            veil = theme.color("surface")
            veil.setAlphaF(0.88)
            painter.fillRect(self.rect(), veil)
            frame = QRectF(self.rect()).adjusted(16, 16, -16, -16)
            painter.setPen(QPen(theme.color("accent"), 2, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(frame, 12, 12)
            painter.setPen(theme.color("accent"))
            painter.setFont(theme.font("title", bold=True))
            tr = self._context.tr
            said = tr("Drop the sheet to import it")
            if self._files > 1:
                said = tr("Drop the {n} sheets: each becomes a batch of its own", n=self._files)
            painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, said)
