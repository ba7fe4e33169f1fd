"""One result is one painted tile, so that a gallery of 20,000 holds no widgets at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop_app.domain.views import TaskRow
from desktop_app.ui.context import UiContext
from desktop_app.ui.tabs.results_model import ROW_ROLE, TEXT_ROLE
from desktop_app.ui.thumbnails import Thumbnails
from desktop_app.ui.words import is_picture

PICTURE = 168
TILE = QSize(PICTURE + 16, PICTURE + 56)
LINE = 76
BATCH_LINE = 18
_PAD = 8
_WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
_TO_THE_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_ONE_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class ResultDelegate(QStyledItemDelegate):
    """Paints a tile in the gallery, or a line of three in the list of texts.

    ``batch_names``: the names by batch id where results of several batches are shown, else empty.
    """

    def __init__(
        self, context: UiContext, thumbnails: Thumbnails, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._thumbnails = thumbnails
        self.as_list = False
        self.tile = TILE
        self.batch_names: Mapping[int, str] = {}

    def sizeHint(  # noqa: N802 - Qt's name
        self,
        option: QStyleOptionViewItem,  # noqa: ARG002
        index: QModelIndex | QPersistentModelIndex,  # noqa: ARG002
    ) -> QSize:
        """Every item alike."""
        return QSize(200, LINE) if self.as_list else self.tile

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """The whole item."""
        row, text = index.data(ROW_ROLE), index.data(TEXT_ROLE) or ""
        area = QRect(option.rect)
        painter.save()
        try:
            painter.setRenderHints(
                QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
            )
            self._back(painter, option, area)
            if row is not None:
                (self._line if self.as_list else self._tile)(painter, area, row, text)
        finally:
            painter.restore()

    def _back(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect) -> None:
        theme = self._context.theme
        state = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        if self.as_list:
            painter.fillRect(area.left(), area.bottom(), area.width(), 1, theme.color("grid_line"))
        if not (selected or hovered or focused):
            return
        painter.setPen(QPen(theme.color("accent"), 1) if focused else Qt.PenStyle.NoPen)
        colour = "selected" if selected else "hover" if hovered else "surface"
        painter.setBrush(theme.color(colour))
        inner = QRectF(area).adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(inner, theme.size("radius") + 2, theme.size("radius") + 2)

    def _tile(self, painter: QPainter, area: QRect, row: TaskRow, text: str) -> None:
        theme = self._context.theme
        frame = QRect(area.left() + _PAD, area.top() + _PAD, area.width() - 2 * _PAD, PICTURE)
        if row.output and is_picture(row.output):
            self._picture(painter, frame, row.output)
        else:
            self._paper(painter, frame, text)
        words = QRect(frame.left(), frame.bottom() + 4, frame.width(), 20)
        name = Path(row.output).name if row.output else ""
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("text"))
        metrics = painter.fontMetrics()
        painter.drawText(
            words, _ONE_LINE, metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, words.width())
        )
        words.translate(0, 18)
        painter.setPen(theme.color("muted"))
        prompt = row.prompt.replace("\n", " ")
        painter.drawText(
            words, _ONE_LINE, metrics.elidedText(prompt, Qt.TextElideMode.ElideRight, words.width())
        )
        if batch := self.batch_names.get(row.batch_id):
            words.translate(0, BATCH_LINE)
            painter.setPen(theme.color("faint"))
            elided = metrics.elidedText(batch, Qt.TextElideMode.ElideMiddle, words.width())
            painter.drawText(words, _ONE_LINE, elided)

    def _picture(self, painter: QPainter, frame: QRect, path: str) -> None:
        theme = self._context.theme
        ratio = painter.device().devicePixelRatio()
        pixmap = self._thumbnails.get(path, ratio)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("sunken"))
        painter.drawRoundedRect(frame, theme.size("radius"), theme.size("radius"))
        if pixmap is None or pixmap.isNull():
            icon = self._context.icons.pixmap("image", "border_strong", 24, ratio)
            painter.drawPixmap(frame.center().x() - 12, frame.center().y() - 12, icon)
            return
        where = _fitted(pixmap, frame)
        clip = QPainterPath()
        clip.addRoundedRect(QRectF(where), theme.size("radius"), theme.size("radius"))
        painter.save()
        painter.setClipPath(clip)
        painter.drawPixmap(where, pixmap)
        painter.restore()

    def _paper(self, painter: QPainter, frame: QRect, text: str) -> None:
        theme = self._context.theme
        painter.setPen(QPen(theme.color("border"), 1))
        painter.setBrush(theme.color("raised"))
        painter.drawRoundedRect(frame, theme.size("radius"), theme.size("radius"))
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("text"))
        inner = frame.adjusted(12, 10, -12, -10)
        painter.save()
        painter.setClipRect(inner)
        painter.drawText(inner, int(_WRAP), text)
        painter.restore()

    def _line(self, painter: QPainter, area: QRect, row: TaskRow, text: str) -> None:
        theme = self._context.theme
        inner = area.adjusted(16, 8, -16, -8)
        number = QRect(inner.left(), inner.top(), 56, 20)
        painter.setFont(theme.font(tabular=True))
        painter.setPen(theme.color("faint"))
        painter.drawText(
            number, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(row.row_no)
        )
        left = number.right() + 16
        prompt = QRect(left, inner.top(), inner.right() - left, 20)
        if batch := self.batch_names.get(row.batch_id):
            painter.setFont(theme.font("small"))
            elided = painter.fontMetrics().elidedText(
                batch, Qt.TextElideMode.ElideMiddle, prompt.width() // 3
            )
            taken = painter.fontMetrics().horizontalAdvance(elided)
            painter.drawText(prompt, int(_TO_THE_RIGHT), elided)
            prompt.setWidth(prompt.width() - taken - 16)
        painter.setFont(theme.font(bold=True))
        painter.setPen(theme.color("text"))
        said = painter.fontMetrics().elidedText(
            row.prompt.replace("\n", " "), Qt.TextElideMode.ElideRight, prompt.width()
        )
        painter.drawText(prompt, _ONE_LINE, said)
        painter.setFont(theme.font())
        painter.setPen(theme.color("muted"))
        answer = QRect(left, prompt.bottom() + 4, prompt.width(), inner.bottom() - prompt.bottom())
        painter.save()
        painter.setClipRect(answer)
        painter.drawText(answer, int(_WRAP), " ".join(text.split()))
        painter.restore()


def _fitted(pixmap: QPixmap, frame: QRect) -> QRect:
    size = pixmap.deviceIndependentSize().toSize()
    if size.width() > frame.width() or size.height() > frame.height():
        size = size.scaled(frame.size(), Qt.AspectRatioMode.KeepAspectRatio)
    where = QRect(frame.topLeft(), size)
    where.moveCenter(frame.center())
    return where
