"""Shows the answer to the row that somebody looks at while it comes. It asks instead of being
told: of the thousands of words a second that come for other rows, the window never hears."""

from __future__ import annotations

import asyncio
import io

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QWidget

from desktop_app.domain.ports import Preview, UnfinishedPicture
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskDetail
from desktop_app.ui.context import UiContext
from desktop_app.ui.picture import LONGEST, ResultView
from desktop_app.ui.thumbnails import Pixels, read_scaled

EVERY_MS = 100


class LiveAnswer(QLabel):
    """The quiet words under an answer that is still coming. It borrows ``view`` meanwhile."""

    def __init__(self, context: UiContext, view: ResultView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._view = view
        self._pk: int | None = None
        self._attempt = 0
        self._picture_no: int | None = None
        self._is_reading = False
        self._progress = ""
        self.is_shown = False  # whether the view holds something unfinished
        self.setProperty("tone", "muted")
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.hide()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self._look)

    def follow(self, detail: TaskDetail | None) -> bool:
        """Look after this row while it runs. Whether the view is kept for what has come of it."""
        running = detail is not None and detail.row.state is TaskState.RUNNING
        pk = detail.row.pk if detail is not None and running else None
        attempt = detail.row.attempt_no if detail is not None else 0
        if (pk, attempt) != (self._pk, self._attempt):
            self._pk, self._attempt, self._picture_no = pk, attempt, None
            self.is_shown = False
            self.hide()
        if pk is None:
            self._timer.stop()
        else:
            self._timer.start()
            self._look()
        return self.is_shown

    def _look(self) -> None:
        if self._pk is None or not self._view.isVisible():
            return
        preview = self._context.services.runs.preview(self._pk)
        if preview is None:
            return
        self._progress = preview.progress
        if preview.picture is not None:
            self._show_picture(preview.picture)
        elif preview.text or preview.thinking:
            self._show_words(preview)
        elif preview.progress:
            self._say("", shows=self.is_shown)

    def _show_words(self, preview: Preview) -> None:
        tr = self._context.tr
        self._view.show_text(preview.text or preview.thinking)
        if preview.text:
            self._say(tr("So far: the answer is still coming."))
        else:
            self._say(tr("The model is thinking. Its answer comes next."))

    def _show_picture(self, picture: UnfinishedPicture) -> None:
        if picture.no != self._picture_no and not self._is_reading:
            self._picture_no, self._is_reading = picture.no, True
            self._context.spawn(self._read(picture, self._pk))

    async def _read(self, picture: UnfinishedPicture, pk: int | None) -> None:
        longest = round(LONGEST * self.devicePixelRatioF())

        def scaled() -> Pixels:
            return read_scaled(io.BytesIO(picture.read()), longest)

        try:
            pixels = await asyncio.to_thread(scaled)
        except (OSError, ValueError):
            return  # the next one may be whole
        finally:
            self._is_reading = False
        if pk is not None and pk == self._pk and picture.no == self._picture_no:
            said = self._context.tr("So far: the picture is still being made.")
            self._view.show_unfinished(pk, pixels, said)
            self._say(said)

    def _say(self, said: str, *, shows: bool = True) -> None:
        said = "  ".join(part for part in (said, self._progress) if part)
        if self.text() != said:
            self.setText(said)
        self.is_shown = shows
        self.show()
