"""A refused prompt is mended where its refusal is read, and goes back as a new edition."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import Doubts, TaskDetail, TaskFilter
from desktop_app.services.dead_letters import price_of_resending
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.sheet import Sheet
from desktop_app.ui.requeued import requeued


class EditPromptDialog(Sheet):
    """Edits one task's prompt and requeues it. ``requeued`` carries the task's pk."""

    requeued = Signal(int)

    def __init__(self, context: UiContext, task_pk: int, parent: QWidget | None = None) -> None:
        super().__init__(context, parent, width=600)
        self._pk = task_pk
        self._detail: TaskDetail | None = None
        self._doubts = Doubts()
        self._shown = ""
        self.prompt = QPlainTextEdit(self)
        self.prompt.setTabChangesFocus(True)
        self.prompt.setMinimumHeight(160)
        self.prompt.setEnabled(False)
        self.body.addWidget(self.prompt, 1)
        self.back = self.button()
        self.go = self.button(primary=True)
        self.footer.addStretch(1)
        self.footer.addWidget(self.back)
        self.footer.addWidget(self.go)
        self.back.clicked.connect(self.reject)
        self.go.clicked.connect(lambda: self.run(self._requeue))
        self.prompt.textChanged.connect(self._look)
        self.prompt.textChanged.connect(self._warn)
        send = QShortcut(QKeySequence(Qt.Modifier.CTRL | Qt.Key.Key_Return), self)
        send.activated.connect(self.go.click)
        self.retranslate()
        self.run(self._load)

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self.context.tr
        row = self._detail.row if self._detail else None
        title = tr("Edit the prompt of row {row}", row=row.row_no) if row else tr("Edit the prompt")
        self.setWindowTitle(title)
        self.heading.setText(title)
        self.lead.setText(tr.say(row.note) if row and row.note else "")
        self.lead.setVisible(bool(self.lead.text()))
        self.prompt.setAccessibleName(tr("Prompt"))
        self.back.setText(tr("Cancel"))
        self.go.setText(tr("Save and requeue"))
        self._warn()
        self._look()

    def _warn(self) -> None:
        if not self._doubts.rows:
            return
        tr = self.context.tr
        before = (
            tr("The former prompt may have been billed for nothing.")
            if self._is_changed
            else tr("This row may have been billed already.")
        )
        price = tr.say(price_of_resending(self._doubts))
        self.notice.say(tr.joined((before, price)), "warning")

    @property
    def _is_changed(self) -> bool:
        return self.prompt.toPlainText() != self._shown

    async def _load(self) -> None:
        detail = await self.context.services.queries.detail(self._pk)
        if detail is None:
            self.notice.say(self.context.tr("That row is gone."), "error")
            return
        self._detail = detail
        self.prompt.setPlainText(detail.prompt)
        self._shown = self.prompt.toPlainText()  # with Qt's own line ends
        self.prompt.setEnabled(True)
        self.prompt.setFocus()
        self.prompt.selectAll()
        if detail.row.state is TaskState.UNCERTAIN:
            which = TaskFilter(pks=(self._pk,))
            self._doubts = await self.context.services.dead_letters.doubts(which)
        self.retranslate()

    def _look(self) -> None:
        self.go.setEnabled(self._detail is not None and bool(self.prompt.toPlainText().strip()))

    async def _requeue(self) -> None:
        if self._detail is None:
            return
        prompt = self.prompt.toPlainText() if self._is_changed else self._detail.prompt
        self.locked = True
        self.go.setEnabled(False)
        try:
            letters = self.context.services.dead_letters
            held = await letters.held(TaskFilter(pks=(self._pk,)))
            done = await letters.edit_and_requeue(self._pk, prompt)
        finally:
            self.locked = False
            self._look()
        if not done:
            self.notice.say(
                self.context.tr("This row has moved on in the meantime; nothing was changed."),
                "warning",
            )
            return
        self.context.signals.answered.emit(requeued(1, held))
        self.requeued.emit(self._pk)
        self.accept()
