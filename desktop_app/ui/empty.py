"""The first thing a new operator sees says what to do, and lets it be done with one click."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSpacerItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.ui.context import UiContext

_SHARE_ABOVE = 0.45  # of the window's free height
_HEAD, _FOOT = 136, 48  # what menu, buttons and a line above take, and the footer


class DropCard(QWidget):
    """A dashed frame around its contents."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name
        """The dashed frame."""
        theme = self._context.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            pen = QPen(theme.color("border_strong"), 1.5, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([4, 4])
            painter.setPen(pen)
            painter.setBrush(theme.color("window"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 12, 12)


class FirstStart(QWidget):
    """``sample``, ``connect_account`` and ``browse`` are the three ways to begin."""

    sample = Signal()
    connect_account = Signal()
    browse = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setProperty("pane", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title = QLabel(self)
        self.title.setFont(context.theme.font("hero", bold=True))
        self.lead = QLabel(self)
        self.lead.setProperty("tone", "muted")
        self.lead.setWordWrap(True)
        self.sample_button = QPushButton(self)
        self.sample_button.setProperty("look", "primary")
        self.connect_button = QPushButton(self)
        self.browse_button = QPushButton(self)
        self.browse_button.setProperty("look", "link")
        context.icons.wear(self.sample_button, "play", "on_accent")
        context.icons.wear(self.connect_button, "plug")
        for button in (self.sample_button, self.connect_button):
            button.setProperty("size", "large")
            button.setIconSize(QSize(18, 18))
        self.sample_button.clicked.connect(self.sample)
        self.connect_button.clicked.connect(self.connect_account)
        self.browse_button.clicked.connect(self.browse)
        self.sample_hint, self.connect_hint = QLabel(self), QLabel(self)
        self.drop_title, self.drop_hint = QLabel(self), QLabel(self)
        self.drop_title.setFont(context.theme.font("title", bold=True))
        self.sheet_icon = QLabel(self)
        for label in (self.sample_hint, self.connect_hint, self.drop_hint):
            label.setProperty("tone", "muted")
            label.setWordWrap(True)
        self._lay_out()
        context.theme.changed.connect(self._redraw)
        self._redraw()
        self.retranslate()

    def _lay_out(self) -> None:
        center = Qt.AlignmentFlag.AlignHCenter
        card = DropCard(self._context, self)
        inside = QVBoxLayout(card)
        inside.setContentsMargins(32, 28, 32, 28)
        inside.setSpacing(6)
        for widget in (self.sheet_icon, self.drop_title, self.drop_hint, self.browse_button):
            inside.addWidget(widget, 0, center)
        ways = QHBoxLayout()
        ways.setSpacing(32)
        for button, hint in (
            (self.sample_button, self.sample_hint),
            (self.connect_button, self.connect_hint),
        ):
            hint.setAlignment(Qt.AlignmentFlag.AlignTop)
            hint.setFixedWidth(264)
            way = QVBoxLayout()
            way.setSpacing(8)
            way.addWidget(button)
            way.addWidget(hint, 1)
            ways.addLayout(way)
        self._block = block = QWidget(self)
        block.setFixedWidth(560)
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.title)
        column.addSpacing(8)
        column.addWidget(self.lead)
        column.addSpacing(28)
        column.addLayout(ways)
        column.addSpacing(28)
        column.addWidget(card)
        self._above = QSpacerItem(0, 0, QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Maximum)
        whole = QVBoxLayout(self)
        whole.setSpacing(0)
        whole.addItem(self._above)
        whole.addWidget(block, 0, center)
        whole.addStretch(1)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the buttons where they are in the window when a line above takes room from it."""
        super().resizeEvent(event)
        window, layout = self.window(), self.layout()
        if layout is None:
            return
        free = window.height() - self._block.sizeHint().height()
        top = max(_SHARE_ABOVE * free, min(_HEAD, free - _FOOT))
        above = self.mapTo(window, QPoint(0, layout.contentsMargins().top())).y()
        height = max(0, round(top) - above)
        if height != self._above.sizeHint().height():
            policy = QSizePolicy.Policy
            self._above.changeSize(0, height, policy.Minimum, policy.Maximum)
            layout.invalidate()

    def retranslate(self) -> None:
        """Every word again."""
        tr = self._context.tr
        self.title.setText(tr("A sheet of prompts in, every result out"))
        self.lead.setText(
            tr(
                "Batchwright runs each row once, as fast as your account allows, and shows you "
                "every row that failed and why."
            )
        )
        self.sample_button.setText(tr("Try the sample"))
        self.sample_button.setAccessibleName(tr("Try the sample"))
        self.sample_hint.setText(
            tr("200 product pictures on the built-in practice server. No account, no cost.")
        )
        self.connect_button.setText(tr("Connect an account"))
        self.connect_button.setAccessibleName(tr("Connect an account"))
        self.connect_hint.setText(
            tr("OpenAI, Volcengine Ark, DashScope, DeepSeek, or a server of your own.")
        )
        self.drop_title.setText(tr("Drop a sheet here"))
        self.drop_hint.setText(tr("Excel or CSV, one prompt a row"))
        self.browse_button.setText(tr("or choose a file"))
        self.browse_button.setAccessibleName(tr("Choose a file"))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Enter starts the sample."""
        super().showEvent(event)
        self.sample_button.setFocus()

    def _redraw(self) -> None:
        pixmap = self._context.icons.pixmap("sheet", "accent", 32, self.devicePixelRatioF())
        self.sheet_icon.setPixmap(pixmap)
