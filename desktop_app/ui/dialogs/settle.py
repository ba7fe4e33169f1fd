"""Only a person can say what became of a call that may have been billed: one click an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskDetail, TaskFilter
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.folders import chooser, remember, start_in
from desktop_app.ui.dialogs.settle_sheet import SettleSheet
from desktop_app.ui.requeued import requeued

ATTACH_FOLDER = "attach.folder"


class SettleDialog(SettleSheet):
    """Settles one UNCERTAIN task. ``settled`` carries the task's pk."""

    settled = Signal(int)

    def __init__(self, context: UiContext, task_pk: int, parent: QWidget | None = None) -> None:
        super().__init__(context, ("ask", "attach", "resend", "failed"), parent)
        self._pk = task_pk
        self._detail: TaskDetail | None = None
        letters = context.services.dead_letters
        self.buttons["attach"].clicked.connect(self._choose_file)
        for name, settle in (
            ("ask", letters.settle_ask),
            ("resend", letters.settle_resend),
            ("failed", letters.settle_failed),
        ):
            work = partial(self._settle, name, partial(settle, task_pk))
            self.buttons[name].clicked.connect(lambda _=False, work=work: self.run(work))
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
        self.say_lines(
            {
                "ask": (
                    tr("Ask the provider"),
                    tr("Costs nothing. The row runs until its outcome is known."),
                ),
                "attach": (
                    tr("Attach a file…"),
                    tr(
                        "You found the result in the provider's console: "
                        "it becomes this row's file."
                    ),
                ),
                "resend": (tr("Send again"), self.price),
                "failed": (
                    tr("Mark as failed"),
                    tr("Nothing is sent. The row can be requeued later."),
                ),
            }
        )

    async def _load(self) -> None:
        self._detail = await self.context.services.queries.detail(self._pk)
        self.retranslate()
        if self._detail is None or self._detail.row.state is not TaskState.UNCERTAIN:
            self.notice.say(self.context.tr("This has been settled already."), "info")
            return
        which = TaskFilter(pks=(self._pk,))
        self.doubts = await self.context.services.dead_letters.doubts(which)
        self.show_ask(bool(self.doubts.askable))
        self.retranslate()
        self.enable(True)

    def _choose_file(self) -> None:
        dialog = chooser(self.context.tr, self, self.context.tr("The file of this row"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setDirectory(start_in(self.context, ATTACH_FOLDER))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.attach)
        dialog.open()

    def attach(self, file: str) -> None:
        """Make this file the row's result."""
        remember(self.context, ATTACH_FOLDER, file)
        letters = self.context.services.dead_letters
        attach = partial(letters.settle_attach, self._pk, Path(file))
        self.run(partial(self._settle, "attach", attach))

    async def _settle(self, name: str, work: Callable[[], Awaitable[bool]]) -> None:
        held = await self.context.services.dead_letters.held(TaskFilter(pks=(self._pk,)))
        if await self.give(work):
            self.settled.emit(self._pk)
            if name == "resend":
                self.context.signals.answered.emit(requeued(1, held))
            self.accept()
