"""One row, whole: its result, its prompt, every attempt, and what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.events import Event, TasksChanged
from desktop_app.domain.references import references_of
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskDetail
from desktop_app.ui import words
from desktop_app.ui.attempts import AttemptsView
from desktop_app.ui.context import UiContext
from desktop_app.ui.detail_actions import RowActions
from desktop_app.ui.detail_place import LEAST_WIDTH, nothing, say_nothing
from desktop_app.ui.facts import Facts
from desktop_app.ui.live import LiveAnswer
from desktop_app.ui.pager import Pager
from desktop_app.ui.picture import ResultView
from desktop_app.ui.shown import ShownPictures
from desktop_app.ui.tasks import Latest
from desktop_app.ui.thinking import Thinking

TICK_MS = 10_000  # "12 s ago" moves on


class DetailPane(QWidget):
    """Follows the task opened last, also when the grid no longer shows it."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._pk: int | None = None
        self._detail: TaskDetail | None = None
        self._load = Latest(context.spawn, self._read, 0.2)
        self.setProperty("pane", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(LEAST_WIDTH)
        self.title, self.badge_icon, self.badge = QLabel(self), QLabel(self), QLabel(self)
        self.title.setFont(context.theme.font("title", bold=True, tabular=True))
        self.result = ResultView(context, self)
        self.live = LiveAnswer(context, self.result, self)
        self.pager = Pager(context, self)
        self.thinking = Thinking(context, self)
        self.shown = ShownPictures(context, self)
        self.prompt = QLabel(self)
        self.prompt.setWordWrap(True)
        self.prompt.setTextFormat(Qt.TextFormat.PlainText)
        self.prompt.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.why = QLabel(self)
        self.why.setWordWrap(True)
        self.why.setTextFormat(Qt.TextFormat.PlainText)
        self.facts = Facts(context, self)
        self.attempts_title = QLabel(self)
        self.attempts_title.setProperty("tone", "heading")
        self.attempts = AttemptsView(context, self)
        self.acts = RowActions(context, self)
        self.nothing = nothing(self)
        self._lay_out()
        self._connect()
        self._ticking = QTimer(self, interval=TICK_MS)
        self._ticking.timeout.connect(self._tick)
        self._ticking.start()
        self.retranslate()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self.title, 1)
        head.addWidget(self.badge_icon)
        head.addWidget(self.badge)
        inside = QWidget(self)
        inside.setProperty("pane", "surface")
        inside.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(inside)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(12)
        column.addLayout(head)
        column.addWidget(self.result)
        column.addWidget(self.live)
        column.addWidget(self.pager)
        column.addWidget(self.why)
        column.addWidget(self.thinking)
        for widget in (
            self.acts,
            self.shown,
            self.prompt,
            self.facts,
            self.attempts_title,
            self.attempts,
        ):
            column.addWidget(widget)
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.nothing)
        self._pages.addWidget(scroll)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._pages)

    def _connect(self) -> None:
        signals = self._context.signals
        signals.open_task.connect(self.show_task)
        signals.events.connect(self._on_events)
        self.acts.changed.connect(self._load)
        self.result.opened.connect(self.acts.open_file)
        signals.open_result.connect(self._turn_to)
        self.pager.turned.connect(lambda _place: self._render())
        self._context.theme.changed.connect(self._render)

    # --- what is shown ---------------------------------------------------------------------

    def show_task(self, pk: int) -> None:
        """Follow this task from now on."""
        if pk != self._pk:
            self.pager.place = 0
        self._pk = pk
        self._load()

    def clear(self) -> None:
        """Follow nothing."""
        self._pk = self._detail = None
        self._render()

    @property
    def detail(self) -> TaskDetail | None:
        """What is shown now."""
        return self._detail

    def retranslate(self) -> None:
        """Every word again."""
        tr = self._context.tr
        say_nothing(self.nothing, self._context)
        self.attempts_title.setText(tr("Attempts"))
        self.acts.retranslate()
        self.thinking.retranslate()
        self.attempts.retranslate()
        self._render()

    def _on_events(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, TasksChanged) and (not event.pks or self._pk in event.pks):
                self._load()
                return

    async def _read(self) -> None:
        pk = self._pk
        if pk is None:
            return
        detail = await self._context.services.queries.detail(pk)
        if pk == self._pk:
            self._detail = detail
            self._render()

    def _render(self) -> None:
        detail = self._detail
        self._pages.setCurrentIndex(1 if detail is not None else 0)
        if detail is None:
            self.live.follow(None)
            return
        tr, row = self._context.tr, detail.row
        icon, color = words.look(row.state)
        self.title.setText(f"#{row.row_no}" + (f"  {row.key}" if row.key else ""))
        ratio = self.devicePixelRatioF()
        self.badge_icon.setPixmap(self._context.icons.pixmap(icon, color, 16, ratio))
        self.badge.setText(words.row_word(tr, row, words.now()))
        palette = self.badge.palette()
        palette.setColor(self.badge.foregroundRole(), self._context.theme.color(color))
        self.badge.setPalette(palette)
        self.pager.show_place(self.pager.place, 1 + len(detail.more))
        if not self.live.follow(detail):
            self.result.show_detail(detail, self.pager.place)
        self.thinking.show_words(detail.thinking)
        said = words.note(tr, row)
        if row.state is TaskState.UNCERTAIN:
            said = said or tr("It may have been billed, and nobody can be asked.")
        self.why.setText(said)
        self.why.setVisible(bool(said))
        self.prompt.setText(detail.prompt)
        self.prompt.setAccessibleName(tr("Prompt: {text}", text=detail.prompt))
        self.shown.show_references(references_of(detail.params))
        self.facts.show_detail(detail)
        self.attempts.show_attempts(detail.attempts)
        self.attempts_title.setVisible(bool(detail.attempts))
        self.attempts.setVisible(bool(detail.attempts))
        self.acts.show_row(row, self._output(detail))

    def _tick(self) -> None:
        if self._detail is not None and self.isVisible():
            self.facts.show_detail(self._detail)

    def _turn_to(self, pk: int, place: int) -> None:
        if pk == self._pk:
            self.pager.place = place
            if self._detail is not None and self._detail.row.pk == pk:
                self._render()

    def _output(self, detail: TaskDetail) -> str | None:
        """The file that is shown."""
        place = self.pager.place
        return detail.more[place - 1].output if place else detail.row.output
