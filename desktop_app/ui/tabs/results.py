"""What came out: a gallery of pictures or a list of texts, each one a double-click from opening."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.events import BatchChanged, BatchFinished, TasksChanged
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter, TaskRow
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.empty import EmptyState
from desktop_app.ui.dialogs.export import choose_export
from desktop_app.ui.dialogs.style import GAP, sheet_style
from desktop_app.ui.tabs.results_copy import copy_result
from desktop_app.ui.tabs.results_gallery import Gallery
from desktop_app.ui.tabs.results_model import ResultsModel
from desktop_app.ui.tabs.results_tile import PICTURE, ResultDelegate
from desktop_app.ui.tasks import Latest
from desktop_app.ui.thumbnails import Thumbnails
from desktop_app.ui.words import is_picture

_EVERY_S = 1.0


class ResultsTab(QWidget):
    """The finished rows of a batch or of all. ``count_changed`` carries how many there are."""

    count_changed = Signal(int)

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._batch_id: int | None = None
        self._count = 0
        self._loaded = False
        self.setProperty("pane", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.summary = QLabel(self)
        self.why = QLabel(self)
        self.why.setProperty("tone", "muted")
        self.open_folder = QPushButton(self)
        context.icons.wear(self.open_folder, "folder")
        self.export = QPushButton(self)
        context.icons.wear(self.export, "download")
        self.empty = EmptyState(context, "image", self)
        self.model = ResultsModel(context, self)
        cache = context.services.preferences.thumbnails_dir()
        thumbnails = Thumbnails(context.spawn, cache, PICTURE, self)
        self._delegate = ResultDelegate(context, thumbnails, self)
        self.view = Gallery(self._delegate, self)
        self._set_up_view()
        thumbnails.ready.connect(self.view.viewport().update)
        self._bar = QWidget(self)
        row = QHBoxLayout(self._bar)
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(GAP)
        row.addWidget(self.summary, 1)
        row.addWidget(self.why)
        row.addWidget(self.open_folder)
        row.addWidget(self.export)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._bar)
        whole.addWidget(self.view, 1)
        whole.addWidget(self.empty, 1)

        self._refresh = Latest(context.spawn, self._load, _EVERY_S)
        self.open_folder.clicked.connect(lambda: context.spawn(self._open_folder()))
        self.export.clicked.connect(self._export)
        self.model.dataChanged.connect(self._choose_look)
        context.signals.events.connect(self._on_events)
        context.signals.language_changed.connect(self.retranslate)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()
        self._show_count()

    def _set_up_view(self) -> None:
        view = self.view
        view.setModel(self.model)
        view.setUniformItemSizes(True)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setMouseTracking(True)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._menu)
        view.activated.connect(self._open)
        # A click on the tile that is current already moves nothing, yet asks to see it again.
        view.clicked.connect(self._show_detail)
        view.selectionModel().currentChanged.connect(lambda now, _before: self._show_detail(now))
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), view)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)

    def set_batch(self, batch_id: int | None) -> None:
        """Show this batch's results, or all batches' for None."""
        if batch_id != self._batch_id:
            self._batch_id = batch_id
            self._loaded = False
            self._count = 0
            self._show_count()
        # At once: the refresh may be waiting out its interval.
        self._context.spawn(self._load())

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self._context.tr
        self.empty.say(
            tr("No results yet."),
            tr("Press Start: every picture and text appears here as it arrives."),
        )
        self.open_folder.setText(tr("Open folder"))
        self.export.setText(tr("Export results…"))
        self.view.setAccessibleName(tr("Results"))
        self._show_count()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """What changed while the tab was hidden is read now."""
        super().showEvent(event)
        self._refresh()

    # --- reading -----------------------------------------------------------------------------

    async def _load(self) -> None:
        batch_id = self._batch_id
        which = TaskFilter(batch_id=batch_id, states=frozenset({TaskState.SUCCESS}))
        if self.isVisible():
            place = self.view.verticalScrollBar().value()
            pk = self._current_pk()
            await self.model.load(which)
            self._return_to(pk)
            self.view.verticalScrollBar().setValue(place)
            count = len(self.model.pks)
        else:
            count = await self._context.services.queries.count(which)
        if batch_id != self._batch_id:
            return
        self._count, self._loaded = count, True
        self._show_count()
        self.count_changed.emit(count)

    def _show_count(self) -> None:
        tr = self._context.tr
        self.summary.setText(tr.plural("{n} result", "{n} results", self._count))
        one = self._batch_id is not None
        for button in (self.open_folder, self.export):
            button.setEnabled(one)
            button.setToolTip("" if one else tr("Choose one batch first."))
        self.why.setText(tr("Choose one batch to open its folder or export it."))
        self.why.setVisible(not one)
        self.view.setVisible(self._count > 0)
        self.empty.setVisible(self._loaded and self._count == 0)

    def _choose_look(self) -> None:
        first = self.model.row(0)
        if first is not None and first.output is not None:
            self.view.look_like(as_list=not is_picture(first.output))

    def _on_events(self, events: list[object]) -> None:
        for event in events:
            if isinstance(event, TasksChanged | BatchChanged | BatchFinished) and (
                self._batch_id is None or event.batch_id == self._batch_id
            ):
                self._refresh()
                return

    def _restyle(self) -> None:
        self.setStyleSheet(sheet_style(self._context.theme))
        self.summary.setFont(self._context.theme.font("title", bold=True))
        self.view.viewport().update()

    # --- acting ------------------------------------------------------------------------------

    def _current(self) -> TaskRow | None:
        index = self.view.currentIndex()
        return self.model.row(index.row()) if index.isValid() else None

    def _current_pk(self) -> int | None:
        at = self.view.currentIndex().row()
        return self.model.pks[at] if 0 <= at < len(self.model.pks) else None

    def _return_to(self, pk: int | None) -> None:
        """Results that arrive in between must not take the place from under the keyboard."""
        if pk is None or self.view.currentIndex().isValid() or pk not in self.model.pks:
            return
        index = self.model.index(list(self.model.pks).index(pk), 0)
        chosen = QItemSelectionModel.SelectionFlag.SelectCurrent
        self.view.selectionModel().setCurrentIndex(index, chosen)

    def _show_detail(self, index: QModelIndex) -> None:
        if index.isValid():
            self._context.signals.open_task.emit(self.model.pks[index.row()])

    def _open(self, index: QModelIndex) -> None:
        row = self.model.row(index.row())
        if row is not None and row.output is not None:
            self._context.open_path(row.output)

    def _menu(self, where: QPoint) -> None:
        index = self.view.indexAt(where)
        row = self.model.row(index.row()) if index.isValid() else None
        if row is None or row.output is None:
            return
        self.view.setCurrentIndex(index)
        tr, output, icons = self._context.tr, row.output, self._context.icons
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(icons.icon("eye"), tr("Open")).triggered.connect(
            lambda: self._context.open_path(output)
        )
        menu.addAction(icons.icon("reveal"), tr("Show in folder")).triggered.connect(
            lambda: self._context.reveal_path(output)
        )
        word = tr("Copy picture") if is_picture(output) else tr("Copy text")
        menu.addAction(icons.icon("copy"), word).triggered.connect(self._copy)
        menu.popup(self.view.viewport().mapToGlobal(where))

    def _copy(self) -> None:
        row = self._current()
        if row is not None and row.output is not None:
            self._context.spawn(copy_result(self._context, row.pk, row.output))

    async def _open_folder(self) -> None:
        if self._batch_id is None:
            return
        summary = await self._context.services.queries.batch(self._batch_id)
        if summary is not None:
            self._context.open_path(summary.batch.out_dir)

    def _export(self) -> None:
        if self._batch_id is not None:
            self._context.spawn(self._export_batch(self._batch_id))

    async def _export_batch(self, batch_id: int) -> None:
        summary = await self._context.services.queries.batch(batch_id)
        if summary is not None:
            sheet = summary.batch.sheet_path
            choose_export(self._context, self, batch_id, sheet, failures=False)
