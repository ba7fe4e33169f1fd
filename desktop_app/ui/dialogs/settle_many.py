"""Many calls in doubt are one decision: counted and priced in the store before it is taken."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.domain.views import TaskFilter
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.folders import chooser, start_in
from desktop_app.ui.dialogs.settle import ATTACH_FOLDER
from desktop_app.ui.dialogs.settle_sheet import SettleSheet
from desktop_app.ui.requeued import requeued


class SettleManyDialog(SettleSheet):
    """Settles the UNCERTAIN among all that match. ``said`` is the cause in plain words;
    ``settled`` carries how many were. Rows that a folder has no file for stay, to be decided."""

    settled = Signal(int)

    def __init__(
        self, context: UiContext, which: TaskFilter, said: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(context, ("ask", "attach", "resend", "failed"), parent)
        self._which = which
        self._said = said
        letters = context.services.dead_letters
        for name, settle in (
            ("ask", letters.settle_ask_all),
            ("resend", letters.settle_resend_all),
            ("failed", letters.settle_failed_all),
        ):
            work = partial(self._settle, name, partial(settle, which))
            self.buttons[name].clicked.connect(lambda _=False, work=work: self.run(work))
        self.buttons["attach"].clicked.connect(self._choose_folder)
        self.retranslate()
        self.run(self._load)

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr, rows, asked = self.context.tr, self.doubts.rows, len(self.doubts.askable)
        title = (
            tr.plural("{n} row may have been billed", "{n} rows may have been billed", rows)
            if rows
            else tr("May have been billed")
        )
        self.setWindowTitle(title)
        self.heading.setText(title)
        asks = tr("What became of these calls?")
        self.lead.setText(f"{self._said}\n{asks}" if self._said else asks)
        self.say_lines(
            {
                "ask": (
                    tr.plural("Ask about {n} row", "Ask about {n} rows", asked),
                    tr("Costs nothing. The rows run until their outcome is known."),
                ),
                "attach": (
                    tr("Attach a folder…"),
                    tr(
                        "You have the results: each row takes the file that has its name, such as "
                        "{name}.",
                        name=self.doubts.stem,
                    )
                    if self.doubts.stem
                    else "",
                ),
                "resend": (
                    tr.plural("Send {n} row again", "Send {n} rows again", rows),
                    self.price,
                ),
                "failed": (
                    tr.plural("Mark {n} row as failed", "Mark {n} rows as failed", rows),
                    tr("Nothing is sent. The rows can be requeued later."),
                ),
            }
        )

    async def _load(self) -> None:
        self.doubts = await self.context.services.dead_letters.doubts(self._which)
        self.show_ask(bool(self.doubts.askable))
        self.retranslate()
        if not self.doubts.rows:
            self.notice.say(self.context.tr("This has been settled already."), "info")
            return
        self.enable(True)

    def _choose_folder(self) -> None:
        title = self.context.tr("The folder with the files of these rows")
        dialog = chooser(self.context.tr, self, title)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setDirectory(start_in(self.context, ATTACH_FOLDER))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.attach)
        dialog.open()

    def attach(self, folder: str) -> None:
        """Make the files in this folder the results of the rows whose names they have."""
        self.context.services.preferences.set(ATTACH_FOLDER, folder)
        self.run(partial(self._attach, Path(folder)))

    async def _attach(self, folder: Path) -> None:
        letters, before = self.context.services.dead_letters, self.doubts.rows
        done = await self.give(partial(letters.settle_attach_all, self._which, folder))
        if not done:
            return
        self.settled.emit(done)
        if (left := before - done) <= 0:
            self.accept()
            return
        await self._load()
        tr = self.context.tr
        self.notice.say(
            tr.joined(
                (
                    tr.plural("{n} row has its file now.", "{n} rows have their files now.", done),
                    tr.plural(
                        "{n} row has no usable file there and was left.",
                        "{n} rows have no usable file there and were left.",
                        left,
                    ),
                )
            ),
            "warning",
        )

    async def _settle(self, name: str, work: Callable[[], Awaitable[int]]) -> None:
        held = await self.context.services.dead_letters.held(self._which)
        if settled := await self.give(work):
            self.settled.emit(settled)
            if name == "resend":
                self.context.signals.answered.emit(requeued(settled, held))
            self.accept()
