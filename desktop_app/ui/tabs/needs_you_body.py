"""The rows behind one cause, and what can be done with those that are selected."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import DeadGroup, TaskFilter
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP
from desktop_app.ui.tabs.needs_you_rows import TRIES, DeadRowsModel
from desktop_app.ui.tabs.needs_you_table import DeadTable
from desktop_app.ui.words import is_unsendable


class GroupBody(QWidget):
    """A table and a line of buttons. ``act_wanted`` carries the pks to settle or requeue,
    ``edit_wanted`` one pk."""

    act_wanted = Signal(tuple)
    edit_wanted = Signal(int)

    def __init__(self, context: UiContext, group: DeadGroup, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._group = group
        self.rows = DeadRowsModel(context, self)
        self.table = DeadTable(self.rows, self)
        self.selected = QLabel(self)
        self.selected.setProperty("tone", "muted")
        self.selected.setWordWrap(True)
        self.settle, self.edit, self.requeue = (QPushButton(self) for _ in range(3))
        below = QHBoxLayout()
        below.setSpacing(GAP)
        below.addWidget(self.selected, 1)
        for button in (self.settle, self.edit, self.requeue):
            button.setAutoDefault(True)  # Enter presses it, as in a dialog
            below.addWidget(button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(GAP)
        whole.addWidget(self.table)
        whole.addLayout(below)
        self._connect()

    def _connect(self) -> None:
        table = self.table
        table.customContextMenuRequested.connect(self._menu)
        table.activated.connect(lambda index: self._show_row(index.row()))
        table.selectionModel().selectionChanged.connect(lambda *_: self._show_selection())
        table.selectionModel().currentRowChanged.connect(lambda now, _: self._show_row(now.row()))
        for key, act in (
            (Qt.Key.Key_F2, self._edit_selected),
            (Qt.Key.Key_F5, self._repeat_selected),
        ):
            shortcut = QShortcut(QKeySequence(key), table)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(act)
        self.requeue.clicked.connect(self._act)
        self.settle.clicked.connect(self._act)
        self.edit.clicked.connect(self._edit_selected)

    def show_group(self, group: DeadGroup) -> None:
        """Take the figures of now."""
        self._group = group
        self.retranslate()

    def read(self, which: TaskFilter) -> None:
        """Read these rows, keeping selection and place."""
        self._context.spawn(self.table.show_matching(which))

    def name_batches(self, names: Mapping[int, str]) -> None:
        """The batches' names by id where rows of several are shown, else empty."""
        self.table.name_batches(names)

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self.requeue.setText(tr("Requeue selected"))
        self.requeue.setToolTip("" if self._sendable else tr.say(self._group.advice))
        self.edit.setText(tr("Edit prompt…"))
        self.settle.setText(tr("Settle…"))
        self.table.setAccessibleName(tr.say(self._group.said))
        self.rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, TRIES)
        self._show_selection()

    @property
    def _sendable(self) -> bool:
        return not is_unsendable(self._group.state, self._group.code)

    @property
    def _is_doubtful(self) -> bool:
        return self._group.state is TaskState.UNCERTAIN

    def _show_row(self, place: int) -> None:
        if 0 <= place < len(self.rows.pks):
            self._context.signals.open_task.emit(self.rows.pks[place])

    def _show_selection(self) -> None:
        tr, n = self._context.tr, len(self.table.selected_pks())
        self.selected.setText(
            tr.plural("{n} row selected", "{n} rows selected", n)
            if n
            else tr("Select rows to act on them; Ctrl+A selects all")
        )
        self.requeue.setEnabled(n > 0 and self._sendable)
        self.edit.setEnabled(n == 1)
        self.settle.setEnabled(n > 0)
        self.settle.setVisible(self._is_doubtful)
        self.requeue.setVisible(not self._is_doubtful)

    def _menu(self, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button in (self.requeue, self.edit, self.settle):
            if button.isVisible():
                action = menu.addAction(button.text())
                action.setEnabled(button.isEnabled())
                action.triggered.connect(button.click)
        menu.popup(self.table.viewport().mapToGlobal(where))

    def _act(self) -> None:
        if pks := self.table.selected_pks():
            self.act_wanted.emit(tuple(pks))

    def _repeat_selected(self) -> None:
        (self.settle if self._is_doubtful else self.requeue).click()

    def _edit_selected(self) -> None:
        pks = self.table.selected_pks()
        if len(pks) == 1:
            self.edit_wanted.emit(pks[0])
