"""Trouble is one line above the work, never a pop-up: the most severe first, the rest counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QCursor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from desktop_app.domain.text import Translator
from desktop_app.domain.views import Banner, BannerAction
from desktop_app.ui.calm import Calm
from desktop_app.ui.context import UiContext
from desktop_app.ui.lines import OWN, RANK, Lines, may_close

_ICONS = {"error": "failed", "warning": "alert", "info": "info"}
ACTIONS = 3  # the most a line offers: resume, review, stay paused
_PAD = 6
_PRESSES = frozenset({QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick})
READ_MS = 700
"""What came up under the pointer was not what it meant to press."""


def action_word(tr: Translator, action: BannerAction, count: int | None = None) -> str:
    """The button's word; ``count`` rows are named where it is known."""
    if action is BannerAction.RUN_REST and count is not None:
        return tr.plural("Run the other {n}", "Run the other {n}", count)
    return {
        BannerAction.ENTER_KEY: tr("Enter key"),
        BannerAction.TRY_AGAIN: tr("Try again"),
        BannerAction.RESUME: tr("Resume"),
        BannerAction.REVIEW: tr("Review"),
        BannerAction.STAY_PAUSED: tr("Stay paused"),
        BannerAction.OPEN_FOLDER: tr("Open folder"),
        BannerAction.NEEDS_YOU: tr("Show what needs you"),
        BannerAction.RUN_REST: tr("Run the rest"),
        BannerAction.RAISE_CAP: tr("Raise the cap…"),
        BannerAction.SHOW_REPORT: tr("Show the report"),
    }[action]


class BannerBar(QWidget):
    """``acted`` carries (Banner, BannerAction).

    ``slot`` is the room it takes in the layout. It opens and closes only while the pointer rests;
    an answer to a click that can't wait lies over the work until then.
    """

    acted = Signal(object, object)

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.lines = Lines(context, self)
        self._shown: Banner | None = None
        self.sign = QLabel(self)
        self.text = QLabel(self)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(False)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.more = QToolButton(self)
        self.more.setProperty("look", "quiet")
        self.more.clicked.connect(self.lines.show_next)
        self.buttons = [QPushButton(self) for _ in range(ACTIONS)]
        for at, button in enumerate(self.buttons):
            button.clicked.connect(lambda _=False, n=at: self._press(n))
            button.installEventFilter(self)
        self.dismiss = QToolButton(self)
        self.dismiss.setProperty("look", "quiet")
        self.dismiss.clicked.connect(self._close)
        context.icons.wear(self.dismiss, "close")
        line = QHBoxLayout(self)
        line.setContentsMargins(16, _PAD, 10, _PAD)
        line.setSpacing(8)
        line.addWidget(self.sign)
        line.addWidget(self.text, 1)
        line.addWidget(self.more)
        for button in self.buttons:
            line.addWidget(button)
        line.addWidget(self.dismiss)
        self.slot = QWidget(parent)
        self.slot.setFixedHeight(0)
        self.slot.installEventFilter(self)
        self._unread = QTimer(self, interval=READ_MS, singleShot=True)
        self.calm = Calm(self)
        self.calm.settled.connect(self._arrange)
        context.theme.changed.connect(self._render)
        self.lines.changed.connect(self._render)
        self.hide()

    def set_banners(self, banners: Iterable[Banner]) -> None:
        """What the engine has to say now; replaces what it said before."""
        self.lines.set_engine(banners)

    def retranslate(self) -> None:
        """Say it again."""
        self._render()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name
        """A flat fill in the colour of the severity."""
        if self._shown is None:
            return
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self._color("bg"))

    def _render(self) -> None:
        tr, before = self._context.tr, self._shown
        self._shown, place, count = self.lines.due()
        self._arrange()
        under = self.rect().contains(self.mapFromGlobal(QCursor.pos()))
        if under and _offer(before) != _offer(self._shown):
            self._unread.start()
        if self._shown is None:
            return
        shown = self._shown
        token = f"{shown.severity if shown.severity in RANK else 'info'}_fg"
        ratio = self.devicePixelRatioF()
        self.sign.setPixmap(
            self._context.icons.pixmap(_ICONS.get(shown.severity, "info"), token, 16, ratio)
        )
        sentence = self.lines.sentence(tr, shown)
        self.text.setText(sentence)
        self.text.setToolTip(sentence)
        self.text.setAccessibleName(sentence)
        palette = self.text.palette()
        palette.setColor(self.text.foregroundRole(), self._color("fg"))
        self.text.setPalette(palette)
        self.more.setVisible(count > 1)
        self.more.setText(tr("{n} of {all}", n=place + 1, all=count))
        self.more.setAccessibleName(tr("Show the next message"))
        self.more.setToolTip(tr("Show the next message"))
        for at, button in enumerate(self.buttons):
            has = at < len(shown.actions)
            word = action_word(tr, shown.actions[at], shown.count) if has else ""
            button.setText(word)
            button.setAccessibleName(word)
            button.setVisible(has)
        self.dismiss.setVisible(may_close(shown))
        self.dismiss.setAccessibleName(tr("Close this message"))
        self.dismiss.setToolTip(tr("Close this message"))
        self.update()

    # --- its room --------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Lie where the slot lies; take no press for what has just come up under the pointer."""
        if watched in self.buttons and event.type() in _PRESSES:
            return self._unread.isActive()
        if watched is self.slot:
            if event.type() == QEvent.Type.Show:
                self.calm.watch(self.window().windowHandle())
            if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show):
                self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        at = self.slot.geometry()
        self.setGeometry(at.x(), at.y(), at.width(), self._height())
        self.raise_()

    def _height(self) -> int:
        return self.buttons[0].sizeHint().height() + 2 * _PAD

    def _arrange(self) -> None:
        shown = self._shown
        if self.calm.is_settled:
            self.slot.setFixedHeight(self._height() if shown is not None else 0)
        has_room = self.slot.height() > 0
        self.setVisible(shown is not None and (has_room or shown.key.startswith(OWN)))
        self._place()

    def _color(self, part: str) -> QColor:
        severity = self._shown.severity if self._shown else "info"
        return self._context.theme.color(f"{severity if severity in RANK else 'info'}_{part}")

    def _press(self, at: int) -> None:
        if self._shown is None or at >= len(self._shown.actions):
            return
        shown, action = self._shown, self._shown.actions[at]
        answer = self.lines.answer(shown)
        if answer is not None and answer.file is not None and action is BannerAction.OPEN_FOLDER:
            self._context.reveal_path(answer.file)
        elif answer is not None and action is BannerAction.RESUME:
            self.lines.close(shown)
            for batch_id in answer.resume:
                self.acted.emit(replace(shown, batch_id=batch_id), action)
        else:
            self.acted.emit(shown, action)

    def _close(self) -> None:
        if self._shown is not None:
            self.lines.close(self._shown)


def _offer(banner: Banner | None) -> tuple[str, tuple[BannerAction, ...]] | None:
    return None if banner is None else (banner.key, banner.actions)
