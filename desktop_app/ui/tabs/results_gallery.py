"""Tiles of one size need no list of places: a gallery of a million opens like one of ten.

Qt's own list of icons keeps a place for every item and lays all out anew whenever one arrives:
half a second at 200,000.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QStyle, QStyleOptionViewItem, QWidget

from desktop_app.ui.tabs.results_tile import BATCH_LINE, LINE, TILE, ResultDelegate

Index = QModelIndex | QPersistentModelIndex
_STEP = 60  # pixels a notch of the wheel moves


class Gallery(QAbstractItemView):
    """A grid of tiles that share the width or, with ``look_like(as_list=True)``, lines.

    ``drag_began``: a person drags what is selected.
    """

    drag_began = Signal()

    def __init__(self, delegate: ResultDelegate, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = delegate
        self._columns = 1
        self._cell = TILE
        self.setProperty("look", "gallery")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setItemDelegate(delegate)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)

    @property
    def is_list(self) -> bool:
        """Lines of text, not tiles."""
        return self._delegate.as_list

    def look_like(self, *, as_list: bool) -> None:
        """Tiles for pictures, lines for texts."""
        if self._delegate.as_list != as_list:
            self._delegate.as_list = as_list
            self._measure()

    def name_batches(self, names: Mapping[int, str]) -> None:
        """Say of each result which batch it is of; no names, nothing said."""
        self._delegate.batch_names = names
        self._measure()

    # --- places ------------------------------------------------------------------------------

    def _measure(self) -> None:
        """As many columns as fit, each taking its share."""
        bar = self.verticalScrollBar().sizeHint().width()
        room = max(1, self.maximumViewportSize().width() - bar)
        if self.is_list:
            self._columns, self._cell = 1, QSize(room, LINE)
        else:
            self._columns = max(1, room // TILE.width())
            high = TILE.height() + (BATCH_LINE if self._delegate.batch_names else 0)
            self._cell = QSize(room // self._columns, high)
        self.updateGeometries()
        self.viewport().update()

    def _count(self) -> int:
        model = self.model()
        return model.rowCount() if model is not None else 0

    def _rect(self, at: int) -> QRect:
        """Where an item lies, in the viewport's coordinates."""
        row, column = divmod(at, self._columns)
        x, y = column * self._cell.width(), row * self._cell.height() - self.verticalOffset()
        return QRect(QPoint(x, y), self._cell)

    def _between(self, area: QRect) -> range:
        """The items whose rows touch this part of the viewport."""
        high = self._cell.height()
        first = max(0, (area.top() + self.verticalOffset()) // high)
        last = (area.bottom() + self.verticalOffset()) // high
        return range(first * self._columns, min((last + 1) * self._columns, self._count()))

    def visualRect(self, index: Index) -> QRect:  # noqa: N802 - Qt's name
        """Where an item lies."""
        return self._rect(index.row()) if index.isValid() else QRect()

    def indexAt(self, point: QPoint) -> QModelIndex:  # noqa: N802 - Qt's name
        """The item under a point."""
        here = (at for at in self._between(QRect(point, point)) if self._rect(at).contains(point))
        at = next(here, None)
        return QModelIndex() if at is None else self.model().index(at, 0)

    def scrollTo(  # noqa: N802 - Qt's name
        self,
        index: Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Move no further than needed, or to the middle."""
        rect, high = self.visualRect(index), self.viewport().height()
        if not rect.isValid():
            return
        bar = self.verticalScrollBar()
        if hint is QAbstractItemView.ScrollHint.PositionAtCenter:
            bar.setValue(bar.value() + rect.center().y() - high // 2)
        elif rect.top() < 0:
            bar.setValue(bar.value() + rect.top())
        elif rect.bottom() >= high:
            bar.setValue(bar.value() + min(rect.bottom() + 1 - high, rect.top()))

    def horizontalOffset(self) -> int:  # noqa: N802 - Qt's name
        """Nothing lies aside."""
        return 0

    def verticalOffset(self) -> int:  # noqa: N802 - Qt's name
        """Pixels above the viewport."""
        return self.verticalScrollBar().value()

    def isIndexHidden(self, index: Index) -> bool:  # noqa: N802, ARG002 - Qt's name
        """None is."""
        return False

    def updateGeometries(self) -> None:  # noqa: N802 - Qt's name
        """How far there is to scroll."""
        rows = -(-self._count() // self._columns)
        bar, high = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, rows * self._cell.height() - high))
        bar.setPageStep(high)
        bar.setSingleStep(_STEP)
        super().updateGeometries()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """The columns share another width."""
        self._measure()
        super().resizeEvent(event)

    # --- choosing ----------------------------------------------------------------------------

    def moveCursor(  # noqa: N802 - Qt's name
        self,
        action: QAbstractItemView.CursorAction,
        modifiers: Qt.KeyboardModifier,  # noqa: ARG002
    ) -> QModelIndex:
        """Arrows go by one, or by one row of tiles; pages by what is to be seen."""
        count, at = self._count(), self.currentIndex().row()
        if not count:
            return QModelIndex()
        page = max(1, self.viewport().height() // self._cell.height()) * self._columns
        step = QAbstractItemView.CursorAction
        moved = {
            step.MoveLeft: at - 1,
            step.MovePrevious: at - 1,
            step.MoveRight: at + 1,
            step.MoveNext: at + 1,
            step.MoveUp: at - self._columns,
            step.MoveDown: at + self._columns,
            step.MovePageUp: at - page,
            step.MovePageDown: at + page,
            step.MoveHome: 0,
            step.MoveEnd: count - 1,
        }[action]
        if at >= 0 and action in (step.MoveUp, step.MoveDown) and not 0 <= moved < count:
            moved = at
        return self.model().index(min(max(moved, 0), count - 1), 0)

    def setSelection(  # noqa: N802 - Qt's name
        self, rect: QRect, command: QItemSelectionModel.SelectionFlag
    ) -> None:
        """Choose what a rectangle touches, and from the first to the last with Shift."""
        area = rect.normalized()
        touched = [at for at in self._between(area) if self._rect(at).intersects(area)]
        chosen = QItemSelection()
        start = 0
        for end in range(1, len(touched) + 1):
            if end == len(touched) or touched[end] != touched[end - 1] + 1:
                first, last = touched[start], touched[end - 1]
                chosen.select(self.model().index(first, 0), self.model().index(last, 0))
                start = end
        self.selectionModel().select(chosen, command)

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:  # noqa: N802, ARG002
        """Near enough: all that is to be seen."""
        return QRegion(self.viewport().rect())

    def startDrag(self, supportedActions: Qt.DropAction) -> None:  # noqa: N802, N803, ARG002 - Qt's
        """The hand moves with a result in it; what may be taken is for the tab to say."""
        self.drag_began.emit()

    # --- painting ----------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """The items that are to be seen, each by the delegate."""
        with QPainter(self.viewport()) as painter:
            option = QStyleOptionViewItem()
            self.initViewItemOption(option)
            plain = option.state & ~QStyle.StateFlag.State_HasFocus
            plain &= ~QStyle.StateFlag.State_MouseOver & ~QStyle.StateFlag.State_Selected
            pointed = self.indexAt(self.viewport().mapFromGlobal(self.cursor().pos())).row()
            current = self.currentIndex().row() if self.hasFocus() else -1
            for at in self._between(event.rect()):
                index = self.model().index(at, 0)
                option.rect = self._rect(at)
                option.state = plain
                if self.selectionModel().isSelected(index):
                    option.state |= QStyle.StateFlag.State_Selected
                if at == pointed and self.viewport().underMouse():
                    option.state |= QStyle.StateFlag.State_MouseOver
                if at == current:
                    option.state |= QStyle.StateFlag.State_HasFocus
                self._delegate.paint(painter, option, index)
