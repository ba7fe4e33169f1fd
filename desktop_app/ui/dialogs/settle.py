"""Only a person can say what became of a call that may have been billed: one click an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QPushButton, QWidget

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskDetail
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.folders import remember, start_in
from desktop_app.ui.dialogs.sheet import Sheet
from desktop_app.ui.dialogs.style import GAP

ATTACH_FOLDER = "attach.folder"
_ACTIONS = (("ask", "help"), ("attach", "attach"), ("resend", "send"), ("failed", "ban"))


class SettleDialog(Sheet):
    """Settles one UNCERTAIN task. ``settled`` carries the task's pk."""

    settled = Signal(int)

    def __init__(self, context: UiContext, task_pk: int, parent: QWidget | None = None) -> None:
        super().__init__(context, parent, width=560)
        self._pk = task_pk
        self._detail: TaskDetail | None = None
        self.buttons: dict[str, QPushButton] = {}
        self._notes: dict[str, QLabel] = {}
        for name, icon in _ACTIONS:
            button = self.button()
            button.setIconSize(QSize(16, 16))
            context.icons.wear(button, icon)
            button.setMinimumWidth(176)
            button.setEnabled(False)
            button.setVisible(name != "ask")
            note = QLabel(self)
            note.setProperty("tone", "muted")
            note.setVisible(name != "ask")
            note.setWordWrap(True)
            line = QHBoxLayout()
            line.setSpacing(GAP * 2)
            line.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
            line.addWidget(note, 1)
            self.body.addLayout(line)
            self.buttons[name] = button
            self._notes[name] = note
        self.body.addStretch(1)
        self.back = self.button()
        self.footer.addStretch(1)
        self.footer.addWidget(self.back)
        self.back.clicked.connect(self.reject)
        self.buttons["attach"].clicked.connect(self._choose_file)
        letters = context.services.dead_letters
        self.buttons["ask"].clicked.connect(
            lambda: self.run(partial(self._settle, partial(letters.settle_ask, task_pk)))
        )
        self.buttons["resend"].clicked.connect(
            lambda: self.run(partial(self._settle, partial(letters.settle_resend, task_pk)))
        )
        self.buttons["failed"].clicked.connect(
            lambda: self.run(partial(self._settle, partial(letters.settle_failed, task_pk)))
        )
        self.retranslate()
        self.run(self._load)

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self.context.tr
        row = self._detail.row if self._detail else None
        title = (
            tr("Row {row} may have been billed", row=row.row_no)
            if row
            else tr("May have been billed")
        )
        self.setWindowTitle(title)
        self.heading.setText(title)
        why = tr.say(row.note) if row and row.note else ""
        asks = tr("What became of this call?")
        self.lead.setText(f"{why}\n{asks}" if why else asks)
        cost = row.cost if row else None
        words = {
            "ask": (
                tr("Ask the provider"),
                tr("Costs nothing. The row runs until its outcome is known."),
            ),
            "attach": (
                tr("Attach a file…"),
                tr("You found the result in the provider's console: it becomes this row's file."),
            ),
            "resend": (
                tr("Send again"),
                tr("It may be paid twice ({cost}).", cost=cost)
                if cost
                else tr("It may be paid twice."),
            ),
            "failed": (
                tr("Mark as failed"),
                tr("Nothing is sent. The row can be requeued later."),
            ),
        }
        for name, (word, note) in words.items():
            self.buttons[name].setText(word)
            self._notes[name].setText(note)
            self.buttons[name].setAccessibleDescription(note)
        self.back.setText(tr("Back"))

    async def _load(self) -> None:
        self._detail = await self.context.services.queries.detail(self._pk)
        self.retranslate()
        if self._detail is None or self._detail.row.state is not TaskState.UNCERTAIN:
            self.notice.say(self.context.tr("This row has been settled already."), "info")
            return
        can_ask = await self.context.services.dead_letters.askable(self._pk)
        self.buttons["ask"].setVisible(can_ask)
        self._notes["ask"].setVisible(can_ask)
        self._enable(True)

    def _enable(self, on: bool) -> None:
        for button in self.buttons.values():
            button.setEnabled(on)

    def _choose_file(self) -> None:
        chooser = QFileDialog(self, self.context.tr("The file of this row"))
        chooser.setFileMode(QFileDialog.FileMode.ExistingFile)
        chooser.setDirectory(start_in(self.context, ATTACH_FOLDER))
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(self.attach)
        chooser.open()

    def attach(self, file: str) -> None:
        """Make this file the row's result."""
        remember(self.context, ATTACH_FOLDER, file)
        letters = self.context.services.dead_letters
        attach = partial(letters.settle_attach, self._pk, Path(file))
        self.run(partial(self._settle, attach))

    async def _settle(self, work: Callable[[], Awaitable[bool]]) -> None:
        self.locked = True
        self._enable(False)
        try:
            done = await work()
        finally:
            self.locked = False
            self._enable(True)
        if not done:
            self.notice.say(self.context.tr("This row has been settled already."), "info")
            self._enable(False)
            return
        self.settled.emit(self._pk)
        self.accept()
