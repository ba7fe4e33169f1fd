"""The result as the operator wants to see it: the picture itself, or the answer's text."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from desktop_app.domain.views import TaskDetail
from desktop_app.ui import words
from desktop_app.ui.context import UiContext
from desktop_app.ui.read_only import ReadOnlyText
from desktop_app.ui.thumbnails import Pixels, read_scaled

LONGEST = 640  # logical pixels: twice the pane's usual width
HIGHEST = 260  # so that facts and attempts stay in sight


class PictureView(QWidget):
    """A picture fitted into its box, or a word where there is none. ``opened``: double click."""

    opened = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._pixmap: QPixmap | None = None
        self._icon, self._color, self._word = "image", "faint", ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    @property
    def has_picture(self) -> bool:
        """Whether a picture is shown, not a word."""
        return self._pixmap is not None

    def hasHeightForWidth(self) -> bool:  # noqa: N802 - Qt's name
        """The box is as high as its picture, up to a square."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802 - Qt's name
        """A square at most; a low strip where there is nothing to see."""
        if self._pixmap is None:
            return 120
        size = self._pixmap.deviceIndependentSize()
        high = round(width * size.height() / max(1.0, size.width()))
        return min(width, high, HIGHEST)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Before the width is known."""
        return QSize(280, self.heightForWidth(280))

    def show_picture(self, pixmap: QPixmap) -> None:
        """Show this."""
        self._pixmap = pixmap
        self.updateGeometry()
        self.update()

    def show_word(self, icon: str, color: str, word: str) -> None:
        """Show a sign instead of a picture."""
        self._pixmap = None
        self._icon, self._color, self._word = icon, color, word
        self.setAccessibleName(word)
        self.updateGeometry()
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802, ARG002 - Qt's name
        """Open the file."""
        if self._pixmap is not None:
            self.opened.emit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name
        """The box, then the picture or the sign."""
        theme = self._context.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("sunken"))
            painter.drawRoundedRect(self.rect(), 8, 8)
            if self._pixmap is not None:
                size = self._pixmap.deviceIndependentSize().toSize()
                size.scale(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
                place = QRect(0, 0, size.width(), size.height())
                place.moveCenter(self.rect().center())
                painter.drawPixmap(place, self._pixmap)
                return
            center = self.rect().center()
            pixmap = self._context.icons.pixmap(
                self._icon, self._color, 28, self.devicePixelRatioF()
            )
            painter.drawPixmap(center.x() - 14, center.y() - 26, pixmap)
            painter.setPen(theme.color("muted"))
            line = QRect(8, center.y() + 8, self.width() - 16, 24)
            painter.drawText(line, Qt.AlignmentFlag.AlignCenter, self._word)


class ResultView(QStackedWidget):
    """Picture or text of one task. ``opened``: the operator wants the file."""

    opened = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._path: str | None = None
        self._row_no = 0
        self._is_gone = False
        self._unfinished_of: int | None = None  # the row whose picture in the making is shown
        self.picture = PictureView(context, self)
        self.picture.opened.connect(self.opened)
        self.answer = ReadOnlyText(self)
        self.answer.setMinimumHeight(160)
        self.addWidget(self.picture)
        self.addWidget(self.answer)
        context.theme.changed.connect(self.picture.update)

    def show_detail(self, detail: TaskDetail, place: int = 0) -> None:
        """Show the task's result (of several the ``place``-th, from 0), or its state while there
        is none."""
        tr, row = self._context.tr, detail.row
        output, text = row.output, detail.text
        if place:
            output, text = detail.more[place - 1].output, detail.more[place - 1].text
        self.answer.setAccessibleName(tr("The answer"))
        gives_way = self._unfinished_of == row.pk and self.picture.has_picture
        self._unfinished_of = None
        if text is not None:
            self.answer.show_text(text)
            self.setCurrentWidget(self.answer)
            self._path = None
            return
        self.setCurrentWidget(self.picture)
        if output is None:
            icon, color = words.look(row.state)
            self._path = None
            self.picture.show_word(icon, color, words.row_word(tr, row, words.now()))
            return
        self._row_no = row.row_no
        if output != self._path:
            self._path = output
            self._is_gone = False
            if not gives_way:  # else it stays until the finished one is read: nothing flickers
                self.picture.show_word("image", "faint", "")
            self._context.spawn(self._load(output))
        self._name()

    def show_text(self, text: str) -> None:
        """Show what has come so far of an answer. Words that follow those that are shown are
        added, so that nobody who reads or selects is disturbed."""
        self._path = self._unfinished_of = None
        self.setCurrentWidget(self.answer)
        self.answer.go_on(text)

    def show_unfinished(self, pk: int, pixels: Pixels, word: str) -> None:
        """Show a picture of this row that is still being made; ``word`` names it for who can't see
        it."""
        self._path, self._unfinished_of = None, pk
        self.setCurrentWidget(self.picture)
        self.picture.show_picture(pixels.pixmap(self.devicePixelRatioF()))
        self.picture.setAccessibleName(word)

    def _name(self) -> None:
        tr = self._context.tr
        if self.picture.has_picture:
            self.picture.setAccessibleName(tr("Picture of row {n}", n=self._row_no))
        elif self._is_gone:
            word = tr("The file is not there any more")
            self.picture.show_word("image", "state_failed", word)
        else:
            self.picture.show_word("image", "faint", tr("Loading"))

    async def _load(self, path: str) -> None:
        ratio = self.devicePixelRatioF()
        try:
            pixels = await asyncio.to_thread(read_scaled, Path(path), round(LONGEST * ratio))
        except OSError:
            if path == self._path:
                self._is_gone = True
                self.picture.show_word("image", "state_failed", "")
                self._name()
            return
        if path == self._path:
            self.picture.show_picture(pixels.pixmap(ratio))
            self._name()
