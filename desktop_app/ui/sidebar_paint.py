"""A batch is a line with its progress, a connection a line with its standing: both painted."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop_app.domain.batch import BatchPriority, RunState
from desktop_app.domain.text import Translator
from desktop_app.domain.views import AccountState, BatchSummary, ConnectionView
from desktop_app.ui import words
from desktop_app.ui.context import UiContext
from desktop_app.ui.priorities import LOOKS, shown

ITEM = int(Qt.ItemDataRole.UserRole)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

ACCOUNT_LOOKS = {
    AccountState.OK: ("done", "state_done"),
    AccountState.SLOWED: ("retrying", "state_retrying"),
    AccountState.WAITING: ("wifi-off", "state_retrying"),
    AccountState.PAUSED: ("pause", "state_failed"),
    AccountState.NO_KEY: ("key", "state_failed"),
}


def account_word(tr: Translator, state: AccountState) -> str:
    """How an account stands, in a word or two."""
    return {
        AccountState.OK: tr("ready"),
        AccountState.SLOWED: tr("slowed"),
        AccountState.WAITING: tr("waiting"),
        AccountState.PAUSED: tr("paused"),
        AccountState.NO_KEY: tr("no key"),
    }[state]


def batch_share(summary: BatchSummary) -> float:
    """The finished part of a batch, 0..1; 1 only when nothing is left."""
    ledger = summary.ledger
    if not ledger.imported:
        return 0.0
    return (ledger.imported - ledger.unfinished) / ledger.imported


def batch_percent(summary: BatchSummary) -> int:
    """Whole percent, rounded down so that 100 means all."""
    return int(batch_share(summary) * 100)


def batch_look(summary: BatchSummary) -> tuple[str, str]:
    """(icon, colour token) of a batch."""
    ledger = summary.ledger
    if not ledger.unfinished:
        return ("alert", "state_retrying") if ledger.dead_letters else ("done", "state_done")
    if summary.batch.run_state is RunState.RUNNING:
        return ("running", "state_running")
    return (
        ("pause", "muted") if summary.batch.run_state is RunState.PAUSED else ("waiting", "muted")
    )


def batch_word(tr: Translator, summary: BatchSummary) -> str:
    """What a batch is doing, in a few words."""
    ledger = summary.ledger
    need = ledger.dead_letters
    if not ledger.unfinished:
        return (
            tr.plural("{n} needs you", "{n} need you", need)
            if need
            else tr("{n} done", n=f"{ledger.success:,}")
        )
    if summary.batch.run_state is RunState.RUNNING:
        done = f"{ledger.imported - ledger.unfinished:,}"
        return tr("{n} of {all}", n=done, all=f"{ledger.imported:,}")
    if summary.batch.run_state is RunState.PAUSED:
        return tr("paused, {n} left", n=f"{ledger.unfinished:,}")
    return tr("not started")


def shortened(text: str, font: QFont, width: int) -> str:
    """``text`` as ``width`` pixels hold it. The middle goes: names that begin alike, as those of
    one sheet's versions or of one server's connections do, differ at their end."""
    return QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideMiddle, width)


class _Lines(QStyledItemDelegate):
    """Shared ground: background, focus mark, texts."""

    def __init__(self, context: UiContext, height: int) -> None:
        super().__init__()
        self._context = context
        self._height = height

    def sizeHint(  # noqa: N802 - Qt's name
        self,
        option: QStyleOptionViewItem,  # noqa: ARG002 - Qt's signature
        index: QModelIndex | QPersistentModelIndex,  # noqa: ARG002 - Qt's signature
    ) -> QSize:
        """A fixed height; the width is the list's."""
        return QSize(80, self._height)

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem) -> QRect:
        state = option.state
        rect: QRect = option.rect
        box = rect.adjusted(8, 1, -8, -1)
        color: QColor | None = None
        if state & QStyle.StateFlag.State_Selected:
            color = self._context.theme.color("selected")
        elif state & QStyle.StateFlag.State_MouseOver:
            color = self._context.theme.color("hover")
            color = self._context.theme.color("sunken") if not self._context.theme.dark else color
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if color is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRoundedRect(box, 6, 6)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(self._context.theme.color("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0, 0, -1, -1), 6, 6)
        return box.adjusted(8, 0, -8, 0)

    def _icon(self, painter: QPainter, at: QRect, name: str, color: str) -> None:
        ratio = painter.device().devicePixelRatioF()
        pixmap = self._context.icons.pixmap(name, color, 16, ratio)
        painter.drawPixmap(at.x(), at.center().y() - 7, pixmap)

    def _text(
        self,
        painter: QPainter,
        at: QRect,
        text: str,
        color: str,
        font: QFont,
        align: Qt.AlignmentFlag = _LEFT,
    ) -> None:
        painter.setFont(font)
        painter.setPen(self._context.theme.color(color))
        painter.drawText(at, align, shortened(text, font, at.width()))


class BatchLines(_Lines):
    """All batches, then a batch an entry: icon, name, percent, bar, words."""

    def __init__(self, context: UiContext) -> None:
        super().__init__(context, 60)

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """The entry for all batches has no bar and is lower."""
        if index.data(ITEM) is None:
            return QSize(80, 36)
        return super().sizeHint(option, index)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """One entry."""
        painter.save()
        theme = self._context.theme
        box = self._ground(painter, option)
        summary = index.data(ITEM)
        if not isinstance(summary, BatchSummary):
            self._icon(painter, box, "all", "muted")
            name = str(index.data(Qt.ItemDataRole.DisplayRole))
            self._text(painter, box.adjusted(26, 0, 0, 0), name, "text", theme.font(bold=True))
            painter.restore()
            return
        small = theme.font("small", tabular=True)
        top = QRect(box.x(), box.y() + 6, box.width(), 20)
        low = QRect(box.x() + 26, box.y() + 36, box.width() - 26, 18)
        self._icon(painter, top, *batch_look(summary))
        percent = f"{batch_percent(summary)}%"
        wide = QFontMetrics(small).horizontalAdvance("100%") + 6
        priority = shown(summary)
        sign = 0 if priority is BatchPriority.NORMAL else 20
        rest = top.adjusted(26, 0, -wide - sign, 0)
        self._text(painter, rest, summary.batch.name, "text", theme.font())
        if sign:
            self._icon(painter, top.adjusted(top.width() - wide - 16, 0, 0, 0), *LOOKS[priority])
        self._text(painter, top, percent, "muted", small, _RIGHT)
        self._bar(painter, QRect(box.x() + 26, box.y() + 29, box.width() - 26, 4), summary)
        began = words.started(summary.batch.created_at, words.now())
        room = low.adjusted(0, 0, -QFontMetrics(small).horizontalAdvance(began) - 6, 0)
        self._text(painter, room, batch_word(self._context.tr, summary), "muted", small)
        self._text(painter, low, began, "faint", small, _RIGHT)
        painter.restore()

    def _bar(self, painter: QPainter, at: QRect, summary: BatchSummary) -> None:
        """Done in the accent, what needs a person in its own colour, the rest as track."""
        ledger, theme = summary.ledger, self._context.theme
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("track"))
        painter.drawRoundedRect(at, 2, 2)
        if not ledger.imported:
            return
        finished = at.width() * batch_share(summary)
        good = at.width() * (ledger.success + ledger.cancelled) / ledger.imported
        if finished >= 1:
            painter.setBrush(theme.color("state_failed"))
            painter.drawRoundedRect(QRect(at.x(), at.y(), round(finished), at.height()), 2, 2)
        if good >= 1:
            whole = "state_done" if not ledger.unfinished else "accent"
            painter.setBrush(theme.color(whole))
            painter.drawRoundedRect(QRect(at.x(), at.y(), round(good), at.height()), 2, 2)


class ConnectionLines(_Lines):
    """A connection an entry: standing, name, word."""

    def __init__(self, context: UiContext) -> None:
        super().__init__(context, 36)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """One entry."""
        view = index.data(ITEM)
        if not isinstance(view, ConnectionView):
            return
        painter.save()
        theme = self._context.theme
        box = self._ground(painter, option)
        icon, color = ACCOUNT_LOOKS[view.state]
        word = account_word(self._context.tr, view.state)
        name = words.connection_name(self._context.tr, view.name)
        small = theme.font("small")
        wide = QFontMetrics(small).horizontalAdvance(word) + 8
        self._icon(painter, box, icon, color)
        self._text(painter, box.adjusted(26, 0, -wide, 0), name, "text", theme.font())
        tone = "muted" if view.state is AccountState.OK else color
        self._text(painter, box, word, tone, small, _RIGHT)
        painter.restore()
