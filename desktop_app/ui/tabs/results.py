"""What came out: a gallery of pictures or a list of texts, each one a double-click from opening."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter, TaskRow
from desktop_app.ui.context import UiContext
from desktop_app.ui.ids import positions
from desktop_app.ui.tabs.gathered import GatheredTab
from desktop_app.ui.tabs.results_copy import copy_result
from desktop_app.ui.tabs.results_drag import drag_results
from desktop_app.ui.tabs.results_gallery import Gallery
from desktop_app.ui.tabs.results_model import ResultsModel
from desktop_app.ui.tabs.results_tile import PICTURE, ResultDelegate
from desktop_app.ui.thumbnails import Thumbnails
from desktop_app.ui.words import is_picture

_EVERY_S = 1.0


class ResultsTab(GatheredTab):
    """The finished rows of a batch or of all."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(context, "image", _EVERY_S, parent)
        self.open_folder = QPushButton(self)
        context.icons.wear(self.open_folder, "folder")
        self.model = ResultsModel(context, self)
        cache = context.services.preferences.thumbnails_dir()
        thumbnails = Thumbnails(context.spawn, cache, PICTURE, self)
        self._delegate = ResultDelegate(context, thumbnails, self)
        self.view = Gallery(self._delegate, self)
        self._set_up_view()
        thumbnails.ready.connect(self.view.viewport().update)
        self._lay_out(self.view, self.open_folder)
        self.open_folder.clicked.connect(lambda: context.spawn(self._open_folder()))
        self.model.dataChanged.connect(self._choose_look)
        self._begin()

    def _set_up_view(self) -> None:
        view = self.view
        view.setModel(self.model)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._menu)
        view.activated.connect(self._open)
        # A click on the tile that is current already moves nothing, yet asks to see it again.
        view.clicked.connect(self._show_detail)
        view.selectionModel().currentChanged.connect(lambda now, _before: self._show_detail(now))
        view.drag_began.connect(self._drag)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), view)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)

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
        self.why.setText(tr("Choose one batch to open its folder or export it."))
        self._show_count()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """What changed while the tab was hidden is read now."""
        super().showEvent(event)
        self._refresh()

    # --- reading -----------------------------------------------------------------------------

    def _forget(self) -> None:
        self._count = 0
        self._show_count()

    def _name_batches(self) -> None:
        self.view.name_batches(self._named)
        self.model.batch_names = self._named

    async def _load(self) -> None:
        batch_id = self._batch_id
        which = TaskFilter(batch_id=batch_id, states=frozenset({TaskState.SUCCESS}))
        if self.isVisible():
            place = self.view.verticalScrollBar().value()
            current = self._current_place()
            await self.model.load(which)
            self._return_to(current)
            self.view.verticalScrollBar().setValue(place)
            count = len(self.model.pks)
        else:
            count = await self.model.total(which)
        if batch_id != self._batch_id:
            return
        self._count, self._loaded = count, True
        self._show_count()

    def _show_count(self) -> None:
        tr = self._context.tr
        self.summary.setText(tr.plural("{n} result", "{n} results", self._count))
        one = self._batch_id is not None
        self.open_folder.setEnabled(one)
        for button in (self.open_folder, self.export):
            button.setToolTip("" if one else tr("Choose one batch first."))
        super()._show_count()

    def _choose_look(self) -> None:
        first = self.model.row(0)
        if first is not None and first.output is not None:
            self.view.look_like(as_list=not is_picture(first.output))

    def _restyle(self) -> None:
        super()._restyle()
        self.view.viewport().update()

    # --- acting ------------------------------------------------------------------------------

    def _current(self) -> TaskRow | None:
        index = self.view.currentIndex()
        return self.model.row(index.row()) if index.isValid() else None

    def _current_place(self) -> tuple[int, int] | None:
        """The pk, and which of its results."""
        at = self.view.currentIndex().row()
        if not 0 <= at < len(self.model.pks):
            return None
        return self.model.pks[at], self.model.place(at)

    def _return_to(self, current: tuple[int, int] | None) -> None:
        """Results that arrive in between must not take the place from under the keyboard."""
        if current is None or self.view.currentIndex().isValid():
            return
        pk, place = current
        at = positions(self.model.pks, (pk,)).get(pk)
        if at is None:
            return
        index = self.model.index(at + place, 0)
        chosen = QItemSelectionModel.SelectionFlag.SelectCurrent
        self.view.selectionModel().setCurrentIndex(index, chosen)

    def _show_detail(self, index: QModelIndex) -> None:
        if index.isValid():
            pk = self.model.pks[index.row()]
            self._context.signals.open_task.emit(pk)
            self._context.signals.open_result.emit(pk, self.model.place(index.row()))

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

    def _drag(self) -> None:
        places = [index.row() for index in self.view.selectionModel().selectedIndexes()]
        drag_results(self._context, self.view, self.model, places)

    async def _open_folder(self) -> None:
        if self._batch_id is None:
            return
        summary = await self._context.services.queries.batch(self._batch_id)
        if summary is not None:
            self._context.open_path(summary.batch.out_dir)
