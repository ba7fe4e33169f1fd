"""The table as the operator handles it: it paints whole rows and speaks in tasks, not in places."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from desktop_app.domain.task import TaskState
from desktop_app.ui.context import UiContext
from desktop_app.ui.grid.columns import Column
from desktop_app.ui.grid.header import Header
from desktop_app.ui.grid.keeper import SelectionKeeper, spans
from desktop_app.ui.grid.model import GridModel
from desktop_app.ui.grid.painter import RowLook, RowPainter
from desktop_app.ui.grid.resting import RestingTable
from desktop_app.ui.thumbnails import Thumbnails


class GridView(RestingTable):
    """``opened`` tells the task under the cursor, ``chosen`` that the selection changed."""

    opened = Signal(int)
    chosen = Signal()

    def __init__(
        self,
        context: UiContext,
        model: GridModel,
        thumbnails: Thumbnails,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._model = model
        self._painter = RowPainter(
            context, thumbnails.get, lambda row: model.batch_names.get(row.batch_id, "")
        )
        self._hovered = -1
        self._anchor: int | None = None
        self.empty_text = ""
        self.fitting = True  # until the operator sets a width himself
        self.adjusting = False
        self._header = Header(context, self)
        self.setHorizontalHeader(self._header)
        self.setModel(model)
        self._lay_out()
        # Signals, not the virtual slots: Qt calls those while this is still being built.
        self.keeper = SelectionKeeper(model, self.selectionModel(), self.setAutoScroll)
        self.selectionModel().selectionChanged.connect(lambda *_: self._on_chosen())
        self.selectionModel().currentChanged.connect(lambda now, _before: self._on_current(now))
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._freshen)
        self.verticalScrollBar().valueChanged.connect(self.look_again)
        model.holders.append(self._place)
        model.patient.append(lambda: not self._place())
        model.order_about_to_change.connect(self._hold_place)
        model.order_changed.connect(self._regain_place)
        model.rowsInserted.connect(self.look_again)
        model.loaded.connect(self._freshen)
        thumbnails.ready.connect(self.viewport().update)
        context.theme.changed.connect(self._restyle)

    def _lay_out(self) -> None:
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        rows = self.verticalHeader()
        rows.setVisible(False)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(self._context.theme.size("row"))
        rows.setDefaultSectionSize(self._context.theme.size("row"))
        self._header.set_up()

    # --- tasks -----------------------------------------------------------------------------

    def selected_pks(self) -> list[int]:
        """The selected tasks in the order shown."""
        return self.keeper.pks().tolist()

    def selectAll(self) -> None:  # noqa: N802 - Qt's name
        """All rows, those of a list that still comes too."""
        super().selectAll()
        self.keeper.add_what_comes()

    def current_pk(self) -> int | None:
        """The task under the cursor."""
        at = self.currentIndex().row()
        return self._model.ids[at] if 0 <= at < len(self._model.ids) else None

    def go_to(self, pk: int, *, choose: bool = True) -> bool:
        """Scroll to a task, and choose it; False when it is not shown."""
        at = self._model.places((pk,)).get(pk)
        if at is None:
            return False
        index = self._model.index(at, Column.PROMPT)
        if choose:
            self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        return True

    def visible_rows(self) -> tuple[int, int]:
        """(first, last) positions on screen; last < first when there are none."""
        count = self._model.rowCount()
        if not count:
            return (0, -1)
        height = self.viewport().height()
        last = self.rowAt(max(0, height - 1))
        return (max(self.rowAt(0), 0), last if last >= 0 else count - 1)

    def look_again(self) -> None:
        """Fetch what is visible now."""
        self._model.want(*self.visible_rows())
        self._watch_clock()

    def show_batches(self, shown: bool) -> None:
        """Whether each row says which batch it is of; that is no choice of the operator's."""
        if self.isColumnHidden(Column.BATCH) == (not shown):
            return
        self.adjusting = True
        self.setColumnHidden(Column.BATCH, not shown)
        self.adjusting = False
        if self.fitting:
            self._fit()

    # --- painting --------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paint every row that the event touches, each with one call."""
        # Ended also by a fault, or Qt falls over the painter that the fault keeps alive.
        with QPainter(self.viewport()) as painter:
            painter.fillRect(event.rect(), self._context.theme.color("surface"))
            if self._model.rowCount():
                self._paint_rows(painter, event.rect())
            elif self._model.is_known:
                self._paint_empty(painter)

    def _paint_rows(self, painter: QPainter, dirty: QRect) -> None:
        cells = self._header.cells()
        first = self.rowAt(dirty.top())
        last = self.rowAt(dirty.bottom())
        last = self._model.rowCount() - 1 if last < 0 else last
        chosen = self._chosen_between(first, last)
        current = self.currentIndex().row()
        active = self.hasFocus()
        width = max(self.viewport().width(), self._header.length())
        for at in range(max(first, 0), last + 1):
            rect = QRect(0, self.rowViewportPosition(at), width, self.rowHeight(at))
            look = RowLook(at in chosen, at == current, at == self._hovered, active)
            self._painter.paint(painter, rect, cells, self._model.row_at(at), look)

    def _paint_empty(self, painter: QPainter) -> None:
        painter.setPen(self._context.theme.color("muted"))
        area = self.viewport().rect().adjusted(24, 24, -24, -24)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(area, flags, self.empty_text)

    def _chosen_between(self, first: int, last: int) -> set[int]:
        chosen: set[int] = set()
        for span in spans(self.selectionModel().selection()):
            chosen.update(range(max(span.top(), first), min(span.bottom(), last) + 1))
        return chosen

    def _restyle(self) -> None:
        self._painter.restyle()
        self.viewport().update()

    # --- following -------------------------------------------------------------------------

    def _freshen(self) -> None:
        self.viewport().update()
        self._watch_clock()

    def _watch_clock(self) -> None:
        """Tick once a second, but only while a visible row shows a running time."""
        ticking = (TaskState.RUNNING, TaskState.RETRYING)
        first, last = self.visible_rows()
        rows = (self._model.row_at(at) for at in range(first, last + 1))
        if self.isVisible() and any(row is not None and row.state in ticking for row in rows):
            if not self._tick.isActive():
                self._tick.start()
        else:
            self._tick.stop()

    def _hold_place(self) -> None:
        self._anchor = next(iter(self._place()), None)

    def _place(self) -> list[int]:
        """The task at the top, unless that is the top of all."""
        first, _ = self.visible_rows()
        at_top = self.verticalScrollBar().value() == 0
        return [] if at_top else list(self._model.ids[first : first + 1])

    def _regain_place(self) -> None:
        if self._anchor is not None:
            at = self._model.places((self._anchor,)).get(self._anchor)
            if at is not None:
                self.scrollTo(self._model.index(at, 0), QAbstractItemView.ScrollHint.PositionAtTop)
        self.look_again()
        self.viewport().update()

    def _on_chosen(self) -> None:
        self.viewport().update()  # whole rows are painted, so whole rows are dirty
        if not self.keeper.moving:
            self.chosen.emit()

    def _on_current(self, current: QModelIndex) -> None:
        self.viewport().update()
        if current.isValid() and not self.keeper.moving:
            self.opened.emit(self._model.ids[current.row()])

    # --- Qt's events -----------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """The row under the pointer is tinted."""
        super().mouseMoveEvent(event)
        self._hover(self.rowAt(event.position().toPoint().y()))

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Tooltips come from the model; leaving ends the tint."""
        if event.type() == QEvent.Type.Leave:
            self._hover(-1)
        if isinstance(event, QHelpEvent) and not self.indexAt(event.pos()).isValid():
            return False
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """More rows may be visible now."""
        super().resizeEvent(event)
        if self.fitting:
            self._fit()
        self.look_again()

    def _fit(self) -> None:
        was, self.adjusting = self.adjusting, True
        width = self._header.prompt_width(self.viewport().width())
        self.setColumnWidth(Column.PROMPT, width)
        self.adjusting = was  # hiding a column resizes the view in the middle of it

    def _hover(self, row: int) -> None:
        if row != self._hovered:
            self._hovered = row
            self.viewport().update()
