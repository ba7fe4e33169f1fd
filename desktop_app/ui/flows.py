"""What happens after a click, apart from the widgets that were clicked.

A dialog is imported by the click that opens it: the first row on the screen waits for every import.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.domain.sheet_kinds import SHEET_SUFFIXES
from desktop_app.domain.text import Message, OperatorError, Translator
from desktop_app.domain.views import Banner, BannerAction, TaskFilter
from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.folders import remember, start_in
from desktop_app.ui.drop import dropped_files
from desktop_app.ui.sheet_queue import SheetQueue
from desktop_app.ui.watch import Watch

if TYPE_CHECKING:
    from desktop_app.domain.connection import Connection
    from desktop_app.services.failure_sheets import ReturnPlan
    from desktop_app.ui.dialogs.pre_run import PreRunDialog
    from desktop_app.ui.dialogs.returned import ReturnedDialog

SHEETS = " ".join(f"*{suffix}" for suffix in SHEET_SUFFIXES)
FOLDER = "import.folder"


class Flows(QObject):
    """Dialogs and service calls behind the window's actions. Nothing here waits in a Qt event."""

    def __init__(self, context: UiContext, watch: Watch, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._watch = watch
        self._window = window
        self._sheets = SheetQueue(self)
        self._importing: PreRunDialog | ReturnedDialog | None = None
        self._looking = False
        self._wanted_new: Path | None = None
        context.signals.request_import.connect(self.import_files)

    # --- importing -------------------------------------------------------------------------

    def browse(self) -> None:
        """Choose a sheet."""
        tr = self._context.tr
        dialog = QFileDialog(self._window, tr("Import a sheet"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        sheets, every = tr("Sheets"), tr("All files")
        dialog.setNameFilters([f"{sheets} ({SHEETS})", f"{every} (*)"])
        dialog.setDirectory(start_in(self._context, FOLDER))
        dialog.filesSelected.connect(self._browsed)
        self._show(dialog)

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
        plan, new, self._wanted_new = None, path == self._wanted_new, None
        try:
            if not new:
                plan = await self._context.services.failure_sheets.look(path)
        except OperatorError:
            pass  # the pre-run sheet says what is wrong with it, beside what can be done
        finally:
            self._looking = False
        if plan is None:
            self._import_new(path)
        else:
            self._take_back(plan)

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
        def said(tr: Translator) -> str:
            return tr.plural("{n} row is requeued.", "{n} rows are requeued.", count)

        if len(plan.batches) == 1:
            self._context.signals.batch_selected.emit(plan.batches[0].id)
        self._context.signals.answered.emit(Answer(said))

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

    # --- running ---------------------------------------------------------------------------

    def start(self, batch_id: int | None) -> None:
        """Start or resume."""
        self._context.spawn(self._context.services.runs.start(batch_id))

    def pause(self, batch_id: int | None, *, now: bool = False) -> None:
        """Pause after the running rows, or now."""
        self._context.spawn(self._context.services.runs.pause(batch_id, now=now))

    def cancel(self, batch_id: int | None) -> None:
        """Ask, then cancel the batch, or all."""
        from desktop_app.ui.dialogs.cancel import CancelDialog

        CancelDialog(self._context, self._watch.summary(batch_id), self._window).open()

    def cancel_rows(self, which: TaskFilter) -> None:
        """Ask, then cancel the selected rows."""
        from desktop_app.ui.dialogs.cancel import CancelRowsDialog

        dialog = CancelRowsDialog(self._context, which, self._window)
        dialog.cancelled.connect(self._rows_cancelled)
        dialog.open()

    def _rows_cancelled(self, count: int) -> None:
        def said(tr: Translator) -> str:
            return tr.plural(
                "{n} row is cancelled. It can be requeued.",
                "{n} rows are cancelled. They can be requeued.",
                count,
            )

        self._context.signals.answered.emit(Answer(said))

    # --- files out -------------------------------------------------------------------------

    def open_folder(self, batch_id: int | None) -> None:
        """Open the batch's output folder, or the nearest one that is still there."""
        summary = self._watch.summary(batch_id)
        if summary is not None:
            folder = Path(summary.batch.out_dir)
            there = next((f for f in (folder, *folder.parents) if f.is_dir()), folder)
            self._context.open_path(there)

    def export(self, batch_id: int | None, *, failures: bool) -> None:
        """Choose a target, then write it."""
        from desktop_app.ui.dialogs.export_batch import ExportDialog

        summary = self._watch.summary(batch_id)
        if summary is not None:
            batch = summary.batch
            ExportDialog(
                self._context, self._window, batch.id, batch.sheet_path, failures=failures
            ).open()

    # --- connections -----------------------------------------------------------------------

    def add_connection(self) -> None:
        """A new connection."""
        self._open_connection(None)

    def edit_connection(self, connection_id: int, *, ask_key: bool = False) -> None:
        """Change one, or enter its key."""
        self._context.spawn(self._edit_connection(connection_id, ask_key))

    async def _edit_connection(self, connection_id: int, ask_key: bool) -> None:
        connection = await self._context.services.connections.get(connection_id)
        if connection is not None:
            self._open_connection(connection, ask_key=ask_key)

    def _open_connection(self, connection: Connection | None, *, ask_key: bool = False) -> None:
        from desktop_app.ui.dialogs.connection import ConnectionDialog

        ConnectionDialog(self._context, connection, self._window, ask_key=ask_key).open()

    def connection_action(self, connection_id: int, word: str) -> None:
        """From the sidebar's menu."""
        acts: dict[str, Callable[[], None]] = {
            "edit": lambda: self.edit_connection(connection_id),
            "try_again": lambda: self._context.spawn(self._try_again(connection_id)),
            "remove": lambda: self._context.spawn(
                self._context.services.connections.remove(connection_id)
            ),
        }
        acts[word]()

    async def _try_again(self, connection_id: int) -> None:
        said = await self._context.services.runs.retry_account(connection_id)
        if said is None:
            said_so = Answer(lambda tr: tr("The connection works again."))
            self._context.signals.answered.emit(said_so)
        else:
            self._context.say_error(said)

    # --- the banner ------------------------------------------------------------------------

    def banner_action(self, banner: Banner, action: BannerAction) -> None:
        """One press on a banner's button."""
        runs, spawn = self._context.services.runs, self._context.spawn
        batch_id, connection_id = banner.batch_id, banner.connection_id
        match action:
            case BannerAction.RESUME:
                self.start(batch_id)
            case BannerAction.STAY_PAUSED:
                spawn(runs.stay_paused())
            case BannerAction.NEEDS_YOU | BannerAction.REVIEW:
                self._context.signals.show_needs_you.emit(batch_id)
            case BannerAction.OPEN_FOLDER:
                self.open_folder(batch_id)
            case BannerAction.RUN_REST if batch_id is not None:
                spawn(runs.run_rest(batch_id))
            case BannerAction.RAISE_CAP if batch_id is not None:
                self._raise_cap(batch_id, banner.said)
            case BannerAction.ENTER_KEY if connection_id is not None:
                self.edit_connection(connection_id, ask_key=True)
            case BannerAction.TRY_AGAIN if connection_id is not None:
                spawn(self._try_again(connection_id))
            case BannerAction.TRY_AGAIN:
                spawn(runs.look_again())

    def _raise_cap(self, batch_id: int, why: Message) -> None:
        from desktop_app.ui.dialogs.raise_cap import RaiseCapDialog

        summary = self._watch.summary(batch_id)
        if summary is not None:
            RaiseCapDialog(self._context, summary, why, self._window).open()

    def settings(self) -> None:
        """Preferences."""
        from desktop_app.ui.dialogs.settings import SettingsDialog

        SettingsDialog(self._context, self._window).open()

    def _show(self, dialog: QFileDialog) -> None:
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
