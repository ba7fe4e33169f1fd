"""What can be done with the rows under the hand, apart from showing them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu

from desktop_app.domain.task import REQUEUEABLE, UNFINISHED, TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.ui.context import UiContext
from desktop_app.ui.grid.model import GridModel
from desktop_app.ui.grid.view import GridView
from desktop_app.ui.requeued import requeued
from desktop_app.ui.words import may_requeue


class RowMenu(QObject):
    """The grid's context menu and its shortcuts. ``cancel_asked`` carries a TaskFilter."""

    cancel_asked = Signal(object)

    def __init__(self, context: UiContext, model: GridModel, view: GridView) -> None:
        super().__init__(view)
        self._context = context
        self._model = model
        self._view = view
        view.customContextMenuRequested.connect(self._pop_up)
        view.doubleClicked.connect(lambda _index: self.open_file())
        copy = QAction(view)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy_prompts)
        view.addAction(copy)

    def build(self) -> QMenu | None:
        """The menu for the rows selected now; None when there are none."""
        tr = self._context.tr
        pks = self._view.selected_pks()
        if not pks:
            return None
        rows = [row for row in map(self._model.cached, pks) if row is not None]
        # Rows that were never looked at are not at hand; the service skips those that cannot.
        unseen = len(rows) < len(pks)
        which = TaskFilter(pks=tuple(pks))
        menu = QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        again, open_ = sum(map(may_requeue, rows)), sum(row.state in UNFINISHED for row in rows)
        requeue = menu.addAction(
            tr("Requeue all that can be ({n} selected)…", n=f"{len(pks):,}")
            if unseen
            else tr.plural("Requeue {n} row", "Requeue {n} rows", again or len(pks))
        )
        requeue.setEnabled(unseen or again > 0)
        act = self._ask_first if unseen else self._at_once
        requeue.triggered.connect(lambda: act(which))
        doubtful = [row.pk for row in rows if row.state is TaskState.UNCERTAIN]
        if unseen or doubtful:
            settle = menu.addAction(tr("Settle…"))
            # One row alone can be given a file that was found.
            only = doubtful[0] if len(doubtful) == 1 and not unseen else None
            settle.triggered.connect(lambda: self._settle(which, only))
        cancel = menu.addAction(
            tr("Cancel all that wait ({n} selected)…", n=f"{len(pks):,}")
            if unseen
            else tr.plural("Cancel {n} row…", "Cancel {n} rows…", open_ or len(pks))
        )
        cancel.setEnabled(unseen or open_ > 0)
        cancel.triggered.connect(lambda: self.cancel_asked.emit(which))
        menu.addSeparator()
        for text, slot in (
            (tr("Open file"), self.open_file),
            (tr("Show in folder"), self.reveal_file),
        ):
            action = menu.addAction(text)
            action.setEnabled(self._output() is not None)
            action.triggered.connect(slot)
        menu.addSeparator()
        menu.addAction(tr("Copy prompt")).triggered.connect(self.copy_prompts)
        return menu

    def copy_prompts(self) -> None:
        """The prompts of the selected rows, one a line, to the clipboard."""
        rows = map(self._model.cached, self._view.selected_pks())
        QGuiApplication.clipboard().setText("\n".join(row.prompt for row in rows if row))

    def open_file(self) -> None:
        """Open the result of the row under the cursor."""
        if (path := self._output()) is not None:
            self._context.open_path(path)

    def reveal_file(self) -> None:
        """Show the result of the row under the cursor in its folder."""
        if (path := self._output()) is not None:
            self._context.reveal_path(path)

    def _pop_up(self, at: QPoint) -> None:
        if (menu := self.build()) is not None:
            menu.popup(self._view.viewport().mapToGlobal(at))

    def _settle(self, which: TaskFilter, only: int | None) -> None:
        # Imported by the click: the first row on the screen waits for every import.
        from desktop_app.ui.dialogs.settle import SettleDialog
        from desktop_app.ui.dialogs.settle_many import SettleManyDialog

        if only is not None:
            SettleDialog(self._context, only, self._view.window()).open()
        else:
            SettleManyDialog(self._context, which, parent=self._view.window()).open()

    def _ask_first(self, which: TaskFilter) -> None:
        # How many they are nobody has seen yet.
        from desktop_app.ui.dialogs.requeue import RequeueDialog

        which = replace(which, states=REQUEUEABLE - {TaskState.UNCERTAIN})
        RequeueDialog(self._context, which, 0, parent=self._view.window()).open()

    def _at_once(self, which: TaskFilter) -> None:
        self._context.spawn(self._requeue(which))

    async def _requeue(self, which: TaskFilter) -> None:
        letters = self._context.services.dead_letters
        left = (await letters.doubts(which)).rows
        held = await letters.held(which)
        done = await letters.requeue(which)
        self._context.signals.answered.emit(requeued(done, held, left))

    def _output(self) -> str | None:
        pk = self._view.current_pk()
        row = None if pk is None else self._model.cached(pk)
        return row.output if row else None
