"""How sheets come in: chosen, dropped, pasted or named at the start, and asked about one by one.

A dialog is imported by what opens it: the first row on the screen waits for every import.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.domain.sheet_kinds import SHEET_SUFFIXES
from desktop_app.domain.text import OperatorError
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.folders import chooser, remember, start_in
from desktop_app.ui.drop import dropped_files
from desktop_app.ui.requeued import requeued
from desktop_app.ui.sheet_queue import SheetQueue

if TYPE_CHECKING:
    from desktop_app.services.failure_sheets import ReturnPlan
    from desktop_app.ui.dialogs.pre_run import PreRunDialog
    from desktop_app.ui.dialogs.returned import ReturnedDialog

SHEETS = " ".join(f"*{suffix}" for suffix in SHEET_SUFFIXES)
FOLDER = "import.folder"


class ImportFlow(QObject):
    """From files or cells to a dialog about each. Nothing here waits in a Qt event."""

    def __init__(self, context: UiContext, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._sheets = SheetQueue(self)
        self._importing: PreRunDialog | ReturnedDialog | None = None
        self._looking = False
        self._wanted_new: Path | None = None
        context.signals.request_import.connect(self.import_files)

    def browse(self) -> None:
        """Choose a sheet."""
        tr = self._context.tr
        dialog = chooser(tr, self._window, tr("Import a sheet"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        sheets, every = tr("Sheets"), tr("All files")
        dialog.setNameFilters([f"{sheets} ({SHEETS})", f"{every} (*)"])
        dialog.setDirectory(start_in(self._context, FOLDER))
        dialog.filesSelected.connect(self._browsed)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _browsed(self, paths: list[str]) -> None:
        if paths:
            remember(self._context, FOLDER, paths[0])
            self.import_files(paths)

    def import_files(self, paths: list[str]) -> None:
        """One pre-run sheet after the other."""
        self._sheets.add([Path(path) for path in paths])
        self._next_sheet()

    def paste(self) -> None:
        """Files that were copied, or cells of a spreadsheet."""
        clipboard = QGuiApplication.clipboard().mimeData()
        files = dropped_files(clipboard)
        if files:
            self.import_files(files)
            return
        text = clipboard.text() if clipboard.hasText() else ""
        html = clipboard.html() if clipboard.hasHtml() else ""
        self._context.spawn(self._paste(text, html))

    async def _paste(self, text: str, html: str) -> None:
        when = datetime.now().astimezone().strftime("%Y-%m-%d %H.%M.%S")
        name = self._context.tr("Pasted {when}", when=when)
        path = await self._context.services.imports.pasted(text, html, name)
        self.import_files([str(path)])

    def _next_sheet(self) -> None:
        if self._importing is not None or self._looking:
            return
        path = self._sheets.take()
        if path is not None:
            self._looking = True
            self._context.spawn(self._open_sheet(path))

    async def _open_sheet(self, path: Path) -> None:
        """Rows of a failure sheet of ours go back to their batch; any other sheet is a new one."""
        is_new, self._wanted_new = path == self._wanted_new, None
        try:
            plan = None if is_new else await self._look(path)
            if plan is None:
                self._import_new(path)
            else:
                self._take_back(plan)
        finally:
            self._looking = False
            if self._importing is None:
                self._sheet_done()  # a fault in one sheet is no reason to forget the others

    async def _look(self, path: Path) -> ReturnPlan | None:
        try:
            return await self._context.services.failure_sheets.look(path)
        except OperatorError:
            return None  # the pre-run sheet says what is wrong with it, beside what can be done

    def _import_new(self, path: Path) -> None:
        from desktop_app.ui.dialogs.pre_run import PreRunDialog

        dialog = PreRunDialog(self._context, path, self._window)
        dialog.started.connect(self._started)
        self._ask(dialog)

    def _take_back(self, plan: ReturnPlan) -> None:
        from desktop_app.ui.dialogs.returned import ReturnedDialog

        dialog = ReturnedDialog(self._context, plan, self._window)
        dialog.requeued.connect(lambda count: self._taken_back(plan, count))
        dialog.as_new.connect(lambda: self._as_new(plan.info.path))
        self._ask(dialog)

    def _ask(self, dialog: PreRunDialog | ReturnedDialog) -> None:
        from desktop_app.ui.dialogs.queue_strip import QueueStrip

        dialog.body.insertWidget(0, QueueStrip(self._context, self._sheets, dialog))
        dialog.finished.connect(self._sheet_done)
        self._importing = dialog
        dialog.open()

    def _as_new(self, path: Path) -> None:
        self._wanted_new = path
        self._sheets.again(path)

    def _taken_back(self, plan: ReturnPlan, count: int) -> None:
        if len(plan.batches) == 1:
            self._context.signals.batch_selected.emit(plan.batches[0].id)
        self._context.signals.answered.emit(requeued(count, plan.held))

    def _started(self, batch_id: int) -> None:
        self._context.signals.batch_selected.emit(batch_id)
        self._context.signals.show_progress.emit()

    def _sheet_done(self) -> None:
        self._importing = None
        self._sheets.done()
        self._next_sheet()

    def try_sample(self) -> None:
        """The sample sheet on the practice server."""
        self._context.spawn(self._try_sample())

    async def _try_sample(self) -> None:
        await self._context.services.connections.practice()
        self.import_files([str(self._context.services.preferences.sample_sheet())])
