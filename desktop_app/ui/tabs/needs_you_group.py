"""One cause of failure: how many, why in plain words, and what to do about all of them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import DeadGroup, TaskFilter
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP
from desktop_app.ui.tabs.needs_you_body import GroupBody
from desktop_app.ui.words import is_unsendable, look

NAMED = 3
"""Batches a card names; the others are counted."""
NARROW = 620


class GroupCard(QFrame):
    """A card for one DeadGroup, opened to see its rows (``body``).

    ``names`` are the batches' names by id where rows of several are shown, else empty.
    ``requeue_wanted`` and ``settle_wanted`` carry (TaskFilter, count), ``edit_wanted`` a pk;
    ``opened`` fires when the rows are shown. Rows that may have been billed are settled, not
    requeued.
    """

    requeue_wanted = Signal(object, int)
    edit_wanted = Signal(int)
    settle_wanted = Signal(object, int)
    opened = Signal()

    def __init__(
        self,
        context: UiContext,
        group: DeadGroup,
        batch_id: int | None,
        parent: QWidget | None,
        names: Mapping[int, str],
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._names = names
        self._batch_id = group.batch_id if group.batch_id is not None else batch_id
        self.group = group
        self.setProperty("pane", "card")
        self._icon = QLabel(self)
        self._icon.setFixedSize(20, 20)
        self.count = QLabel(self)
        self.cause = QLabel(self)
        self.advice = QLabel(self)
        self.advice.setProperty("tone", "muted")
        self.where = QLabel(self)
        self.where.setProperty("tone", "muted")
        for label in (self.cause, self.advice, self.where):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.show_rows = QPushButton(self)
        self.show_rows.setCheckable(True)
        self.requeue_all = QPushButton(self)
        for button in (self.show_rows, self.requeue_all):
            button.setAutoDefault(True)  # Enter presses it, as in a dialog
        self.body = GroupBody(context, group, self)
        self._lay_out()

        self.show_rows.toggled.connect(self._toggle)
        self.requeue_all.clicked.connect(lambda: self._act(self.filter, self.group.count))
        self.body.act_wanted.connect(self._act_on)
        self.body.edit_wanted.connect(self.edit_wanted)
        context.theme.changed.connect(self.restyle)
        self._toggle(False)
        self.restyle()
        self.retranslate()

    # --- what it is about --------------------------------------------------------------------

    @property
    def filter(self) -> TaskFilter:
        """Every task of this cause, on screen or not."""
        return TaskFilter(
            batch_id=self._batch_id,
            states=frozenset({self.group.state}),
            cause=self.group.code,
            error_class=self.group.error_class,
        )

    @property
    def _sendable(self) -> bool:
        return not is_unsendable(self.group.state, self.group.code)

    @property
    def _is_doubtful(self) -> bool:
        return self.group.state is TaskState.UNCERTAIN

    def update_group(self, group: DeadGroup) -> None:
        """Take the figures of now; open rows are read again, keeping selection and place."""
        changed = group != self.group
        self.group = group
        if changed:
            self.retranslate()
        if self.show_rows.isChecked():
            self.body.read(self.filter)

    def retranslate(self) -> None:
        """Say every word again."""
        tr, group = self._context.tr, self.group
        self.count.setText(f"{group.count:,}")
        self.cause.setText(tr.say(group.said))
        advice = tr.say(group.advice)
        self.advice.setText(advice)
        # Some causes end with the very advice: once is enough.
        self.advice.setVisible(advice not in self.cause.text())
        self.setAccessibleName(f"{group.count:,} {self.cause.text()}")
        shown = self.show_rows.isChecked()
        self.show_rows.setText(tr("Hide rows") if shown else tr("Show rows"))
        self.show_rows.setAccessibleName(f"{self.show_rows.text()}: {self.cause.text()}")
        self.requeue_all.setText(
            tr.plural("Settle {n}…", "Settle {n}…", group.count)
            if self._is_doubtful
            else tr.plural("Requeue {n}", "Requeue {n}", group.count)
        )
        self.requeue_all.setAccessibleName(f"{self.requeue_all.text()}: {self.cause.text()}")
        self.requeue_all.setEnabled(self._sendable)
        self.requeue_all.setToolTip("" if self._sendable else advice)
        self._say_where()
        self.body.show_group(group)

    def name_batches(self, names: Mapping[int, str]) -> None:
        """Batches were added, gone or renamed."""
        if names != self._names:
            self._names = names
            self._say_where()

    def _say_where(self) -> None:
        tr = self._context.tr
        named = [self._names[each] for each in self.group.batches if each in self._names]
        shown, more = tr.listed(named[:NAMED]), len(named) - NAMED
        if more > 0:
            shown = tr.plural("{names} and {n} more", "{names} and {n} more", more, names=shown)
        self.where.setText(tr("In {batches}", batches=shown))
        self.where.setToolTip("\n".join(named))
        self.where.setVisible(bool(named))
        self.body.name_batches(self._names)

    def restyle(self) -> None:
        """Take the colours and fonts of the theme of now."""
        theme = self._context.theme
        name, colour = look(self.group.state)
        ratio = self.devicePixelRatioF()
        self._icon.setPixmap(self._context.icons.pixmap(name, colour, 20, ratio))
        self.count.setFont(theme.font("title", bold=True, tabular=True))
        self.cause.setFont(theme.font(bold=True))

    # --- building ----------------------------------------------------------------------------

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.cause)
        words.addWidget(self.advice)
        words.addWidget(self.where)
        head = QHBoxLayout()
        head.setSpacing(GAP + 4)
        middle = Qt.AlignmentFlag.AlignVCenter
        head.addWidget(self._icon, 0, middle)
        self.count.setMinimumWidth(56)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | middle)
        head.addWidget(self.count, 0, middle)
        head.addLayout(words, 1)
        self.show_rows.setMinimumWidth(112)
        self.requeue_all.setMinimumWidth(120)
        self._buttons = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._buttons.setSpacing(GAP)
        self._buttons.addWidget(self.show_rows)
        self._buttons.addWidget(self.requeue_all)
        head.addLayout(self._buttons)
        head.setAlignment(self._buttons, middle)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 12, 16, 12)
        whole.setSpacing(GAP + 4)
        whole.addLayout(head)
        whole.addWidget(self.body)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Where there is little room the words have it: the buttons stand one above the other."""
        super().resizeEvent(event)
        way = QBoxLayout.Direction
        self._buttons.setDirection(way.TopToBottom if self.width() < NARROW else way.LeftToRight)

    # --- the rows ----------------------------------------------------------------------------

    def _toggle(self, shown: bool) -> None:
        self.body.setVisible(shown)
        self.setProperty("open", shown)
        self._context.icons.wear(self.show_rows, "chevron-down" if shown else "chevron-right")
        self.retranslate()
        if shown:
            self.body.table.fit()
            self.body.read(self.filter)
            self.opened.emit()

    # --- asking ------------------------------------------------------------------------------

    def _act(self, which: TaskFilter, count: int) -> None:
        if self._is_doubtful:
            self.settle_wanted.emit(which, count)
        else:
            self.requeue_wanted.emit(which, count)

    def _act_on(self, pks: tuple[int, ...]) -> None:
        states = frozenset({self.group.state})
        self._act(TaskFilter(batch_id=self._batch_id, states=states, pks=pks), len(pks))
