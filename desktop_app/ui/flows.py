"""What happens after a click, apart from the widgets that were clicked.

A dialog is imported by the click that opens it: the first row on the screen waits for every import.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.domain.batch import BatchPriority
from desktop_app.domain.text import Translator
from desktop_app.domain.views import Banner, BannerAction, TaskFilter
from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext
from desktop_app.ui.import_flow import ImportFlow
from desktop_app.ui.watch import Watch

if TYPE_CHECKING:
    from desktop_app.domain.connection import Connection


class Flows(ImportFlow):
    """Dialogs and service calls behind the window's actions. Nothing here waits in a Qt event.
    ``read`` carries a banner that has said all it had to."""

    read = Signal(object)

    def __init__(self, context: UiContext, watch: Watch, window: QWidget) -> None:
        super().__init__(context, window)
        self._watch = watch

    # --- running ---------------------------------------------------------------------------

    def start(self, batch_id: int | None) -> None:
        """Start or resume."""
        self._context.spawn(self._context.services.runs.start(batch_id))

    def pause(self, batch_id: int | None, *, now: bool = False) -> None:
        """Pause after the running rows, or now."""
        self._context.spawn(self._context.services.runs.pause(batch_id, now=now))

    def prioritise(self, batch_id: int | None, priority: BatchPriority) -> None:
        """Let the batch go before or after others."""
        if batch_id is not None:
            self._context.spawn(self._context.services.priorities.set(batch_id, priority))

    def cancel(self, batch_id: int | None) -> None:
        """Ask, then cancel the batch, or all."""
        from desktop_app.ui.dialogs.cancel import CancelDialog

        dialog = CancelDialog(self._context, self._watch.summary(batch_id), self._window)
        dialog.cancelled.connect(self._rows_cancelled)
        dialog.open()

    def cancel_rows(self, which: TaskFilter) -> None:
        """Ask, then cancel the selected rows."""
        from desktop_app.ui.dialogs.cancel import CancelRowsDialog

        dialog = CancelRowsDialog(self._context, which, self._window)
        dialog.cancelled.connect(self._rows_cancelled)
        dialog.open()

    def _rows_cancelled(self, count: int) -> None:
        def said(tr: Translator) -> str:
            if not count:
                return tr("Nothing was cancelled: no row waits.")
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
        acts: dict[str, Callable[[], object]] = {
            "edit": lambda: self.edit_connection(connection_id),
            "try_again": lambda: self._context.spawn(self._try_again(connection_id)),
            "remove": lambda: self._context.spawn(self._remove_connection(connection_id)),
        }
        acts[word]()

    async def _remove_connection(self, connection_id: int) -> None:
        from desktop_app.ui.dialogs.name_question import NameQuestion

        tr, connections = self._context.tr, self._context.services.connections
        connection = await connections.get(connection_id)
        if connection is None:
            return

        async def remove(_name: str) -> None:
            await connections.remove(connection_id)

        NameQuestion(
            self._context,
            tr("Remove the connection {name}?", name=connection.name),
            tr("Remove"),
            remove,
            self._window,
            name=None,
            danger=True,
            lead=tr("Its key is deleted from this computer. Batches and their files stay."),
        ).open()

    async def _try_again(self, connection_id: int) -> None:
        said = await self._context.services.runs.retry_account(connection_id)
        if said is None:
            said_so = Answer(lambda tr: tr("The connection works."))
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
            case BannerAction.SHOW_REPORT if banner.file is not None:
                self._show_report(banner, Path(banner.file))
            case BannerAction.RUN_REST if batch_id is not None:
                spawn(runs.run_rest(batch_id))
            case BannerAction.RAISE_CAP if batch_id is not None:
                self._raise_cap(batch_id)
            case BannerAction.ENTER_KEY if connection_id is not None:
                self.edit_connection(connection_id, ask_key=True)
            case BannerAction.TRY_AGAIN if connection_id is not None:
                spawn(self._try_again(connection_id))
            case BannerAction.TRY_AGAIN:
                spawn(runs.look_again())

    def _show_report(self, banner: Banner, file: Path) -> None:
        from desktop_app.ui.dialogs.report import ReportDialog

        dialog = ReportDialog(self._context, file, self._window)
        dialog.put_away.connect(lambda: self.read.emit(banner))
        dialog.open()

    def _raise_cap(self, batch_id: int) -> None:
        from desktop_app.ui.dialogs.raise_cap import RaiseCapDialog

        summary = self._watch.summary(batch_id)
        if summary is not None and summary.batch.pause_reason is not None:
            RaiseCapDialog(self._context, summary, self._window).open()

    def settings(self) -> None:
        """Preferences."""
        from desktop_app.ui.dialogs.settings import SettingsDialog

        SettingsDialog(self._context, self._window).open()
