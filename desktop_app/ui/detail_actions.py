"""What can be done with the row in the detail pane: decide, requeue, edit, look at its file."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop_app.domain.task import REQUEUEABLE, TaskState
from desktop_app.domain.views import TaskFilter, TaskRow
from desktop_app.ui import words
from desktop_app.ui.context import UiContext
from desktop_app.ui.requeued import requeued


class RowActions(QWidget):
    """Two lines of buttons for one row; only those that apply to it are seen. ``changed``: the
    row is another one now in the store."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._pk: int | None = None
        self._output: str | None = None
        self.settle, self.requeue, self.edit = (QPushButton(self) for _ in range(3))
        self.open, self.reveal = QPushButton(self), QPushButton(self)
        self._lay_out()
        self.requeue.clicked.connect(lambda: self._context.spawn(self._requeue()))
        self.edit.clicked.connect(self._edit)
        self.settle.clicked.connect(self._settle)
        self.open.clicked.connect(self.open_file)
        self.reveal.clicked.connect(self._reveal)

    def _lay_out(self) -> None:
        icons = self._context.icons
        for button, icon in (
            (self.requeue, "requeue"),
            (self.edit, "edit"),
            (self.open, "file"),
            (self.reveal, "reveal"),
        ):
            icons.wear(button, icon)
        icons.wear(self.settle, "uncertain", "on_accent")
        self.settle.setProperty("look", "primary")
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(12)
        for buttons in ((self.settle, self.requeue, self.edit), (self.open, self.reveal)):
            line = QHBoxLayout()
            line.setSpacing(8)
            for button in buttons:
                line.addWidget(button)
            line.addStretch(1)
            whole.addLayout(line)

    def show_row(self, row: TaskRow, output: str | None) -> None:
        """Offer what can be done with this row now. ``output`` is the path of the result file
        that is looked at, of several one; None while there is none."""
        self._pk, self._output = row.pk, output
        is_there = {
            self.settle: row.state is TaskState.UNCERTAIN,
            self.requeue: words.may_requeue(row),
            self.edit: row.state in REQUEUEABLE,
            self.open: output is not None,
            self.reveal: output is not None,
        }
        for button, is_shown in is_there.items():
            button.setVisible(is_shown)
        self.setVisible(any(is_there.values()))

    def retranslate(self) -> None:
        """Every word again."""
        tr = self._context.tr
        self.requeue.setText(tr("Requeue"))
        self.edit.setText(tr("Edit…"))
        self.settle.setText(tr("Settle…"))
        self.settle.setToolTip(tr("Send again, mark as failed, or attach a file"))
        self.open.setText(tr("Open file"))
        self.reveal.setText(tr("Show in folder"))
        for button in (self.requeue, self.edit, self.settle, self.open, self.reveal):
            button.setAccessibleName(button.text())

    async def _requeue(self) -> None:
        if self._pk is None:
            return
        letters, which = self._context.services.dead_letters, TaskFilter(pks=(self._pk,))
        held = await letters.held(which)
        if done := await letters.requeue(which):
            self._context.signals.answered.emit(requeued(done, held))
        self.changed.emit()

    def _edit(self) -> None:
        # Imported by the click: the first row on the screen waits for every import.
        from desktop_app.ui.dialogs.edit_prompt import EditPromptDialog

        if self._pk is not None:
            EditPromptDialog(self._context, self._pk, self.window()).open()

    def _settle(self) -> None:
        from desktop_app.ui.dialogs.settle import SettleDialog

        if self._pk is not None:
            SettleDialog(self._context, self._pk, self.window()).open()

    def open_file(self) -> None:
        """Open the result file that is looked at."""
        if self._output is not None:
            self._context.open_path(self._output)

    def _reveal(self) -> None:
        if self._output is not None:
            self._context.reveal_path(self._output)
